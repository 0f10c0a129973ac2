/* cost.h - estimates the time of an answer before it is made. The estimate decides whether an event loop or a work
 * thread makes the answer, and estimate=1 reports it. Each operation has its own cost function next to its body
 * (wire/operations/operations.def).
 *
 * A cost is processor time in ns. `make costs` measures the constants on this machine. Pure; any thread. */
#pragma once

#include "wire/request/request.h"

/* A request and its models. Borrowed. */
struct cost_input {
    const struct request *request;
    const struct model *model;          /* NULL when missing */
    const struct model *const *sources; /* [request->source_count] */
};

typedef double cost_fn(const struct cost_input *input);
typedef uint64_t least_bytes_fn(const struct cost_input *input);
struct reply_context;
typedef uint64_t bytes_fn(const struct reply_context *context);

/* An estimate may stop summing at this cost: a work thread makes the answer in any case. */
#define COST_ENOUGH_NS 2000000

enum {
    COST_QUERY_NS = 2500,         /* a query of a batch apart from its answer: parsing, lookup, framing, sending */
    COST_NODE_NS = 300,           /* sampling and multiplying a node; binary output of a joint or a similar item */
    COST_PRINTED_NODE_NS = 650,   /* the same with JSON output */
    COST_VERTEX_NS = 100,         /* deforming a vertex */
    COST_PRINTED_VERTEX_NS = 300, /* and its JSON output */
    COST_LOOK_NS = 2,             /* reading a vertex, weight, morph delta, name or channel */
    COST_PIXEL_BYTE_NS = 10,      /* compressing a byte of a texture */
    COST_KEY_NS = 60,             /* JSON of a time or a value of a key */
    COST_INFLUENCE_NS = 60,       /* JSON of the joint and the weight of an influence */
    COST_TEXT_BYTE_NS = 4,        /* JSON of a byte of text */
    COST_LIKENESS_BYTE_NS = 4,    /* comparing a name with a missing one, per byte */
    COST_PARTNER_NS = 500,        /* finding the partner of a node in another file */
    COST_RULE_NS = 5,             /* trying a rule on the name of a node */
    COST_REPORT_NS = 20,          /* checking whether a node has a partner */
    COST_FIT_NS = 2000,           /* fitting volumes to a vertex, once per content */
    COST_ORDER_NS = 400,          /* sorting a mesh index for rays, once per content */
    COST_BOX_NS = 2,              /* computing the boxes of a pose, per index */
    COST_VOLUME_NS = 2000,        /* JSON of a node and its volume */
    COST_RAY_NS = 200,            /* starting a ray */
    COST_DRAW_NS = 30,            /* a draw that a ray may miss */
    COST_HIT_NS = 150,            /* sorting a hit and its binary output */
    COST_JSON_HIT_NS = 2500,      /* the same with JSON output, without names */
    COST_CAST_ENTITY_NS = 300,    /* an entity of a raycast */
    COST_CAST_JOINT_NS = 50,      /* each of its nodes */
    COST_ENTITY_NS = 2000,        /* checking an entity of a crowd and, if it is wrong, reporting why */
    COST_LAYER_NS = 50,           /* a layer of it */
    COST_MASK_NODE_NS = 5,        /* a node of the layer's mask */
    COST_GIVEN_NODE_NS = 100,     /* checking a node of a given pose, once for each model */
    COST_GIVEN_NAME_NS = 60,      /* looking for a name of the model among those of a given pose */
    COST_GIVEN_VALUE_NS = 5,      /* resolving and checking a number of a given pose, or a bind of its expressions */
    COST_CROWD_JOINT_NS = 20,     /* a joint of its skin */
    COST_FOUND_NS = 1,            /* looking up a clip of another file among those found before */
    COST_CROWD_STEP_NS = 60,      /* a node of a layer of a crowd */
    COMPARED_BYTES_PER_NS = 8,    /* of a name being looked up */
    COPIED_BYTES_PER_NS = 4,      /* of data being retargeted */
    COST_CLIP_POSES = 1000,       /* poses assumed for a whole clip; its keys are not counted */
    COST_COMPARED_POSES = 400,    /* poses of a compared model */
    COST_IMPORT_NS = 50000000,    /* an import */
    COST_CELL_NS = 3000000,       /* drawing a cell of a picture, */
    COST_TRIANGLE_NS = 300,       /* each of its triangles */
    COST_PIXEL_NS = 30,           /* and of its pixels */
    COST_CAMERA_POSE_NS = 50000,  /* a pose that the camera must frame in another cell */
    COST_CAMERA_TRIANGLE_NS = 10, /* and each of its triangles */
};

/* Estimates the work for everything that /v1/model lists or sums up. */
double cost_of_list(const struct model *model);
/* Estimates printing the text of a model. */
double cost_of_text(const struct model *model);
/* Estimates resolving the names of the request, its layers and their references, in the model and in all sources, and
 * matching the nodes of the model with the sources. */
double cost_of_lookup(const struct cost_input *input);
/* Estimates resolving the names of an entity's pose in its own model. */
double cost_of_names(const struct cost_input *input, const struct request_pose *pose, const struct model *model);
/* Estimates the textures of an answer. */
double cost_of_textures(const struct cost_input *input);
