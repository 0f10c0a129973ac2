/* request_parser.h - what the files that make requests share: the table of parameters, what the text of each may be and
 * where it goes, and the steps from a parameter to a whole request. Private to this folder and packet_*.c. Pure. */
#pragma once

#include "wire/request/request.h"

#include <cjson/cJSON.h>

/* A path of a file: relative, without empty, '.' and '..' parts, at most 4095 bytes. `name` is what messages call it.
 * Returns 0 or ERR_BAD_PATH. */
int request_check_path(const char *name, const char *path, struct err *err);
/* The same of a model, which is not an environment: ERR_UNKNOWN_FORMAT. */
int request_check_model_path(const char *name, const char *path, struct err *err);

enum how_often { ONCE, MANY, NEEDED };

/* A decoded value on its way into a request. */
struct param_value {
    struct request *request;
    const struct limits *limits;
    int param;          /* its place in REQUEST_PARAMS */
    const char *name;   /* of it, for messages */
    const char *values; /* its words, "loop|clamp|mirror" */
    char *text;         /* in the request's memory, NUL-terminated without inner NULs; may be cut up in place */
    size_t size_bytes;
    struct err *err;
};

struct param_info {
    const char *name;
    uint64_t ops;
    enum how_often how_often;
    int (*parse)(struct param_value *value); /* 0 or more, or an ERR_ */
    const char *values;
};

enum {
#define X(symbol, name, ops, how_often, parse, values, text) PARAM_##symbol,
#include "wire/request/request_params.def"
#undef X
    PARAM_COUNT,
    PARAM_END = -1, /* of a list of them */
};
extern const struct param_info REQUEST_PARAMS[PARAM_COUNT];

enum { REQUEST_HASH_BYTES = 65 }; /* a content hash in hex, with its NUL */

/* Which parameters were given. */
struct param_set {
    bool has[PARAM_COUNT];
    bool has_route; /* of the query, which every operation has and none reads */
};

/* The name of the first of `params` that is given, or NULL. They end with PARAM_END. */
const char *param_given(const struct param_set *seen, const int *params);

/* --- request.c --- */

/* Room for all texts of a request at once, so that none moves, and its lists. */
int request_reserve(struct request *request, size_t text_bytes, struct err *err);
/* The index of a parameter that the request's operation takes, or ERR_UNKNOWN_PARAMETER. */
int request_find_param(const struct request *request, const char *name, struct err *err);
/* The index of `format` as the operation takes it; -1: it has no such parameter. Of sheets it is another. */
static inline int request_format_param(enum op op)
{
    int param = PARAM_FORMAT;
    while (param <= PARAM_PICTURE_FORMAT && (REQUEST_PARAMS[param].ops & OP_BIT(op)) == 0)
        param++;
    return param <= PARAM_PICTURE_FORMAT ? param : -1;
}
/* Notes that the parameter is given; ERR_DUPLICATE_PARAMETER when it was already and may not be again. */
int request_note_param(int param, bool may_repeat, struct param_set *seen, struct err *err);
/* Parses `text`, which lies in request->memory and may be cut up there. */
int request_take_text(struct request *request, int param, char *text, size_t size_bytes, const struct limits *limits,
                      struct err *err);
/* The parameters `model` and, unless NULL, `hash` as a handle has them; request->memory has the room. */
int request_take_model(struct request *request, const char *model, const char *hash, struct param_set *seen,
                       struct err *err);
/* Fills in what was not given and checks what was: after the last parameter. `accept` may be NULL. */
int request_complete(struct request *request, const struct param_set *seen, const char *accept,
                     const struct limits *limits, struct err *err);

/* --- request_canonical.c --- */

/* Over the values, not their text: what means the same, however written and ordered, has one ETag. */
void request_set_canonical(struct request *request);

/* --- request_check.c --- */

/* What an operation fills in that was not given, and what does not go together: the column `complete` of
 * operations.def. `seen`: which parameters were given. */
typedef int request_complete_fn(struct request *request, const struct param_set *seen, const struct limits *limits,
                                struct err *err);
request_complete_fn request_check_palette, request_check_mesh, request_check_bounds, request_check_export,
    request_check_layer, request_complete_picture, request_complete_environment, request_collect_models;

/* That, and the rules of all operations. complete: NULL where the operation has no rules of its own. */
int request_check_combination(struct request *request, request_complete_fn *complete, const struct param_set *seen,
                              const struct limits *limits, struct err *err);

/* --- what request_complete_picture() consists of: request_camera.c, request_sheet.c, request_picture_file.c --- */

/* What was not given of the camera and the time, and what does not go together. */
int request_complete_camera(struct request *request, const struct param_set *seen, struct err *err);
/* What goes together in a picture of several cells, and what their parameters mean together. */
int request_check_sheet(struct request *request, const struct param_set *seen, struct err *err);
/* What goes together in the file of a picture: after the checks of request_sheet.c. */
int request_check_picture_file(struct request *request, struct err *err);

/* --- request_page.c --- */

/* Bytes of request->memory that request_take_page() needs. */
size_t request_page_bytes(const struct request *request, const struct request_head *head);
/* Fills page_address and picture_query of an OP_MODEL_PAGE. query: what follows '?', as it came. */
void request_take_page(struct request *request, const struct request_head *head, const char *query, size_t query_bytes);

/* --- request_layers.c --- */

/* Checks the layers of a request that has any against it and hands down what they share. `seen`: its own parameters. */
int request_check_layers(struct request *request, const struct param_set *seen, const struct limits *limits,
                         struct err *err);

/* One more source, of which there are fewer than REQUEST_SOURCES_MAX. Returns 0 or ERR_NO_MEMORY. */
int request_add_source(struct request *request, const char *path, const char *hash, struct err *err);
/* Gives every part of the request the file that its clips are in, and lists these files: after the layers' check. */
int request_collect_sources(struct request *request, const struct limits *limits, struct err *err);
/* The same for the layers of a pose alone, the request's or an entity's. */
int request_collect_layers(struct request *request, struct request_pose *of, const struct limits *limits,
                           struct err *err);

/* --- request_raycast.c --- */

/* The lists "entities" and "rays" of an OP_RAYCAST. */
int request_take_entities(struct request *request, cJSON *list, const struct limits *limits, struct err *err);
int request_take_rays(struct request *request, const cJSON *list, const struct limits *limits, struct err *err);
/* request_collect_models(): the files of all entities and of the clips of their layers, each once. The first is the
 * request's own model. Nothing to do for a binary raycast. */
void request_raycast_free(struct request_raycast *raycast);

/* --- request_raycast_binary.c, request_crowd.c --- */

/* True when the body is binary, which is told by its first bytes or by the operation. */
bool request_has_binary_body(enum op op, const struct request_head *head);
/* Checks the Content-Type of a binary body, whose own type is `own`: none is fine, and so are those that curl and
 * browsers send by themselves. `what`: what messages call the body. Returns 0 or ERR_UNSUPPORTED_MEDIA_TYPE. */
int request_check_binary_type(const char *type, const char *own, const char *what, struct err *err);
/* Takes a binary body, once request_has_binary_body(). */
int request_take_raycast(struct request *request, const struct request_head *head, const struct limits *limits,
                         struct param_set *seen, struct err *err);
int request_take_crowd(struct request *request, const struct request_head *head, const struct limits *limits,
                       struct err *err);

/* --- request_body.c --- */

/* Takes an object within the body as a request of its own, of part->op, which has to be ended whatever comes back;
 * model: what its parameter `model` says, or NULL: its own. */
int request_take_object(struct request *part, const cJSON *object, const char *model, const struct limits *limits,
                        struct err *err);
/* Its pose becomes the caller's, and the rest ends. */
struct request_pose request_take_pose(struct request *part);
/* Number of objects in the list `item`, 1 to `most`; or ERR_BAD_PARAMETER. */
int request_count_objects(const cJSON *item, const char *name, uint64_t most, struct err *err);

/* Parses the body of a POST into *json, an object: cJSON_Delete() it. ERR_UNSUPPORTED_MEDIA_TYPE, ERR_BAD_REQUEST,
 * ERR_BODY_TOO_LARGE or ERR_NO_MEMORY. */
int request_open_body(const struct request_head *head, const struct limits *limits, cJSON **json, struct err *err);
/* Bytes of request->memory that the members of `object` need. */
size_t request_body_text_bytes(const cJSON *object);
/* Takes every member of `object` as a parameter. */
int request_take_body(struct request *request, const cJSON *object, struct param_set *seen, const struct limits *limits,
                      struct err *err);

/* --- param*.c: what the parsers share --- */

/* ERR_BAD_PARAMETER: the value is not what is `expected`. */
int param_bad(struct param_value *value, const char *expected);
/* Ends the entry at *rest with a NUL and moves *rest behind it; NULL after the last. */
char *param_next_entry(char **rest);
/* The place of the value among the words of its parameter, a JSON truth value standing for 0 or 1; or
 * ERR_BAD_PARAMETER, which lists the words. */
int param_word(struct param_value *value);
/* A finite number from `least` to `most`; `expected` says so. */
int param_read_number(struct param_value *value, double least, double most, const char *expected, double *out);
/* One more of the request's times, which is finite; or those of the range start + i / fps up to and including its end.
 * ERR_BAD_PARAMETER or ERR_TOO_MANY_FRAMES. */
int param_add_time(struct param_value *value, double time_s);
int param_add_range(struct param_value *value, double start_s, double end_s, double fps);
/* A thing by index or name, or, of the parameter whose name ends with _name, by name whatever that is; is_given: one of
 * the two was given before. `thing`: what messages call it. */
int param_select(struct param_value *value, const char *thing, bool is_given, struct selector *out);

/* --- one a parameter --- */

#define X(symbol, name, ops, how_often, parse, values, text) int parse(struct param_value *value);
#include "wire/request/request_params.def"
#undef X
