/* request.h - the request struct that every protocol fills and the service answers.
 *
 * Pure: bytes in, struct out; no I/O and no model, so names are resolved later. One table (request_params.def) defines
 * which operation takes which parameter, its type, and whether it may repeat. Parsing, 400 errors and the documents
 * follow this table. The request owns its strings and lists until request_fini(). One thread per request. */
#pragma once

#include "anim/given/given_look.h"
#include "anim/shape/volume.h"
#include "anim/pose/blend.h"
#include "anim/pose/clip_time.h"
#include "anim/humanoid/humanoid.h"
#include "anim/retarget/name_map.h"
#include "anim/retarget/rest_reference.h"
#include "anim/pose/pose.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/limits.h"
#include "base/picture/picture_spec.h"
#include "base/picture/sheet_spec.h"
#include "base/picture/view.h"
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
    SELECT_NAME,  /* any other text, or from clip_name=, joint_name= */
    SELECT_REST,  /* clip=- */
};

/* Another file that a request uses: it supplies clips, or the model is compared with it. */
struct request_source {
    const char *path; /* validated like the path of the model */
    const char *hash; /* 64 lower-case hex digits of the required content, or NULL */
};
enum {
    REQUEST_SOURCES_MAX = 64,    /* for an export */
    REQUEST_CLIP_FILES_MAX = 16, /* for other operations */
};

/* The kinds of OP_FIND, numbered as in protocol/packets.def. */
enum find_what { FIND_CLIP = 1, FIND_SKIN, FIND_NODE, FIND_MESH };

/* How a query identifies a clip, skin or joint. */
struct selector {
    enum select_kind kind;
    uint32_t index;
    const char *name; /* UTF-8 of name_bytes bytes, also NUL-terminated */
    size_t name_bytes;
    enum mask_scope scope; /* of a node: the node alone or with its subtree; BLEND_EXCEPT is for layers */
};

enum format {
    FORMAT_JSON,
    FORMAT_BIN,
    FORMAT_GLB,
    FORMAT_PNG,
    FORMAT_HDR,
    FORMAT_POSED, /* a .posed file (anim/posed_file) */
    FORMAT_PICTURE,
    FORMAT_METRICS,    /* Prometheus text format */
    FORMAT_OPENMETRICS /* OpenMetrics */
};                     /* FORMAT_PNG is a texture; sheet.format is the file type of a picture */
enum what { WHAT_LOCAL = 1, WHAT_SCENE = 2 };

/* The part of the clip, as given; span_resolve() converts it to clip times. */
struct request_span {
    bool has_from, has_to, has_fps, has_speed, has_phase;
    double from, to; /* seconds, or frames with has_fps; >= 0 */
    double fps;      /* > 0 */
    double speed;    /* finite */
    double phase;    /* 0..1 */
};

struct request_given;

/* Memory for the lists of a pose; private to wire/request and packet_query.c. */
struct request_pose_lists {
    struct buf times, weights; /* double */
    struct buf joints;         /* struct selector */
};

/* A clip at given times, or a blend of several. A pose request, a layer, its reference and a pose of an entity share
 * this struct. It owns its strings and lists, except for those that it shares with the request. */
struct request_pose {
    const char *model;     /* path of the posed model, for messages */
    const char *clip_file; /* path of the model with the clips; NULL: the posed model. A layer without a clip_file
                              inherits the request's, a reference inherits its layer's; the pointers are then equal */
    const char *clip_hash; /* hash of clip_file, or NULL */
    uint32_t clip_source;  /* 0: the model; n: sources[n - 1] of the whole request */
    struct selector clip;  /* absent: the first clip, for pictures the usual clip */
    bool is_of_picture, has_wrap;
    uint32_t mode;               /* of a layer: enum layer_mode */
    struct request_given *given; /* of a layer: the pose in place of a clip (request_given.h); or NULL */
    const double *times_s; /* in request order, ranges expanded; at least one for OP_TIMED. A layer has none (it uses
                              the frame's time), one, or one per frame */
    uint32_t time_count;
    enum wrap wrap;
    struct request_span span;
    const struct selector *joints; /* empty: all joints; for a layer its mask */
    uint32_t joint_count;
    const double *weights; /* for a layer: one, or one per frame */
    uint32_t weight_count;
    struct request_pose *layers; /* the pose blends these; it then has no clip or span of its own. Layers do not nest */
    uint32_t layer_count;
    struct request_pose *reference; /* for an additive layer, with one time; or NULL */
    uint64_t canonical;             /* for a part of a request: the hash of its parameters */
    struct buf memory;              /* owns the strings; the request's own pose has those of the whole request */
    struct request_pose_lists lists;
};

/* How a layer acts, in the order of the words of the parameter. */
enum layer_mode { LAYER_OVERRIDE, LAYER_ADDITIVE, LAYER_REPLACE };

/* How clips of other files drive the model's joints. */
struct request_retarget {
    bool is_by_rest, has_locked_feet;               /* retarget=rest, feet=lock */
    struct humanoid_choice humanoid, clip_humanoid; /* with is_by_rest: the humanoid of the model, and of all sources */
    struct rest_choice clip_rest;                   /* with is_by_rest: the pose that stands for the sources' rest */
    struct name_map renames; /* renames nodes of all sources before they are matched with the model's */
};

/* The vertex data that an answer has in addition to positions. */
struct request_vertices {
    bool has_indices, has_normals, has_rest, has_weights, has_attributes;
};

/* root_motion=extract: removes the root's movement from the pose and reports it separately. */
struct request_motion {
    bool is_extracted, has_turn; /* also its rotation about the up axis */
    struct selector root;        /* absent: the topmost joint */
};

struct request_bounds {
    bool is_over_clip; /* over the whole clip instead of the pose's times */
    bool has_rate, is_per_joint;
    double rate; /* with has_rate: poses per second for is_over_clip, 0..1000 */
};

/* A joint that is turned from its rest, about its own axes. */
struct request_turn {
    struct selector joint;
    double degrees[3]; /* about x, y and z, -360..360 */
};
/* The weight of a morph target or an expression. */
struct request_weight {
    const char *name;
    double weight;
    bool is_expression;
};
enum { REQUEST_TURNS_MOST = 64, REQUEST_WEIGHTS_MOST = 256 };
/* Where the eyes look. */
struct request_look {
    uint32_t kind, padding; /* enum look_kind */
    double target[3];       /* yaw and pitch in degrees, or a point in scene space */
};

/* View parameters that need the model, or are given in other terms than picture_spec has. */
struct request_view {
    struct selector target;  /* the node to centre on, or absent */
    struct selector camera;  /* a camera of the file, or absent */
    struct selector joint;   /* the node of a view that shows a single joint, or absent */
    uint32_t box_numbers;    /* how many numbers of frame_box are given: 0 or 6 */
    int side, projection;    /* 1 + index of the word of camera= and of projection=, or 0; request->picture has the
                                resulting angles */
    const char *target_text; /* of a GET: path and query verbatim */
};

struct request_page {
    const char *address;       /* the server's address as visitors see it, "https://host/prefix/"; NULL: unknown */
    const char *picture_query; /* with address: the parameters of the query that /v1/render accepts too, verbatim,
                                  "&clip=walk&yaw=30" */
};

/* How an answer has textures, in the order of the words of the parameter. */
enum texture_form {
    TEXTURES_KEEP, /* as their own files, where the answer can hold those */
    TEXTURES_PNG,
    TEXTURES_JPEG,
    TEXTURES_WEBP,
    TEXTURES_NONE,
};

struct request_textures {
    enum texture_form form;
    uint32_t side_most; /* larger ones are reduced; 0: no limit */
    uint32_t quality;   /* of JPEG and WebP, 1 to 100; 0: not given */
};

/* What becomes of a clip's motion over the ground, in the order of the words of the parameter. */
enum export_root { EXPORT_ROOT_KEEP, EXPORT_ROOT_IN_PLACE, EXPORT_ROOT_TO_ROOT };

struct request_export {
    const struct selector *clips; /* clips of the file; empty: all */
    uint32_t clip_count;
    bool has_no_clips;
    enum glb_compression compression; /* of arrays */
    bool is_strict;                   /* unmatched parts of other files' clips are an error */
    bool is_exact;                    /* content that glTF cannot express is an error */
    bool is_optimized;                /* the file says the same in fewer bytes */
    bool has_up;
    uint32_t up;                  /* with has_up: the axis to become up, 0 to 2 for x to z */
    const char *clip_names;       /* name pattern for the clips of other files, with {file} and {clip}; or NULL */
    enum export_root root_motion; /* of its node: request->motion.root, or found by the server */
    double unit_m;                /* target length of a unit in metres; 0: unchanged */
    double sample_rate;           /* poses per second that replace the file's keys; 0: keeps the keys */
};

struct request_compare {
    const char *with; /* path of the old model, or NULL */
    bool has_tolerance;
    double tolerance; /* with has_tolerance: as a share of the model's size; of an OP_KEYPOINTS too */
};

/* Parameters of /v1/check: struct check_options (anim/check/check.h). Numbers are shares of the model's size. */
struct request_check {
    uint32_t loop, ground; /* enum check_loop, enum check_ground */
    double max_jump, max_drift, least_motion;
};

/* Parameters of /v1/flex, with view.joint. */
enum { REQUEST_ANGLES_MOST = 8 };
struct request_flex {
    double angles_deg[REQUEST_ANGLES_MOST]; /* [angle_count], above 0 to 180 */
    uint32_t angle_count;                   /* 0: not given */
};

/* Parameters of /v1/models. */
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

/* A point of the body of an OP_KEYPOINTS. */
struct request_point {
    const char *name;      /* or NULL */
    struct selector thing; /* the joint, or the mesh */
    struct selector node;  /* of a mesh: the node that shows it, or absent */
    double place[3];       /* in the joint's space, or weights of the triangle's corners, whose sum is 1 */
    uint32_t primitive, triangle;
    bool is_on_surface;
};
/* Which points an OP_KEYPOINTS looks for, beside pose.joints: in this order after them. In the order of the words of
 * body=. */
enum keypoint_body { BODY_ROLES, BODY_OPENPOSE };
struct request_keypoints {
    bool has_all;  /* all nodes, before the others */
    bool has_body; /* points of a human: */
    uint32_t body; /* enum keypoint_body */
    const struct request_point *points;
    uint32_t point_count;
};

/* Memory for the other lists; private to wire/request. */
struct request_lists {
    struct buf skins, clips;      /* struct selector */
    struct buf renames;           /* struct name_rule */
    struct buf files;             /* const char * */
    struct buf bones, clip_bones; /* struct humanoid_rule */
    struct buf turns;             /* struct request_turn */
    struct buf shown;             /* struct request_weight */
    struct buf points;            /* struct request_point */
};

/* request_fields.def has a row for each value that affects the answer, and for each list. */
struct request {
    enum op op;
    bool is_head;      /* HEAD: the response has no body */
    bool is_delete;    /* DELETE, not PUT */
    bool is_verbose;   /* /readyz */
    bool is_estimate;  /* report how long the answer would take instead of making it */
    const char *model; /* path relative to the root (for an upload: relative to the uploads folder; for an asset: its
                          name). It is validated: relative, no "..", no NUL, UTF-8. NULL: a crowd without a model */
    const char *hash;  /* 64 lower-case hex digits, or NULL */
    struct request_source *sources; /* every distinct clip_file of the request and its layers, or compare.with; has room
                                       for REQUEST_SOURCES_MAX, NULL while empty */
    uint32_t source_count;
    char *const *files; /* the clip files of an operation that accepts several */
    uint32_t file_count;
    uint32_t clip_file_count; /* for a picture of several cells: the first clip_file_count sources supply its clips */
    enum format format;       /* from format= or Accept */
    struct request_pose pose;
    struct request_retarget retarget;
    const struct selector *skins; /* empty: all skins */
    uint32_t skin_count;
    enum space space;
    struct selector mesh; /* with space=mesh the mesh node; for vertices the only mesh */
    enum layout layout;
    unsigned what;  /* WHAT_ bits */
    unsigned paths; /* bits of enum channel_path, and of PATH_COUNT for property channels; 0: all */
    struct request_vertices vertices;
    uint32_t texture;
    struct request_textures textures; /* of FORMAT_GLB and OP_TEXTURE */
    struct selector variant;          /* of pictures and meshes: the material variant, or absent */
    struct request_motion motion;
    struct request_bounds bounds;
    struct picture_spec picture; /* also for each cell of a sheet; without target_node and camera */
    double t2_s;                 /* with PASS_MOTION: the time that it leads to */
    struct request_view view;
    const struct request_turn *turns; /* turn= */
    uint32_t turn_count;
    const struct request_weight *shown; /* morph= and expression= */
    uint32_t shown_count;
    struct request_look look;     /* look= */
    struct request_given *on_top; /* made of these: a given pose after the clip or the layers; or NULL */
    const char *environment; /* of a picture: path of the environment file, or NULL. For /v1/environment `model` is the
                                same path, or NULL */
    struct sheet_spec sheet; /* format and quality apply to a single picture too */
    struct request_page page;
    struct request_export export;
    enum find_what find; /* the kind of `found` */
    struct selector found;
    struct request_compare compare;
    struct request_check check;
    struct request_flex flex;
    struct request_keypoints keypoints;
    struct request_listing listing;
    struct request_hits hits;
    struct request_query *queries; /* the queries of a batch */
    uint32_t query_count;
    struct crowd_request *crowd; /* of a crowd; the request's models are those of the crowd that have a path */
    const char *if_none_match;   /* the header of a GET or HEAD, or NULL */
    char canonical[24]; /* 16 hex digits: the hash of op and all parameter values in a fixed order. The ETag consists of
                           it and the model's content hash */
    uint64_t canonical_rest; /* private to request_canonical.c: the same hash without the times */
    struct request_lists lists;
};

/* One query of a batch. It is valid when err.code is 0. */
struct request_query {
    struct request request;
    struct err err;
};

/* The parts of an HTTP request that the parser needs. An absent header is NULL. */
struct request_head {
    const char *method; /* "GET" */
    const char *target; /* "/v1/palette?model=fox.glb&t=0.5", size_bytes long */
    size_t target_bytes;
    const char *accept;
    const char *if_none_match;
    const char *content_type;
    const char *host; /* these and the X-Forwarded-Proto, -Host and -Prefix of a proxy, for OP_MODEL_PAGE: */
    const char *forwarded_proto, *forwarded_host, *forwarded_prefix;
    const char *body; /* body_bytes bytes, of a POST */
    size_t body_bytes;
    const char *model; /* replaces the parameter `model`, which is then absent; for packets */
    const char *hash;  /* likewise replaces `hash`; only with a model */
};

void request_init(struct request *request);
void request_fini(struct request *request);
void request_pose_fini(struct request_pose *pose);

/* Memory that its queries, or its entities and their layers, hold. It may be hundreds of times the size of the body. */
size_t request_parts_bytes(const struct request *request);

/* Fills *request from an HTTP request line and headers. It decodes percent-escapes and '+', splits repeated and
 * comma-separated times, and expands ranges start:end:fps. On failure the message names the parameter, and for an
 * unknown one the nearest known name. The JSON body of a POST has the same parameters under the same names as a query;
 * a list stands for repetitions. So a GET and a POST of the same meaning have the same canonical hash. Returns 0,
 * ERR_NOT_FOUND, ERR_METHOD_NOT_ALLOWED, ERR_UNKNOWN_PARAMETER, ERR_BAD_PARAMETER, ERR_DUPLICATE_PARAMETER,
 * ERR_MISSING_PARAMETER, ERR_BAD_PATH, ERR_TOO_MANY_FRAMES, ERR_NO_MEMORY, and for bodies ERR_BAD_REQUEST,
 * ERR_BODY_TOO_LARGE or ERR_UNSUPPORTED_MEDIA_TYPE. */
int request_parse(struct request *request, const struct request_head *head, const struct limits *limits,
                  struct err *err);

/* Replaces the time of a request with one time. It does not update the canonical hash. */
static inline void request_set_time(struct request *request, double time_s)
{
    memcpy(request->pose.lists.times.data, &time_s, sizeof time_s);
}
/* Updates the canonical hash after request_set_time(). */
void request_set_canonical_times(struct request *request);

/* True when the request specifies the hash of every file that it uses, so its answer never changes. */
static inline bool request_names_content(const struct request *request)
{
    bool is_named = request->hash != NULL;
    for (uint32_t i = 0; i < request->source_count; i++)
        is_named = is_named && request->sources[i].hash != NULL;
    return is_named && request->environment == NULL;
}

/* Completes the list of models of an OP_CROWD, once each has a path or an error: validates the paths and moves them
 * into the request. */
int request_complete_crowd(struct request *request, struct err *err);
/* Stores why a model of the request (0: its own, n: sources[n - 1]) is unavailable, as the error of its entities. */
void request_miss_crowd_model(const struct request *request, uint32_t slot, const struct err *err);

/* True when the camera stands where the file or the request has it, and is not placed around the model. */
static inline bool request_has_own_camera(const struct request *request)
{
    return request->view.camera.kind != SELECT_NONE || request->picture.given.kind != PICTURE_CAMERA_NONE;
}

/* The words that camera= accepts besides cameras of the file, for messages. */
extern const char REQUEST_SIDES[];

/* True when the answer shows points of a human, so the server must know which nodes are its bones. */
static inline bool request_has_body(const struct request *request)
{
    return request->keypoints.has_body || (op_has(request->op, OP_PICTURE) && request->picture.view == VIEW_OPENPOSE);
}

/* True when the answer contains textures of the model as picture files. */
static inline bool request_has_textures(const struct request *request)
{
    return request->op == OP_TEXTURE || (request->format == FORMAT_GLB && request->textures.form != TEXTURES_NONE);
}

/* True when the answer depends on pixels of the model's textures. */
static inline bool request_needs_pixels(const struct request *request)
{
    return op_has(request->op, OP_PIXELS) || request_has_textures(request);
}
