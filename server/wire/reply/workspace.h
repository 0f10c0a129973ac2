/* workspace.h - memory for making replies, reused from request to request. Pure; any thread with its own. */
#pragma once

#include "anim/entity/crowd.h"
#include "anim/hits/hit_mesh.h"
#include "anim/pose/appearance.h"
#include "wire/encode/glb.h"
#include "wire/picture/own_pictures.h"
#include "wire/reply/clip_select.h"
#include "wire/reply/retargeted_clip_store.h"

/* What a reply used of LIMIT_FRAMES, LIMIT_EVALUATIONS and LIMIT_BOUNDS_VERTICES. */
struct reply_cost {
    uint64_t frames, evaluations, vertices;
    uint64_t hits_ns; /* approximate processor time of ray hits, known only after the rays are cast */
};

/* How replies obtain clips of other files. */
struct retargeted_clip_access {
    struct retargeted_clip_store *store; /* the owner's, or NULL */
    bool is_only_there; /* makes none, because that takes long: a reply that needs a missing clip fails */
    bool is_missing;    /* and sets this */
};

struct workspace {
    struct reply_cost cost;         /* of the last reply, valid if it is not an error */
    const _Atomic bool *is_stopped; /* the owner's, or NULL: once true, the current reply is cancelled and soon ends as
                                       an arbitrary error */
    uint64_t work_ns_most; /* set by the owner: approximate time limit for casting rays; 0: no limit. Beyond it the
                              reply is an arbitrary error */
    bool is_too_long;      /* and this is true */
    struct retargeted_clip_access retargeted_clips;
    const struct own_pictures *pictures; /* of the model's textures, as request_has_textures() needs; or NULL */
    struct entity_work entity;           /* evaluates poses */
    struct appearance looks;             /* of what=materials */
    struct resolved_layers layers;       /* of requests with layers */
    struct resolved_layers end_layers;   /* for the second pose of an entity */
    struct crowd_work crowd;
    struct hit_scene scene; /* this and the next one are for raycasts */
    struct mesh_work mesh_hits;
    struct hit_list hits;
    union {
        struct {
            struct buf selection;  /* uint32_t: indices of skins, nodes or draws */
            struct buf blocks;     /* struct frames_block, or struct glb_primitive */
            struct buf palette;    /* struct mat4 of one skin */
            struct buf parts;      /* struct skin_part of one skin */
            struct buf vertices;   /* struct vec3 or vec4 of one primitive */
            struct buf floats;     /* a palette in a layout other than mat4 */
            struct buf moved;      /* of motion.c */
            struct buf places;     /* uint32_t: of body_glb.c */
            struct glb_writer glb; /* likewise; begins with four buffers */
        };
        struct buf bufs[12]; /* all of them */
    };
};
void workspace_init(struct workspace *workspace);
void workspace_fini(struct workspace *workspace);
/* Frees memory that a huge model required. */
void workspace_trim(struct workspace *workspace);
/* Returns the memory that it holds. */
size_t workspace_held_bytes(const struct workspace *workspace);

/* Resizes `buf` to `count` items, dropping its content, and returns them. NULL: out of memory. */
void *workspace_array(struct buf *buf, size_t count, size_t item_bytes);
