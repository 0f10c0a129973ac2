/* operation.h - which operations there are, and what the server knows of each beside its code: the columns of
 * wire/operations/operations.def that describe it. Pure; any thread. */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum op {
#define OPERATION(symbol, ...) OP_##symbol,
#include "wire/operations/operations.def"
    OP_ALL_COUNT,
    OP_COUNT = OP_LAYER, /* of those with a path */
};

enum method { METHOD_GET = 1, METHOD_POST = 2, METHOD_PUT = 4, METHOD_DELETE = 8 }; /* GET: HEAD, too */

enum op_trait {
    OP_PAGE = 1 << 0,       /* a page for people: its query is for its script and not read here */
    OP_PREVIEW = 1 << 1,    /* its links show a picture elsewhere, which needs the page's own address */
    OP_ALIVE = 1 << 2,      /* the thread of --admin answers it although the loops do not turn */
    OP_STORES = 1 << 3,     /* changes files: a complete call is carried out even if its client has gone */
    OP_BATCH = 1 << 4,      /* consists of queries */
    OP_IN_BATCH = 1 << 5,   /* may be such a query */
    OP_WEBSOCKET = 1 << 6,  /* opens a WebSocket */
    OP_ON_LOOP = 1 << 7,    /* a loop answers it itself where the models are in memory and the cost is small */
    OP_OFF_LOOP = 1 << 25,  /* is always for a work thread */
    OP_PREPARED = 1 << 8,   /* may be prepared for another time (wire/operations/prepared_reply.h) */
    OP_TIMED = 1 << 9,      /* is about times: 0 unless the request names some */
    OP_ONE_TIME = 1 << 10,  /* about one, which may be `auto` */
    OP_WEIGHTED = 1 << 11,  /* has weights: 1 unless the request names some */
    OP_PICTURE = 1 << 12,   /* is drawn */
    OP_CELLS = 1 << 13,     /* of several cells */
    OP_TURNS = 1 << 14,     /* each of which shows another side */
    OP_PIXELS = 1 << 15,    /* needs the pixels of textures */
    OP_SELECTS = 1 << 16,   /* its clips and layers are found before its body is made */
    OP_POSED = 1 << 17,     /* and it evaluates poses of them */
    OP_ALL_CLIPS = 1 << 18, /* is about all clips of the other files */
    OP_ALL_CLIPS_UNLESS_ONE = 1 << 19, /* likewise, unless the request names a clip */
    OP_MANY_FILES = 1 << 20,           /* takes LIMIT_EXPORT_FILES files of clips, not LIMIT_CLIP_FILES */
    OP_WHOLE_SOURCES = 1 << 21,        /* needs all of its other files, not their clips alone */
    OP_ENTITIES = 1 << 22,             /* is about entities: nobody asks for the same again, and its cost shows late */
    OP_ENTITY_ERRORS = 1 << 23,        /* a model that is missing is an error of its entities, not of the request */
    OP_RAYS = 1 << 24,                 /* casts rays at them */
};

/* The forms of an answer. The first is that of an answer whose request says nothing, unless Accept names another. */
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
    const char *noun; /* what the rest of the path names: "model"; NULL: nothing follows */
    unsigned methods, traits;
    enum op_form form;
};
extern const struct op_info OP_INFO[OP_ALL_COUNT];

/* Of sets of operations: those that take a parameter. */
#define OP_BIT(op) (UINT64_C(1) << (op))

static inline bool op_has(enum op op, unsigned traits) { return (OP_INFO[op].traits & traits) != 0; }

/* True when the answer has a binary form that an Accept header may ask for. */
static inline bool op_has_binary(enum op op)
{
    return OP_INFO[op].form == FORM_FRAMES || OP_INFO[op].form == FORM_MESH;
}

/* The methods that the operation takes, for the Allow header: "GET, HEAD, POST". */
const char *op_methods(enum op op);
/* Returns 0, or ERR_METHOD_NOT_ALLOWED where the operation does not take `method`. */
int op_check_method(enum op op, const char *method, struct err *err);

/* Finds the operation of a path. *name_bytes: the size of the name at the end of the path, which is still encoded.
 * Returns 0, or ERR_NOT_FOUND with the nearest path. */
int op_find_path(const char *path, size_t path_bytes, enum op *op, size_t *name_bytes, struct err *err);
/* Finds the operation that a batch calls `name`. Returns 0, or ERR_BAD_PARAMETER with the names that a batch has. */
int op_find_name(const char *name, enum op *op, struct err *err);
