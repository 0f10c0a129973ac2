/* collada.h - the node transforms and animations of a COLLADA file, in double precision.
 *
 * The nodes come from the visual scene that <scene> instances, in this order: a node, its own children, then the nodes
 * that it instances. Spaces and units are the file's. One thread. */
#pragma once

#include "import/collada/collada_curve.h"
#include "import/collada/collada_xml.h"

#include "anim/bake/bake.h"
#include "base/limits.h"

enum collada_kind {
    COLLADA_MATRIX,    /* 16 values, row-major */
    COLLADA_TRANSLATE, /* x y z */
    COLLADA_ROTATE,    /* axis x y z, angle in degrees */
    COLLADA_SCALE,     /* x y z */
    COLLADA_LOOKAT,    /* eye, point of interest, up */
    COLLADA_SKEW,      /* angle in degrees, axis of rotation, axis of translation */
};

/* One element of a node's transform: parent_from_node is their product in order. */
struct collada_step {
    enum collada_kind kind;
    uint32_t element; /* in xml */
    double values[16];
};

struct collada_node {
    uint32_t element; /* <node> or <visual_scene> */
    uint32_t parent;  /* among nodes, XML_NONE for the scene itself */
    uint32_t step_first, step_count;
};

/* A sampler drives values first .. first + count - 1 of a transform element or of an array of morph weights. */
struct collada_channel {
    uint32_t element; /* the transform element, or the <source> of weights */
    uint32_t first, count;
    uint32_t sampler;
    uint32_t place; /* the <channel> element, which gives its <animation> */
};

struct collada_clip {
    const char *name;                      /* or NULL */
    double start_s, end_s;                 /* range on the file's timeline; both are 0 for all of it */
    uint32_t channel_first, channel_count; /* in clip_channels */
};

struct collada {
    struct xml xml;
    struct collada_node *nodes; /* [0] is the visual scene */
    struct collada_step *steps;
    struct collada_sampler *samplers;
    struct collada_channel *channels; /* sorted by element, then by place */
    struct collada_clip *clips;
    uint32_t *clip_channels; /* into channels, rising within a clip */
    uint32_t node_count, step_count, sampler_count, channel_count, clip_count, clip_channel_count;
};

/* Reads a file. `name` is its own name, by which its references may call it, or "". Channels that are unreadable or
 * have an unknown target become warnings of the builder. Returns 0, ERR_BAD_MODEL, ERR_MODEL_LIMIT or
 * ERR_IMPORT_MEMORY; on failure *collada is empty. */
int collada_read(struct collada *collada, const char *name, const uint8_t *bytes, size_t size_bytes,
                 const struct limits *limits, struct bake_builder *builder, struct err *err);
void collada_fini(struct collada *collada);

/* Whether a clip takes all of the file's timeline. */
bool collada_clip_is_whole(const struct collada_clip *clip);

/* --- steps of collada_read() --- */

/* A kind of transform element. */
struct step_kind {
    const char *tag;
    enum collada_kind kind;
    uint32_t value_count;
};

/* Returns NULL if the element is not a transform. */
const struct step_kind *step_kind_of(const struct xml *xml, uint32_t element);
/* Refuses files that are not COLLADA or have an unsupported version. Returns 0, ERR_NOT_A_MODEL or ERR_BAD_MODEL. */
int collada_version(const struct xml *xml, struct err *err);
/* Fills nodes and steps. */
int collada_scene(struct collada *collada, const struct limits *limits, struct bake_builder *builder, struct err *err);
/* Reads a <sampler>; warnings name the channel's target. Returns 0, ERR_BAD_MODEL or ERR_IMPORT_MEMORY; on failure
 * *sampler is empty. */
int collada_sampler(const struct xml *xml, uint32_t element, const char *target, struct collada_sampler *sampler,
                    struct bake_builder *builder, struct err *err);
/* The resolved target of a <channel> (COLLADA 1.4.1, chapter 3, "Address syntax"): an id, then sids down to an element,
 * then optionally one value of it: "bone/rotateX.ANGLE", "bone/matrix(3)(0)", "weights(2)". */
struct collada_target {
    uint32_t element; /* a transform element, or a <source> */
    int32_t value;    /* index of one value, or -1: all */
};

/* Resolves a target. Returns false if it is neither a transform element nor a source of morph weights, or if the value
 * does not exist. */
bool target_find(const struct xml *xml, const char *target, struct collada_target *found);

/* --- collada_values.c: lists of numbers and names, and the layout of <source> elements --- */

/* Writes at most `limit` numbers to out. Returns the number of all values, or -1 if one is not a finite number. */
int values_fixed(const char *text, double *out, int limit);

/* The rows of an accessor. */
struct value_rows {
    double *values; /* [count * width]; heap */
    uint32_t count, width;
};

/* Reads the numbers of the <source> that attribute `attribute` of `element` names. Returns 0, ERR_BAD_MODEL or
 * ERR_IMPORT_MEMORY; on failure *rows is empty. */
int rows_read(const struct xml *xml, uint32_t element, const char *attribute, struct value_rows *rows, struct err *err);
/* Does the same for the columns with a named <param>; a non-finite value becomes NAN. */
int columns_read(const struct xml *xml, uint32_t element, const char *attribute, struct value_rows *rows,
                 struct err *err);
void rows_fini(struct value_rows *rows);

/* Integers on the heap. */
#define INDEX_NONE UINT32_MAX
struct index_list {
    uint32_t *items;
    size_t count, capacity;
};

/* Appends the integers of an element's text; -1 becomes INDEX_NONE. Returns 0 or ERR_BAD_MODEL. */
int indices_read(const struct xml *xml, uint32_t element, struct index_list *list, struct err *err);

/* Reads a <source> of names and calls take() for each in order. Returns their number, or ERR_BAD_MODEL. */
typedef void take_name(void *user, uint32_t index, const char *name, size_t size_bytes);
int64_t names_read(const struct xml *xml, uint32_t element, const char *attribute, take_name *take, void *user,
                   struct err *err);
