/* workspace.h - memory that making replies takes, kept from one request to the next. Pure; any thread with its own. */
#pragma once

#include "anim/entity/crowd.h"
#include "anim/hits/hit_mesh.h"
#include "wire/encode/glb.h"
#include "wire/reply/clip_select.h"
#include "wire/reply/retargeted_clip_store.h"

/* What a reply took of what a request may have: of LIMIT_FRAMES, LIMIT_EVALUATIONS and LIMIT_BOUNDS_VERTICES. */
struct reply_cost {
    uint64_t frames, evaluations, vertices;
    uint64_t hits_ns; /* processor time of what rays met, about: it shows only once they are cast */
};

/* How replies come by clips of other files. */
struct retargeted_clip_access {
    struct retargeted_clip_store *store; /* the owner's, or NULL */
    bool is_only_there;                  /* none is made, because that takes long: a reply that needs one fails, */
    bool is_missing;                     /* and says so here */
};

struct workspace {
    struct reply_cost cost;         /* of the last reply, once it is made without an error */
    const _Atomic bool *is_stopped; /* the owner's, or NULL: once true, the reply under way is not needed any more and
                                       ends soon, as some error */
    uint64_t work_ns_most; /* the owner's: casting rays may take so long, about; 0: as long as it takes. Else the reply
                              is some error, */
    bool is_too_long;      /* and this says so */
    struct retargeted_clip_access retargeted_clips;
    struct entity_work entity;         /* evaluates poses */
    struct resolved_layers layers;     /* of requests with layers */
    struct resolved_layers end_layers; /* of the second pose of an entity */
    struct crowd_work crowd;
    struct hit_scene scene; /* of raycasts, like the next one */
    struct mesh_work mesh_hits;
    struct hit_list hits;
    union {
        struct {
            struct buf selection;  /* uint32_t: which skins, nodes or draws */
            struct buf blocks;     /* struct frames_block, or struct glb_primitive */
            struct buf palette;    /* struct mat4 of one skin */
            struct buf parts;      /* struct skin_part of one skin */
            struct buf vertices;   /* struct vec3 or vec4, those of one primitive */
            struct buf floats;     /* a palette in another layout than mat4 */
            struct buf moved;      /* of motion.c */
            struct buf places;     /* uint32_t: of body_glb.c */
            struct glb_writer glb; /* likewise; four buffers first */
        };
        struct buf bufs[12]; /* all of them */
    };
};
void workspace_init(struct workspace *workspace);
void workspace_fini(struct workspace *workspace);
/* Frees what one huge model made large. */
void workspace_trim(struct workspace *workspace);
/* Memory that it holds. */
size_t workspace_held_bytes(const struct workspace *workspace);

/* An array of `count` items in `buf`, whose former content is dropped; NULL: no memory. */
void *workspace_array(struct buf *buf, size_t count, size_t item_bytes);
