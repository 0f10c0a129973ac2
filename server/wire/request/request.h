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
    REQUEST_SOURCES_MAX = 64,    /* of an export */
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

/* Memory of the lists of a pose; private to wire/request and packet_query.c. */
struct request_pose_lists {
    struct buf times, weights; /* double */
    struct buf joints;         /* struct selector */
};

/* A clip at times, or a blend of several: what a request about poses, a layer, its reference and a pose of an entity
 * have in common. It owns its strings and lists, but for those that it has from the request. */
struct request_pose {
    const char *model;     /* path of the model that is posed, for messages */
    const char *clip_file; /* path of the model that has the clips, or NULL: the model. Of a layer without one the
                              request's, of a reference without one its layer's: then the pointers are equal */
    const char *clip_hash; /* that of clip_file, or NULL */
    uint32_t clip_source;  /* 0: the model; n: sources[n - 1] of the whole request */
    struct selector clip;  /* absent: the first, or of pictures the idle clip */
    bool is_of_picture, has_wrap, is_additive;
    const double *times_s; /* in the order asked, ranges unrolled; at least one where the operation is OP_TIMED. Of a
                              layer: none (the frame's own), one, or as many as there are frames */
    uint32_t time_count;
    enum wrap wrap;
    struct request_span span;
    const struct selector *joints; /* empty: all; of a layer its mask */
    uint32_t joint_count;
    const double *weights; /* of a layer: one, or as many as there are frames */
    uint32_t weight_count;
    struct request_pose *layers; /* the pose is their blend; clip and span are not given then. They have no layers */
    uint32_t layer_count;
    struct request_pose *reference; /* of an additive layer: one time; or NULL */
    uint64_t canonical;             /* of a part of a request: the hash of its parameters */
    struct buf memory;              /* owns the strings, of the whole request all of them */
    struct request_pose_lists lists;
};

/* How clips of other files move the model's joints. */
struct request_retarget {
    bool is_by_rest, has_locked_feet;               /* retarget=rest, feet=lock */
    struct humanoid_choice humanoid, clip_humanoid; /* with is_by_rest: of the model, of all sources */
    struct name_map renames; /* of the nodes of all sources, before they are matched with the model's */
};

/* What an answer about vertices has beside their positions. */
struct request_vertices {
    bool has_indices, has_normals, has_rest, has_weights, has_attributes;
};

/* root_motion=extract: the movement of the root is taken out of the pose and told. */
struct request_motion {
    bool is_extracted, has_turn; /* its turning about the up axis, too */
    struct selector root;        /* absent: the topmost joint */
};

struct request_bounds {
    bool is_over_clip; /* over all of the clip instead of the pose's times */
    bool has_rate, is_per_joint;
    double rate; /* with has_rate: poses a second of is_over_clip, 0..1000 */
};

/* What a picture's picture_spec needs the model for, or has in other words. */
struct request_view {
    struct selector target;  /* the node in the middle, or absent */
    struct selector camera;  /* the camera of the file, or absent */
    struct selector joint;   /* the node that the view is about, or absent */
    uint32_t box_numbers;    /* how many of frame_box are given: 0 or 6 */
    int side, projection;    /* 1 + the place of camera's and projection's word, or 0: in the picture's angles */
    const char *target_text; /* of a GET: path and query as they came */
};

struct request_page {
    const char *address;       /* where its visitors find this server, "https://host/prefix/"; NULL: not told */
    const char *picture_query; /* with it: what of its query /v1/render takes too, as it came, "&clip=walk&yaw=30" */
};

struct request_export {
    const struct selector *clips; /* those of the file, empty: all */
    uint32_t clip_count;
    bool has_no_clips;
    enum glb_compression compression; /* of arrays */
    bool is_strict;                   /* what of other files' clips has no partner is an error */
    bool is_approximate;              /* what glTF cannot say becomes the nearest that it can */
    bool has_up;
    uint32_t up;            /* with has_up: the axis that shall be up, 0 to 2 for x to z */
    const char *clip_names; /* pattern with {file} and {clip} of the names of other files' clips, or NULL */
    double unit_m;          /* metres that one unit shall be, 0: as it is */
    double sample_rate;     /* poses a second in place of the file's keys, 0: the file's */
};

struct request_compare {
    const char *with; /* path of the old model, or NULL */
    bool has_tolerance;
    double tolerance; /* with has_tolerance: a share of the size */
};

/* /v1/models */
struct request_listing {
    const char *prefix, *after; /* NULL when not given */
    uint32_t limit;
    bool is_of_folders;
};

struct request_hits {
    enum volume_kind fit;
    bool is_of_meshes, has_all;      /* test=mesh, hits=all */
    struct request_raycast *raycast; /* entities and rays (request_raycast.h), or NULL */
};

/* Memory of the other lists; private to wire/request. */
struct request_lists {
    struct buf skins, clips;      /* struct selector */
    struct buf renames;           /* struct name_rule */
    struct buf files;             /* const char * */
    struct buf bones, clip_bones; /* struct humanoid_rule */
};

/* request_fields.def has a row for each value that changes the answer, and for each list. */
struct request {
    enum op op;
    bool is_head;      /* HEAD: the answer without its body */
    bool is_delete;    /* DELETE, not PUT */
    bool is_verbose;   /* /readyz */
    bool is_estimate;  /* tell how long the answer takes, and do not make it */
    const char *model; /* path under the root (of an upload: of the file under the folder of uploads, of an asset its
                          name), checked: relative, no "..", no NUL, UTF-8; NULL: a crowd without any */
    const char *hash;  /* 64 lower-case hex digits, or NULL */
    struct request_source *sources; /* every clip_file of it and its layers, once; or compare.with; room for
                                       REQUEST_SOURCES_MAX, NULL while there is none */
    uint32_t source_count;
    char *const *files; /* of an operation that may name several: the files of its clips */
    uint32_t file_count;
    uint32_t clip_file_count; /* of a picture of several cells: its clips are those of so many sources, the first */
    enum format format;       /* by format= or Accept */
    struct request_pose pose;
    struct request_retarget retarget;
    const struct selector *skins; /* empty: all */
    uint32_t skin_count;
    enum space space;
    struct selector mesh; /* space=mesh: mesh node; of vertices: only this mesh */
    enum layout layout;
    unsigned what;  /* WHAT_ bits */
    unsigned paths; /* bits of enum channel_path; 0: all */
    struct request_vertices vertices;
    uint32_t texture;
    bool has_no_textures;    /* FORMAT_GLB: textures=0 */
    struct selector variant; /* of pictures and meshes: the set of materials, or absent */
    struct request_motion motion;
    struct request_bounds bounds;
    struct picture_spec picture; /* and of each cell of a sheet; without target_node and camera */
    struct request_view view;
    const char *environment; /* of a picture: path of the file that lights it, or NULL; of /v1/environment then `model`,
                                which is else NULL */
    struct sheet_spec sheet; /* format and quality also of one picture */
    struct request_page page;
    struct request_export export;
    enum find_what find; /* what `found` is */
    struct selector found;
    struct request_compare compare;
    struct request_listing listing;
    struct request_hits hits;
    struct request_query *queries; /* of a batch */
    uint32_t query_count;
    struct crowd_request
        *crowd;                /* all of a crowd; the models are those of its models that have a path, in their order */
    const char *if_none_match; /* the header's value, or NULL; of GET and HEAD */
    char canonical[24];        /* 16 hex digits: hash of op and every parameter's value in a fixed order,
                                  what the ETag is made of beside the model's content */
    uint64_t canonical_rest;   /* private to request_canonical.c: the same of all but the times */
    struct request_lists lists;
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
void request_pose_fini(struct request_pose *pose);

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
    memcpy(request->pose.lists.times.data, &time_s, sizeof time_s);
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
