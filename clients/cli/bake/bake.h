/* bake.h - posectl bake: sampled transforms and vertices as tables, for engines that read no model. One thread.
 *
 * A table has rows, the frames of all clips one after the other, and in each row the same items: joints, and sockets,
 * which are places fixed to a joint. */
#pragma once

#include "clients/cli/output/json.h"
#include "clients/cli/server/command_context.h"

#include <stdbool.h>
#include <stdint.h>

/* What a number of the table is. Matrices are for column vectors, here in column order: row r, column c at 4*c+r. */
enum bake_values {
    BAKE_TRS,     /* 10: translation x y z, rotation x y z w, scale x y z; scene_from_item = T * R * S */
    BAKE_MATRIX,  /* 16: scene_from_item */
    BAKE_PALETTE, /* 16: scene_from_joint * joint_from_bind, of the joints of skins in their order */
};

struct bake_item {
    char *name;
    int node, skin;               /* skin: of palettes, else -1 */
    bool is_socket;               /* then: */
    double place[3], turn_deg[3]; /* joint_from_socket = T(place) * Rz * Ry * Rx */
};

struct bake_clip {
    int index; /* -1: the rest pose */
    char *name;
    double duration_s;
    size_t first_frame, frame_count;
    bool is_loop; /* its last pose is its first one, within a thousandth */
};

/* {0} is freed. */
struct bake {
    const struct args *args;
    struct command_context context;
    const char *model; /* under the server's root */
    cJSON *about;      /* the answer of /v1/model */
    double fps;
    struct bake_clip *clips;
    size_t clip_count;
    double *times_s; /* [frame_count]: clip times */
    size_t frame_count;
    enum bake_values values;
    struct bake_item *items;
    size_t item_count, socket_count;
    float *numbers; /* [frame_count][item_count][bake_floats()] */
};

/* A file of the bake, and what is written into it. */
struct bake_file {
    char *path;
    struct text bytes;
};
enum { BAKE_FILES_MAX = 3 };

/* All below return 0 or an exit status after printing why. */

/* bake->about, fps, clips and times_s: by --fps and --clips. The clip's frame i is at i / fps; the last one is its end.
 */
int bake_find_clips(struct bake *bake);
/* bake->items: by --joints, --socket and --values. */
int bake_find_items(struct bake *bake);
/* "NAME=JOINT:X,Y,Z:DEGREES,DEGREES,DEGREES", of which the last two parts may be missing. The name and the joint's text
 * are new strings. -1: it is not like that. */
int bake_read_socket(const char *text, struct bake_item *out, char **joint);
/* bake->numbers: from the server. */
int bake_sample(struct bake *bake);
void bake_free(struct bake *bake);

/* The frames of a clip that one request may ask for, where a frame has so many floats. */
size_t bake_frames_at_once(size_t frame_floats);
/* The body of a request for these frames, and what of the query says which clip: "&hash=..&clip=..&wrap=clamp". */
void bake_put_times(const struct bake *bake, size_t first_frame, size_t count, struct text *body);
void bake_put_clip(const struct bake *bake, const struct bake_clip *clip, struct text *query);

static inline size_t bake_floats(enum bake_values values) { return values == BAKE_TRS ? 10 : 16; }
/* "trs" */
const char *bake_values_name(enum bake_values values);
/* A matrix as translation, rotation and scale; `before`: NULL, or the frame before, whose sign of the quaternion is
 * kept. False: it shears, and they cannot say it. */
bool bake_trs(const float matrix[16], const float *before, float out[10]);
void bake_socket_matrix(const struct bake_item *item, const float scene_from_joint[16], float scene_from_socket[16]);

/* The same bytes for the same table. */
void bake_put_json(const struct bake *bake, struct text *out);
void bake_put_csv(const struct bake *bake, struct text *out);
/* float32 [frames][items][10], or [frames][items][4][4], rows first; what the axes are is in `about`, as JSON. */
void bake_put_npy(const struct bake *bake, struct text *out, struct text *about);
/* C99 and C++: the arrays, and a header that declares them; `name` is of a file. */
void bake_put_c(const struct bake *bake, const char *header_name, struct text *source, struct text *header);
/* The shortest digits that bring the double back. */
void bake_put_double(struct text *out, double value);
/* Items and clips of the table, without its numbers. */
cJSON *bake_describe(const struct bake *bake);

/* The vertices of all meshes in the scene as two 16-bit RGB pictures, and what they mean as JSON. */
int bake_vertices(struct bake *bake, const char *base_name, struct text *positions, struct text *normals,
                  struct text *about);
