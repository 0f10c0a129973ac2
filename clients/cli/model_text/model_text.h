/* model_text.h - writes a model as lines of text, for `git diff`. The lines change only if the model does. Each line
 * names its subject: the node, the clip, the time. Numbers are rounded to hide the differences that another program
 * makes in the last digits. One thread. */
#pragma once

#include "clients/cli/output/json.h"
#include "clients/cli/server/connection.h"

#include <stdint.h>

/* What the parts work with. */
struct model_text {
    struct connection *connection;
    const char *path;   /* the model's path under the server's root */
    const cJSON *model; /* the answer of /v1/model */
    size_t node_count;
    const cJSON **nodes; /* [node_count], of the model. All arrays below have this size. */
    int64_t *parents;    /* -1: none */
    char **labels;       /* unique names: with the parent's name or a number where the name alone is not unique */
    size_t *order;       /* in which the nodes are written: the first ordered_count */
    size_t ordered_count;
    double *rest;       /* [node_count][10]: as in /v1/pose?what=local; NaN: unknown */
    int place_decimals; /* decimals of places and distances; -n rounds to multiples of 10^n */
    struct text *out;
};

/* Appends the text of the model. Returns 0, or an enum posed_status with the message in connection->posed.error. */
int model_text_put(struct connection *connection, const char *path, struct text *out);

/* --- the parts --- */

/* model_text_labels.c: finds the nodes of the answer, their labels and their order. */
void model_text_find_nodes(struct model_text *text);
void model_text_free_nodes(struct model_text *text);
/* model_text_nodes.c: puts nodes with their rest pose, skins, cameras, lights. */
void model_text_ask_rest(struct model_text *text);
void model_text_put_nodes(struct model_text *text);
/* model_text_clips.c: puts clips, their markers, and how each clip moves the nodes. */
void model_text_put_clips(struct model_text *text);
/* model_text_weights.c: puts the morph weights and visibilities of one clip, which lines call `name`. */
void model_text_put_weights(const struct model_text *text, const char *name, int clip);
/* model_text_surfaces.c: puts meshes, materials and textures. */
void model_text_put_surfaces(struct model_text *text);

/* Puts the name of the thing as people see it, or "-" if it has none. */
void model_text_put_name(struct text *out, const cJSON *thing);

/* --- rounded.c: numbers without the noise of their last digits --- */

/* Returns how many decimals a model of this size needs for a precision of about a ten thousandth. Sizes within a factor
 * of up to a hundred share a precision, so that a model that grows a little does not change in every line. */
int rounded_place_decimals(double size);
/* Appends " 0.25", without zeros at the end. */
void rounded_put(struct text *out, double value, int decimals);
void rounded_put_all(struct text *out, const double *values, size_t count, int decimals);
/* Converts a rotation to its axis times its angle in degrees. A quaternion and its opposite give the same result. */
void rounded_turn(const double quaternion[4], double out[3]);
/* The parts of a transform of 10 numbers, as in model_text.rest. */
enum { PART_TRANSLATION, PART_ROTATION, PART_SCALE, PART_COUNT };
/* Appends " translation 0 1 0", with the part's name. */
void rounded_put_part(struct text *out, const double transform[10], int part, int place_decimals);
