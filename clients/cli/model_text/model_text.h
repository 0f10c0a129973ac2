/* model_text.h - a model as lines of text that stay the same while the model does, for `git diff`. Each line says by
 * itself what it is about: the node, the clip, the time. Numbers are rounded, so that what another program wrote in the
 * last digits does not show. One thread. */
#pragma once

#include "clients/cli/output/json.h"
#include "clients/cli/server/connection.h"

#include <stdint.h>

/* What the parts work with. */
struct model_text {
    struct connection *connection;
    const char *path;   /* of the model under the server's root */
    const cJSON *model; /* the answer of /v1/model */
    size_t node_count;
    const cJSON **nodes; /* of the model, [node_count] as all of these */
    int64_t *parents;    /* -1: none */
    char **labels;       /* names, with the parent's or a number where that is not unique */
    size_t *order;       /* in which they are written: the first ordered_count */
    size_t ordered_count;
    double *rest;       /* [node_count][10]: as in /v1/pose?what=local; NaN where it is not told */
    int place_decimals; /* of places and distances: how many follow the point; below 0: so many whole digits are 0 */
    struct text *out;
};

/* Appends the text of the model. Returns 0, or an enum posed_status with connection->posed.error. */
int model_text_put(struct connection *connection, const char *path, struct text *out);

/* --- the parts --- */

/* model_text_labels.c: the nodes of the answer, what they are called and in which order they come. */
void model_text_find_nodes(struct model_text *text);
void model_text_free_nodes(struct model_text *text);
/* model_text_nodes.c: nodes with their rest pose, skins, cameras, lights. */
void model_text_ask_rest(struct model_text *text);
void model_text_put_nodes(struct model_text *text);
/* model_text_clips.c: clips, their markers, and how each moves the nodes. */
void model_text_put_clips(struct model_text *text);
/* model_text_weights.c: weights of morph targets and visibilities of one clip, which lines call `name`. */
void model_text_put_weights(const struct model_text *text, const char *name, int clip);
/* model_text_surfaces.c: meshes, materials and textures. */
void model_text_put_surfaces(struct model_text *text);

/* The thing's name as people see it; "-" where it has none. */
void model_text_put_name(struct text *out, const cJSON *thing);

/* --- rounded.c: numbers without the noise of their last digits --- */

/* As many decimals as a model of this size needs: about a ten thousandth of it, the same for sizes that are up to a
 * hundred times apart, because a model that grows a little must not change in every line. */
int rounded_place_decimals(double size);
/* Appends " 0.25", without zeros at the end. */
void rounded_put(struct text *out, double value, int decimals);
void rounded_put_all(struct text *out, const double *values, size_t count, int decimals);
/* A turn as its axis times its angle in degrees, which says the same for a quaternion and its opposite. */
void rounded_turn(const double quaternion[4], double out[3]);
/* The parts of a transform of 10 numbers, as above. */
enum { PART_TRANSLATION, PART_ROTATION, PART_SCALE, PART_COUNT };
/* Appends " translation 0 1 0", with the part's name. */
void rounded_put_part(struct text *out, const double transform[10], int part, int place_decimals);
