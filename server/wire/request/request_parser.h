/* request_parser.h - shared by the files that build requests: the parameter table, the parsers of parameter values, and
 * the steps from parameters to a complete request. Private to this folder and packet_*.c. Pure. */
#pragma once

#include "wire/request/request.h"

#include <cjson/cJSON.h>

/* Validates a file path: relative, at most 4095 bytes, no empty, '.' or '..' parts. `name` is the file's name in
 * messages. Returns 0 or ERR_BAD_PATH. */
int request_check_path(const char *name, const char *path, struct err *err);
/* The same check for a model, which must not be an environment: ERR_UNKNOWN_FORMAT. */
int request_check_model_path(const char *name, const char *path, struct err *err);

enum how_often { ONCE, MANY, NEEDED };

/* A decoded value that is being added to a request. */
struct param_value {
    struct request *request;
    const struct limits *limits;
    int param;          /* index in REQUEST_PARAMS */
    const char *name;   /* the parameter's name, for messages */
    const char *values; /* the words that the parameter accepts, "loop|clamp|mirror" */
    char *text; /* in the request's memory, NUL-terminated without inner NULs; the parser may split it in place */
    size_t size_bytes;
    struct err *err;
};

struct param_info {
    const char *name;
    uint64_t ops;
    enum how_often how_often;
    int (*parse)(struct param_value *value); /* returns 0 or more, or an ERR_ */
    const char *values;
};

enum {
#define X(symbol, name, ops, how_often, parse, values, text) PARAM_##symbol,
#include "wire/request/request_params.def"
#undef X
    PARAM_COUNT,
    PARAM_END = -1, /* terminates a list of parameters */
};
extern const struct param_info REQUEST_PARAMS[PARAM_COUNT];

enum { REQUEST_HASH_BYTES = 65 }; /* a content hash in hex with its NUL */

/* The set of parameters given. */
struct param_set {
    bool has[PARAM_COUNT];
    bool has_route; /* route= was given, which every operation accepts and none uses */
};

/* Returns the name of the first of `params` that is given, or NULL. PARAM_END terminates the list. */
const char *param_given(const struct param_set *seen, const int *params);

/* --- request.c --- */

/* Reserves memory for all texts of a request, so that none moves, and for its lists. */
int request_reserve(struct request *request, size_t text_bytes, struct err *err);
/* Returns the index of a parameter that the request's operation accepts, or ERR_UNKNOWN_PARAMETER. */
int request_find_param(const struct request *request, const char *name, struct err *err);
/* Returns the index of the operation's `format` parameter, or -1 when it has none. Sheets have a different one. */
static inline int request_format_param(enum op op)
{
    int param = PARAM_FORMAT;
    while (param <= PARAM_PICTURE_FORMAT && (REQUEST_PARAMS[param].ops & OP_BIT(op)) == 0)
        param++;
    return param <= PARAM_PICTURE_FORMAT ? param : -1;
}
/* Marks the parameter as given. ERR_DUPLICATE_PARAMETER when it was given before and may not repeat. */
int request_note_param(int param, bool may_repeat, struct param_set *seen, struct err *err);
/* Parses `text`, which lies in request->memory and may be split in place. */
int request_take_text(struct request *request, int param, char *text, size_t size_bytes, const struct limits *limits,
                      struct err *err);
/* Takes the parameters `model` and, unless NULL, `hash` from a handle. The caller has reserved request->memory. */
int request_take_model(struct request *request, const char *model, const char *hash, struct param_set *seen,
                       struct err *err);
/* Fills in defaults and validates the whole request, after the last parameter. `accept` may be NULL. */
int request_complete(struct request *request, const struct param_set *seen, const char *accept,
                     const struct limits *limits, struct err *err);

/* --- request_canonical.c --- */

/* Hashes the values, not their text: requests of the same meaning have one ETag, however they are written and ordered.
 */
void request_set_canonical(struct request *request);

/* --- request_check.c --- */

/* What clip_names= is; of layers it may be a name without these. */
#define EXPORT_NAMES_EXPECTED "a text with {file} or {clip}, which stand for the names of a file and of its clip"

/* Fills in an operation's defaults and rejects invalid combinations; the column `complete` of operations.def. `seen`:
 * the parameters given. */
typedef int request_complete_fn(struct request *request, const struct param_set *seen, const struct limits *limits,
                                struct err *err);
request_complete_fn request_check_palette, request_check_pose, request_check_mesh, request_check_texture,
    request_check_bounds, request_check_export, request_check_layer, request_complete_check, request_complete_picture,
    request_complete_keypoints, request_complete_environment, request_collect_models;

/* Runs `complete` and the checks of all operations. complete is NULL for an operation without checks of its own. */
int request_check_combination(struct request *request, request_complete_fn *complete, const struct param_set *seen,
                              const struct limits *limits, struct err *err);

/* --- steps of request_complete_picture(): request_camera.c, request_camera_numbers.c, request_sheet.c,
 * request_picture_file.c --- */

/* Fills in the defaults of the camera and the time, and rejects invalid combinations. */
int request_complete_camera(struct request *request, const struct param_set *seen, struct err *err);
/* Takes a camera by numbers: the member "camera" of a body, an object. It may be the `camera` of an answer. Returns 0,
 * ERR_BAD_PARAMETER, ERR_UNKNOWN_PARAMETER, ERR_MISSING_PARAMETER or ERR_DUPLICATE_PARAMETER. */
int request_take_camera(struct request *request, const cJSON *object, struct err *err);
/* Rejects invalid combinations in a picture of several cells, and combines their parameters. */
int request_check_sheet(struct request *request, const struct param_set *seen, struct err *err);
/* Rejects invalid combinations in the file of a picture, after the checks of request_sheet.c. */
int request_check_picture_file(struct request *request, struct err *err);
/* Rejects passes that the file cannot hold or that do not go with the picture, before the check of the file. */
int request_check_passes(struct request *request, const struct param_set *seen, const struct limits *limits,
                         struct err *err);

/* --- request_points.c --- */

/* Parses the list "points" of an OP_KEYPOINTS. */
int request_take_points(struct request *request, const cJSON *list, const struct limits *limits, struct err *err);

/* --- request_page.c --- */

/* Returns how many bytes of request->memory request_take_page() needs. */
size_t request_page_bytes(const struct request *request, const struct request_head *head);
/* Fills request->page of an OP_MODEL_PAGE. query: the text after '?', verbatim. */
void request_take_page(struct request *request, const struct request_head *head, const char *query, size_t query_bytes);

/* --- request_layers.c --- */

/* Checks the layers of a request against the request, and passes on to them the parameters that they share. `seen`: the
 * request's own parameters. */
int request_check_layers(struct request *request, const struct param_set *seen, const struct limits *limits,
                         struct err *err);

/* Adds a source; the request has fewer than REQUEST_SOURCES_MAX. Returns 0 or ERR_NO_MEMORY. */
int request_add_source(struct request *request, const char *path, const char *hash, struct err *err);
/* Assigns to every part of the request the file of its clips, and lists these files. Call it after the check of the
 * layers. */
int request_collect_sources(struct request *request, const struct limits *limits, struct err *err);
/* Does the same for the layers of one pose, of the request or of an entity. */
int request_collect_layers(struct request *request, struct request_pose *of, const struct limits *limits,
                           struct err *err);

/* --- request_raycast.c --- */

/* Parse the lists "entities" and "rays" of an OP_RAYCAST. */
int request_take_entities(struct request *request, cJSON *list, const struct limits *limits, struct err *err);
int request_take_rays(struct request *request, const cJSON *list, const struct limits *limits, struct err *err);
/* request_collect_models() lists the files of all entities and of the clips of their layers, each once. The first is
 * the request's own model. It does nothing for a binary raycast. */
void request_raycast_free(struct request_raycast *raycast);

/* --- request_given_binary.c, request_raycast_binary.c, request_crowd.c --- */

/* True for a body of frames, by its first bytes, of an operation with layers: the frames are its only layer. */
bool request_has_frames(enum op op, const struct request_head *head);
/* True when the body is binary, by its first bytes or by the operation. */
bool request_has_binary_body(enum op op, const struct request_head *head);
/* Checks the Content-Type of a binary body, whose own type is `own`. A missing type is accepted, and so are the
 * defaults of curl and browsers. `what`: the body's name in messages. Returns 0 or ERR_UNSUPPORTED_MEDIA_TYPE. */
int request_check_binary_type(const char *type, const char *own, const char *what, struct err *err);
/* Parses a binary body, after request_has_binary_body() was true. */
int request_take_frames(struct request *request, const struct request_head *head, const struct limits *limits,
                        struct param_set *seen, struct err *err);
int request_take_raycast(struct request *request, const struct request_head *head, const struct limits *limits,
                         struct param_set *seen, struct err *err);
int request_take_crowd(struct request *request, const struct request_head *head, const struct limits *limits,
                       struct err *err);

/* --- request_body.c --- */

/* Parses an object within the body as a separate request of part->op. The caller ends `part` even on failure. model:
 * replaces the parameter `model`; NULL: the object has its own. */
int request_take_object(struct request *part, const cJSON *object, const char *model, const struct limits *limits,
                        struct err *err);
/* Moves the pose of `part` to the caller and frees the rest. */
struct request_pose request_take_pose(struct request *part);
/* Returns the number of objects in the list `item`, 1 to `most`, or ERR_BAD_PARAMETER. */
int request_count_objects(const cJSON *item, const char *name, uint64_t most, struct err *err);

/* Parses the body of a POST into *json, an object that the caller frees with cJSON_Delete(). Returns 0,
 * ERR_UNSUPPORTED_MEDIA_TYPE, ERR_BAD_REQUEST, ERR_BODY_TOO_LARGE or ERR_NO_MEMORY. */
int request_open_body(const struct request_head *head, const struct limits *limits, cJSON **json, struct err *err);
/* Returns how many bytes of request->memory the members of `object` need. */
size_t request_body_text_bytes(const cJSON *object);
/* Takes each member of `object` as a parameter. */
int request_take_body(struct request *request, const cJSON *object, struct param_set *seen, const struct limits *limits,
                      struct err *err);

/* --- param*.c: shared by the parsers --- */

/* Returns ERR_BAD_PARAMETER: the value is not the `expected` one. */
int param_bad(struct param_value *value, const char *expected);
/* NUL-terminates the entry at *rest and advances *rest past it; NULL after the last one. */
char *param_next_entry(char **rest);
/* Returns the index of the value among its parameter's words; a JSON boolean is 0 or 1. Otherwise ERR_BAD_PARAMETER,
 * which lists the words. */
int param_word(struct param_value *value);
/* Parses a finite number from `least` to `most`; `expected` describes it in messages. */
int param_read_number(struct param_value *value, double least, double most, const char *expected, double *out);
/* Add to the request's times a finite time, or the range start + i / fps up to and including its end. Return
 * ERR_BAD_PARAMETER or ERR_TOO_MANY_FRAMES on failure. */
int param_add_time(struct param_value *value, double time_s);
int param_add_range(struct param_value *value, double start_s, double end_s, double fps);
/* Parses an index or a name. A parameter whose name ends with _name always takes a name. is_given: one of the two
 * parameters was given before. `thing`: its name in messages. */
int param_select(struct param_value *value, const char *thing, bool is_given, struct selector *out);

/* --- one parser per parameter --- */

#define X(symbol, name, ops, how_often, parse, values, text) int parse(struct param_value *value);
#include "wire/request/request_params.def"
#undef X
