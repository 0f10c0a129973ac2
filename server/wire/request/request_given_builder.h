/* request_given_builder.h - collects a given pose frame by frame (request_given.h). Private to wire/request. Pure. */
#pragma once

#include "wire/request/request_given.h"

/* The numbers of one node in the frame that is being read. */
struct given_row {
    uint32_t parts;     /* GIVEN_ */
    double numbers[10]; /* translation, rotation, scale */
};

struct given_builder {
    struct request_given *given; /* owned until given_builder_take() */
    const struct limits *limits;
    struct given_row *rows; /* [given->node_count], of the current frame */
    double *weights;        /* [given->weight_count], NaN where the frame says nothing */
    struct buf times, values;
    size_t text_bytes, text_capacity;
};

/* Starts a pose with names of `text_bytes` bytes in all, NULs included. Returns 0 or ERR_NO_MEMORY; end it with
 * given_builder_fini() in any case. */
int given_builder_init(struct given_builder *builder, size_t text_bytes, const struct limits *limits, struct err *err);
void given_builder_fini(struct given_builder *builder);

/* Copies a name. */
const char *given_builder_text(struct given_builder *builder, const char *text);

/* Make room for the lists, before any row. */
int given_builder_reserve(struct given_builder *builder, uint32_t node_count, uint32_t weight_count, struct err *err);

/* Sets one part of a node in the current frame: 3 or 4 numbers. Returns 0, or ERR_DUPLICATE_PARAMETER where the frame
 * has it already. */
int given_builder_put(struct given_builder *builder, uint32_t node, uint32_t part, const double *numbers,
                      struct err *err);

/* Ends the current frame. The first frame decides what each node gives; a later one that gives something else is an
 * error. Times rise. */
int given_builder_end_frame(struct given_builder *builder, double time_s, struct err *err);

/* Ends the pose. */
int given_builder_take(struct given_builder *builder, struct request_given **out, struct err *err);

/* Writes the node of a message: "node 3 'head'", by index or name. */
enum { GIVEN_NODE_TEXT = 80 };
const char *given_node_text(const struct request_given_node *node, char text[GIVEN_NODE_TEXT]);

/* --- request_given_names.c --- */

/* Returns a member of an object, or NULL. */
struct cJSON;
const struct cJSON *given_member(const struct cJSON *object, const char *name);

/* Returns how many bytes the names of a pose in JSON need. */
size_t given_names_bytes(const struct cJSON *pose);

/* Takes the names of nodes, morph targets and expressions, and makes room for their numbers. */
int given_take_names(struct given_builder *builder, const struct cJSON *pose, struct err *err);
