/* cost.h - how long an answer takes, about, before it is made: whether a loop makes it, or a work thread; and what
 * estimate=1 tells. Each operation has a function of its own (wire/operations/operations.def), beside its body.
 *
 * A cost is the processor time, in ns. `make costs` measures the constants on this machine. Pure; any thread. */
#pragma once

#include "wire/request/request.h"

/* A request and what it is about. Borrowed. */
struct cost_input {
    const struct request *request;
    const struct model *model;          /* NULL: it is not there */
    const struct model *const *sources; /* [request->source_count] */
};

typedef double cost_fn(const struct cost_input *input);
typedef uint64_t least_bytes_fn(const struct cost_input *input);
struct reply_context;
typedef uint64_t bytes_fn(const struct reply_context *context);

/* What adds up much stops when it has this: the answer is made by a work thread. */
#define COST_ENOUGH_NS 2000000

enum {
    COST_QUERY_NS = 2500,         /* a query of a batch beside its answer: reading, finding, wrapping, sending it */
    COST_NODE_NS = 300,           /* sampling and multiplying a node, or binary output of a joint or another thing */
    COST_PRINTED_NODE_NS = 650,   /* the same with its output as JSON */
    COST_VERTEX_NS = 100,         /* moving a vertex */
    COST_PRINTED_VERTEX_NS = 300, /* and its output as JSON */
    COST_LOOK_NS = 2,             /* reading a vertex, weight, morph delta, name or channel */
    COST_PIXEL_BYTE_NS = 10,      /* compressing a byte of a texture */
    COST_KEY_NS = 60,             /* JSON of a time or a value of a key */
    COST_INFLUENCE_NS = 60,       /* JSON of the joint and the weight of an influence */
    COST_TEXT_BYTE_NS = 4,        /* JSON of a byte of text */
    COST_LIKENESS_BYTE_NS = 4,    /* how like a name is to one that is not there, for each byte */
    COST_PARTNER_NS = 500,        /* finding the partner of a node in another file */
    COST_RULE_NS = 5,             /* trying a rule on the name of a node */
    COST_REPORT_NS = 20,          /* whether a node has a partner */
    COST_FIT_NS = 2000,           /* fitting volumes to a vertex, once for each content */
    COST_ORDER_NS = 400,          /* ordering an index of a mesh for rays, once for each content */
    COST_BOX_NS = 2,              /* the boxes of a pose, for each index */
    COST_RAY_NS = 200,            /* beginning with a ray */
    COST_DRAW_NS = 30,            /* a draw that a ray may miss */
    COST_HIT_NS = 150,            /* sorting a hit and its binary output */
    COST_JSON_HIT_NS = 2500,      /* the same as JSON, without its names */
    COST_CAST_ENTITY_NS = 300,    /* an entity of a raycast */
    COST_CAST_JOINT_NS = 50,      /* and each of its nodes */
    COST_ENTITY_NS = 2000,        /* checking an entity of a crowd and, where it is wrong, saying why */
    COST_LAYER_NS = 50,           /* a layer of it */
    COST_MASK_NODE_NS = 5,        /* a node of the layer's mask */
    COST_CROWD_JOINT_NS = 20,     /* a joint of its skin */
    COST_FOUND_NS = 1,            /* a clip of another file, among those that were found before */
    COST_CROWD_STEP_NS = 60,      /* a node of a layer of a crowd */
    COMPARED_BYTES_PER_NS = 8,    /* of a name that is looked for */
    COPIED_BYTES_PER_NS = 4,      /* of what is retargeted */
    COST_CLIP_POSES = 1000,       /* poses of a whole clip: its keys are not counted */
    COST_COMPARED_POSES = 400,    /* poses of a model that is compared */
    COST_IMPORT_NS = 50000000,    /* an import */
    COST_CELL_NS = 3000000,       /* drawing a cell of a picture, */
    COST_TRIANGLE_NS = 300,       /* each of its triangles */
    COST_PIXEL_NS = 30,           /* and of its pixels */
    COST_CAMERA_POSE_NS = 50000,  /* a pose that the camera must show in another cell */
    COST_CAMERA_TRIANGLE_NS = 10, /* and each of its triangles */
};

/* Everything that /v1/model lists or adds up. */
double cost_of_list(const struct model *model);
/* Printing the text of a model. */
double cost_of_text(const struct model *model);
/* Finding what the request, its layers and their references name, in the model and in all sources; and the partners
 * of the model's nodes in the sources. */
double cost_of_lookup(const struct cost_input *input);
/* Finding what a pose of an entity names, in its own model. */
double cost_of_names(const struct cost_input *input, const struct request_pose *pose, const struct model *model);
/* The textures in an answer. */
double cost_of_textures(const struct cost_input *input);
