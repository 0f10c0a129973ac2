/* request.h - the one request struct that every protocol fills and the service answers.
 *
 * Pure: bytes in, struct out; no I/O, no model: names are looked up later. One table (request_params.def)
 * says which operation takes which parameter, of which type, and whether it may repeat; parsing, the 400s
 * and the documents follow it. Strings and lists are the request's own and live until request_fini(). One thread per
 * request. */
#pragma once

#include "anim/shape/volume.h"
#include "anim/pose/blend.h"
#include "anim/pose/clip_time.h"
#include "anim/retarget/humanoid.h"
#include "anim/retarget/name_map.h"
#include "anim/pose/pose.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/limits.h"
#include "base/picture_spec.h"
#include "base/sheet_spec.h"
#include "wire/encode/frames.h"
#include "wire/encode/glb.h"
#include "wire/request/operation.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum select_kind {
    SELECT_NONE,  /* not given */
    SELECT_INDEX, /* digits only */
    SELECT_NAME,  /* anything else, or from clip_name=, joint_name= */
    SELECT_REST,  /* clip=- */
};

/* Another file that a request is about: clips are taken from it, or it is what the model is compared with. */
struct request_source {
    const char *path; /* checked as model is */
    const char *hash; /* 64 lower-case hex digits that its content must have, or NULL */
};
enum {
    REQUEST_SOURCES_MAX = 64,    /* of OP_EXPORT */
    REQUEST_CLIP_FILES_MAX = 16, /* of all others */
};

/* What OP_FIND looks for; numbers of protocol/packets.def. */
enum find_what { FIND_CLIP = 1, FIND_SKIN, FIND_NODE, FIND_MESH };

/* How a clip, skin or joint is named in a query. */
struct selector {
    enum select_kind kind;
    uint32_t index;
    const char *name; /* UTF-8, name_bytes long, NUL-terminated as well */
    size_t name_bytes;
    enum mask_scope scope; /* of a node: it alone, or all below it too; BLEND_EXCEPT is for layers */
};

enum format {
    FORMAT_JSON,
    FORMAT_BIN,
    FORMAT_GLB,
    FORMAT_PNG,
    FORMAT_HDR,
    FORMAT_POSED, /* a .posed file (anim/posed_file) */
    FORMAT_PICTURE,
    FORMAT_METRICS,    /* Prometheus' own text, */
    FORMAT_OPENMETRICS /* or OpenMetrics */
};                     /* FORMAT_PNG: a texture; a picture is a file of sheet.format */
enum what { WHAT_LOCAL = 1, WHAT_SCENE = 2 };

/* Which part of the clip, as given: span_resolve() makes clip times of it. */
struct request_span {
    bool has_from, has_to, has_fps, has_speed, has_phase;
    double from, to; /* seconds, or frames with has_fps; >= 0 */
    double fps;      /* > 0 */
    double speed;    /* finite */
    double phase;    /* 0..1 */
};

/* What owns a request's lists; private to wire/request and packet_query.c. */
struct request_lists {
    struct buf times;         /* double */
    struct buf weights;       /* double */
    struct buf skins, joints; /* struct selector, like the next one */
    struct buf clips;
    struct buf renames;           /* struct name_rule */
    struct buf files;             /* const char *, OP_EXPORT, OP_SHEET: clip files */
    struct buf bones, clip_bones; /* struct humanoid_rule */
};

struct request {
    enum op op;
    bool is_head;      /* HEAD: the answer without its body */
    bool is_delete;    /* OP_FILE: DELETE, else PUT */
    const char *model; /* path under the root (OP_FILE: of the file under the folder of uploads, OP_ASSET: the asset's
                          name), checked: relative, no "..", no NUL, UTF-8 */
    const char *hash;  /* 64 lower-case hex digits, or NULL */
    const char *clip_file; /* path of the model that has the clips, or NULL: the model. Of a layer without one the
                              request's, of a reference without one its layer's: then the pointers are equal */
    const char *clip_hash; /* that of clip_file, or NULL */
    uint32_t clip_source;  /* 0: the model; n: sources[n - 1] of the whole request */
    struct request_source sources[REQUEST_SOURCES_MAX]; /* every clip_file of it and its layers, once; or `with` */
    uint32_t source_count;
    uint32_t clip_file_count;         /* OP_SHEET: its clips are those of so many sources, the first of them */
    bool is_by_rest, has_locked_feet; /* retarget=rest, feet=lock */
    struct humanoid_choice humanoid, clip_humanoid; /* with is_by_rest: of the model, of all sources */
    struct name_map renames; /* of the nodes of all sources, before they are matched with the model's */
    struct selector clip;
    const double *times_s; /* in the order asked, ranges unrolled; at least one for ops that take t */
    uint32_t time_count;
    enum wrap wrap;
    struct request_span span;
    const struct selector *skins; /* empty: all */
    uint32_t skin_count;
    const struct selector *joints; /* empty: all */
    uint32_t joint_count;
    enum space space;
    struct selector mesh; /* space=mesh: mesh node; /v1/mesh: only this mesh */
    enum layout layout;
    enum format format; /* by format= or Accept */
    unsigned what;      /* WHAT_ bits */
    unsigned paths;     /* OP_KEYS: bits of enum channel_path; 0: all */
    bool has_indices, has_normals, has_rest, has_weights, has_attributes;
    uint32_t texture;     /* OP_TEXTURE */
    bool has_no_textures; /* FORMAT_GLB: textures=0 */
    bool is_estimate;     /* tell how long the answer takes, and do not make it */
    bool has_root_motion; /* take the movement of `root` out and tell it */
    bool is_verbose;      /* OP_READYZ */
    bool has_turn;        /* its turning about the up axis too */
    struct selector root; /* absent: the topmost joint */
    bool is_over_clip;    /* OP_BOUNDS: over all of the clip instead of times_s */
    bool has_rate, is_per_joint;
    double rate; /* with has_rate: poses a second of is_over_clip, 0..1000 */
    struct picture_spec
        picture;              /* and of each cell of a sheet; without target_node and camera, which need the model: */
    struct selector target;   /* the node in the middle of the picture, or absent */
    struct selector camera;   /* the camera of the file, or absent */
    uint32_t box_numbers;     /* how many of the picture's frame_box are given: 0 or 6 */
    const char *environment;  /* of a picture: path of the file that lights it, or NULL; of OP_ENVIRONMENT then `model`,
  which is else NULL */
    int side, projection;     /* 1 + the place of camera's and projection's word, or 0: in the picture's angles */
    struct sheet_spec sheet;  /* OP_SHEET, OP_TURNTABLE; format and quality also of OP_RENDER */
    const char *target_text;  /* likewise, of a GET, and of a page: path and query as they came */
    const char *page_address; /* OP_MODEL_PAGE: where its visitors find this server, "https://host/prefix/"; NULL:
                                 not told */
    const char *picture_query;    /* with it: what of its query /v1/render takes too, as it came, "&clip=walk&yaw=30" */
    struct selector joint;        /* of a picture: the node that the view is about, or absent */
    struct selector variant;      /* of pictures and meshes: the set of materials, or absent */
    const struct selector *clips; /* OP_EXPORT: those of the file, empty: all; and what follows */
    uint32_t clip_count;
    bool has_no_clips;
    enum glb_compression compression; /* of OP_EXPORT's arrays */
    bool is_strict;                   /* what of other files' clips has no partner is an error */
    const char *clip_names;           /* pattern with {file} and {clip} of the names of other files' clips, or NULL */
    bool is_approximate;              /* what glTF cannot say becomes the nearest that it can */
    bool has_up;                      /* up: the axis that shall be up, 0 to 2 for x to z */
    uint32_t up;
    double unit_m;       /* metres that one unit shall be, 0: as it is */
    double sample_rate;  /* poses a second in place of the file's keys, 0: the file's */
    enum find_what find; /* OP_FIND: what `found` is */
    struct selector found;
    const char *with; /* OP_COMPARE: path of the old model */
    bool has_tolerance;
    double tolerance;           /* with has_tolerance: a share of the size */
    const char *prefix, *after; /* /v1/models; NULL when not given */
    uint32_t list_limit;
    bool is_of_folders;              /* /v1/models: of folders */
    enum volume_kind fit;            /* OP_HITBOXES, OP_RAYCAST */
    bool is_of_meshes, has_all_hits; /* OP_RAYCAST: test=mesh, hits=all */
    struct request_raycast *raycast; /* OP_RAYCAST: entities and rays (request_raycast.h) */
    struct request *layers;          /* OP_LAYER each: the pose is their blend; clip and span are not given then */
    uint32_t layer_count;
    const double *weights; /* OP_LAYER: this and what follows; one, or as many as there are frames. Its times: none (the
                              frame's own), one, or as many as there are frames; its joints: the mask */
    uint32_t weight_count;
    bool is_additive;
    bool has_wrap;
    struct request *reference;     /* OP_REFERENCE with one time, or NULL */
    struct request_query *queries; /* OP_QUERY */
    uint32_t query_count;
    struct crowd_request *crowd; /* OP_CROWD: all of it; the models are those of its models that have a path, in their
                                    order. `model` is NULL where none has */
    const char *if_none_match;   /* the header's value, or NULL; of GET and HEAD */
    char canonical[24];          /* 16 hex digits: hash of op and every parameter's value in a fixed order,
                                    what the ETag is made of beside the model's content */
    uint64_t canonical_rest;     /* private to request_canonical.c: the same of all but the times */
    struct buf memory;           /* owns the strings above */
    struct request_lists lists;  /* owns the lists above */
};

/* One query of a batch: good when err.code is 0. */
struct request_query {
    struct request request;
    struct err err;
};

/* What a front end knows of an HTTP request besides its target. NULL when the header is absent. */
struct request_head {
    const char *method; /* "GET" */
    const char *target; /* "/v1/palette?model=fox.glb&t=0.5", size_bytes long */
    size_t target_bytes;
    const char *accept;
    const char *if_none_match;
    const char *content_type;
    const char *host; /* and as a proxy says (X-Forwarded-Proto, -Host, -Prefix); for OP_MODEL_PAGE: */
    const char *forwarded_proto, *forwarded_host, *forwarded_prefix;
    const char *body; /* body_bytes long; of POST */
    size_t body_bytes;
    const char *model; /* what the parameter `model` would say, which is then not given; of packets */
    const char *hash;  /* likewise `hash`, with a model */
};

void request_init(struct request *request);
void request_fini(struct request *request);

/* Memory of its queries, or of its entities and their layers, which may be hundreds of times that of the body. */
size_t request_parts_bytes(const struct request *request);

/* Fills *request from an HTTP request line and headers. Decodes percent-escapes and '+', splits repeated and
 * comma-separated times, unrolls ranges start:end:fps. On failure the err message names the parameter, and
 * for an unknown one the nearest known name.
 * The JSON body of a POST gives parameters as the query does, by the same names; a list stands for repetitions. So a
 * GET and a POST that mean the same have the same canonical hash.
 * Returns 0, ERR_NOT_FOUND, ERR_METHOD_NOT_ALLOWED, ERR_UNKNOWN_PARAMETER, ERR_BAD_PARAMETER,
 * ERR_DUPLICATE_PARAMETER, ERR_MISSING_PARAMETER, ERR_BAD_PATH, ERR_TOO_MANY_FRAMES, ERR_NO_MEMORY, and for
 * bodies ERR_BAD_REQUEST, ERR_BODY_TOO_LARGE or ERR_UNSUPPORTED_MEDIA_TYPE. */
int request_parse(struct request *request, const struct request_head *head, const struct limits *limits,
                  struct err *err);

/* The one time of a request that has one is now another; the canonical hash is not made anew. */
static inline void request_set_time(struct request *request, double time_s)
{
    memcpy(request->lists.times.data, &time_s, sizeof time_s);
}
/* Makes the canonical hash anew after that. */
void request_set_canonical_times(struct request *request);

/* True when the request names the content of every file that it is about: its answer never changes. */
static inline bool request_names_content(const struct request *request)
{
    bool is_named = request->hash != NULL;
    for (uint32_t i = 0; i < request->source_count; i++)
        is_named = is_named && request->sources[i].hash != NULL;
    return is_named && request->environment == NULL;
}

/* OP_CROWD: the list of models, once each has a path or an error: checks the paths, and makes them the request's. */
int request_complete_crowd(struct request *request, struct err *err);
/* Notes why one of the request's models (0: its own, n: sources[n - 1]) is not there: the error of its entities. */
void request_miss_crowd_model(const struct request *request, uint32_t slot, const struct err *err);

/* What camera= takes beside the cameras of the file, for messages. */
extern const char REQUEST_SIDES[];

/* True when the answer has pixels of the model's textures in it, is drawn with them or compares them. */
static inline bool request_needs_pixels(const struct request *request)
{
    return op_has(request->op, OP_PIXELS) || (request->format == FORMAT_GLB && !request->has_no_textures);
}
