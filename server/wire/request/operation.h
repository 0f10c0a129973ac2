/* operation.h - lists the operations and their properties, from the descriptive columns of
 * wire/operations/operations.def. Pure; any thread. */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum op {
#define OPERATION(symbol, ...) OP_##symbol,
#include "wire/operations/operations.def"
    OP_ALL_COUNT,
    OP_COUNT = OP_LAYER, /* number of operations with a path */
};

enum method { METHOD_GET = 1, METHOD_POST = 2, METHOD_PUT = 4, METHOD_DELETE = 8 }; /* METHOD_GET includes HEAD */

enum op_trait {
    OP_PAGE = 1 << 0,       /* a page for people; its script reads the query, the server ignores it */
    OP_PREVIEW = 1 << 1,    /* its links have a picture preview on other sites, which needs the page's own address */
    OP_ALIVE = 1 << 2,      /* the --admin thread answers it even when the event loops hang */
    OP_STORES = 1 << 3,     /* changes files: a complete call is executed even if its client has disconnected */
    OP_BATCH = 1 << 4,      /* consists of queries */
    OP_IN_BATCH = 1 << 5,   /* is allowed as a query of a batch */
    OP_WEBSOCKET = 1 << 6,  /* opens a WebSocket */
    OP_ON_LOOP = 1 << 7,    /* an event loop answers it directly when the models are in memory and the cost is small */
    OP_OFF_LOOP = 1 << 25,  /* always runs on a work thread */
    OP_PREPARED = 1 << 8,   /* can be prepared once for several times (wire/operations/prepared_reply.h) */
    OP_TIMED = 1 << 9,      /* has times, by default 0 */
    OP_ONE_TIME = 1 << 10,  /* has a single time, which may be `auto` */
    OP_WEIGHTED = 1 << 11,  /* has weights, by default 1 */
    OP_PICTURE = 1 << 12,   /* renders a picture */
    OP_CELLS = 1 << 13,     /* renders several cells */
    OP_TURNS = 1 << 14,     /* renders each cell from another direction */
    OP_PIXELS = 1 << 15,    /* needs the pixels of textures */
    OP_SELECTS = 1 << 16,   /* resolves clips and layers before it makes the body */
    OP_POSED = 1 << 17,     /* evaluates poses of these */
    OP_ALL_CLIPS = 1 << 18, /* covers all clips of the other files */
    OP_ALL_CLIPS_UNLESS_ONE = 1 << 19, /* likewise, unless the request names a clip */
    OP_MANY_FILES = 1 << 20,           /* accepts LIMIT_EXPORT_FILES clip files instead of LIMIT_CLIP_FILES */
    OP_WHOLE_SOURCES = 1 << 21,        /* needs the whole of its other files, not just their clips */
    OP_ENTITIES = 1 << 22, /* evaluates entities: the same request rarely recurs, and its cost is only known late */
    OP_ENTITY_ERRORS = 1 << 23, /* reports a missing model as an error of its entities, not of the request */
    OP_RAYS = 1 << 24,          /* casts rays at the entities */
};

/* The forms of an answer. The first one of a form is the default, unless Accept names another. */
enum op_form {
    FORM_JSON,    /* JSON alone */
    FORM_FRAMES,  /* JSON or binary frames */
    FORM_MESH,    /* JSON, binary frames or a GLB file */
    FORM_PICTURE, /* a picture or JSON about it */
    FORM_SHEET,   /* a file of sheet.format */
    FORM_FILE,    /* a GLB or .posed file */
    FORM_PNG,     /* a PNG alone */
    FORM_CROWD,   /* binary or JSON */
    FORM_METRICS, /* Prometheus' text or OpenMetrics */
};

struct op_info {
    const char *name; /* in logs, metrics and batches: "palette" */
    const char *path; /* "/v1/palette" */
    const char *noun; /* kind of name that the rest of the path holds: "model"; NULL: the path ends here */
    unsigned methods, traits;
    enum op_form form;
};
extern const struct op_info OP_INFO[OP_ALL_COUNT];

/* A bit of a set of operations, such as the operations that take a parameter. */
#define OP_BIT(op) (UINT64_C(1) << (op))

static inline bool op_has(enum op op, unsigned traits) { return (OP_INFO[op].traits & traits) != 0; }

/* True when the answer has a binary form that an Accept header may ask for. */
static inline bool op_has_binary(enum op op)
{
    return OP_INFO[op].form == FORM_FRAMES || OP_INFO[op].form == FORM_MESH;
}

/* Returns the methods of the operation for the Allow header: "GET, HEAD, POST". */
const char *op_methods(enum op op);
/* Returns 0, or ERR_METHOD_NOT_ALLOWED where the operation does not take `method`. */
int op_check_method(enum op op, const char *method, struct err *err);

/* Finds the operation of a path. *name_bytes is the size of the name at the end of the path, which is still
 * percent-encoded. Returns 0, or ERR_NOT_FOUND with the nearest path. */
int op_find_path(const char *path, size_t path_bytes, enum op *op, size_t *name_bytes, struct err *err);
/* Finds the operation named `name` in a batch. Returns 0, or ERR_BAD_PARAMETER with the names that a batch accepts. */
int op_find_name(const char *name, enum op *op, struct err *err);
