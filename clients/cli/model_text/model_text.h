/* model_text.h - writes a model as lines of text, for `git diff`. The lines change only if the model does. Each line
 * names its subject: the node, the clip, the time. Numbers are rounded to hide the differences that another program
 * makes in the last digits. One thread. */
#pragma once

#include "clients/cli/output/json.h"
#include "clients/cli/server/connection.h"

#include <stdbool.h>
#include <stdint.h>

/* A transform in the text: translation x y z, rotation x y z w, and the scale as a symmetric matrix: xx yy zz xy xz yz.
 * xy, xz and yz are 0 for scales along the axes. */
enum { PART_TRANSLATION, PART_ROTATION, PART_SCALE, PART_COUNT, TRANSFORM_NUMBERS = 13 };

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
    double *scene;      /* [node_count][16]: scene_from_node at rest; NaN: unknown */
    int place_decimals; /* decimals of places and distances; -n rounds to multiples of 10^n */
    struct text *out;
};

/* Appends the text of the model. Returns 0, or an enum posed_status with the message in connection->posed.error. */
int model_text_put(struct connection *connection, const char *path, struct text *out);

/* --- the parts --- */

/* model_text_labels.c: finds the nodes of the answer; once the rest pose is known, their unique labels and their order.
 */
void model_text_find_nodes(struct model_text *text);
void model_text_label_nodes(struct model_text *text);
void model_text_free_nodes(struct model_text *text);
/* model_text_nodes.c: puts nodes with their rest pose, cameras, lights. */
void model_text_ask_rest(struct model_text *text);
void model_text_put_nodes(struct model_text *text);
/* model_text_clips.c: puts clips, their markers, and how each clip moves the nodes. */
void model_text_put_clips(struct model_text *text);
/* model_text_weights.c: puts the morph weights and visibilities of one clip, which lines call `name`. */
void model_text_put_weights(const struct model_text *text, const char *name, int clip);
/* model_text_meshes.c: puts meshes and skins. */
void model_text_put_meshes(struct model_text *text);
/* model_text_skins.c: puts the skins whose matrices are in an answer of /v1/mesh. */
void model_text_put_skins(const struct model_text *text, const struct posed_frames *frames);
/* Returns the first node, in the text's order, that has the skin; -1: none. */
int64_t model_text_skinned_node(const struct model_text *text, int skin);
/* model_text_materials.c: puts materials and the settings of their textures. */
void model_text_put_materials(struct model_text *text);
/* model_text_pixels.c: puts hashes of pixels. */
void model_text_put_pixels(struct model_text *text);

/* Puts the name of the thing as people see it, or "-" if it has none. */
void model_text_put_name(struct text *out, const cJSON *thing);

/* --- model_text_axes.c: transforms in axes that do not depend on how a file chooses those of its joints --- */

/* Splits a matrix into the parts of a transform. */
void axes_split(const double matrix[16], double out[TRANSFORM_NUMBERS]);
/* Expresses a transform of a node, as in model_text.rest: the place in the scene relative to the parent, as if the
 * parent were at rest; the rotation and the scale since the rest pose, in the axes of the scene. */
void axes_from_rest(const struct model_text *text, size_t node, const double local[10], double out[TRANSFORM_NUMBERS]);

/* --- sorted_texts.c: texts that are sorted, because other programs change the order of a file --- */

struct sorted_texts {
    char **texts;
    size_t count;
};
/* Takes the content of *text, which is empty then. */
void sorted_texts_take(struct sorted_texts *sorted, struct text *text);
/* Puts all texts in their order and frees them. */
void sorted_texts_put(struct sorted_texts *sorted, struct text *out);

/* --- hashes.c: hashes of data that is too large for lines --- */

/* FNV-1a, 64 bits (draft-eastlake-fnv). */
#define FNV_BASIS 0xcbf29ce484222325u
uint64_t hash_more(uint64_t hash, const void *bytes, size_t size_bytes);

/* --- rounded.c: numbers without the noise of their last digits --- */

/* Returns how many decimals places have in a model of this size: the last one is from a 500th to a 5000th of it. Sizes
 * within a factor of ten share a precision, so that a model that grows a little does not change in every line. */
int rounded_place_decimals(double size);
/* Appends " 0.25", without zeros at the end. */
void rounded_put(struct text *out, double value, int decimals);
void rounded_put_all(struct text *out, const double *values, size_t count, int decimals);
/* Converts a rotation to its axis times its angle in degrees. A quaternion and its opposite give the same result. */
void rounded_turn(const double quaternion[4], double out[3]);
/* Appends " translation 0 1 0", with the part's name. */
void rounded_put_part(struct text *out, const double transform[TRANSFORM_NUMBERS], int part, int place_decimals);
/* Returns whether the text of a part is that of a transform that does nothing. */
bool rounded_is_nothing(const double transform[TRANSFORM_NUMBERS], int part, int place_decimals);
