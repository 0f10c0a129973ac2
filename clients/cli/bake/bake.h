/* bake.h - posectl bake writes sampled transforms and vertices as tables, for engines that read no models. One thread.
 *
 * A table has a row for each frame of each clip, clip after clip. Every row has the same items. An item is a joint, or
 * a socket: a place fixed to a joint. */
#pragma once

#include "clients/cli/output/json.h"
#include "clients/cli/server/command_context.h"

#include <stdbool.h>
#include <stdint.h>

/* The numbers that the table has for each item. Matrices multiply column vectors. They are in column order: row r,
 * column c is at 4*c+r. */
enum bake_values {
    BAKE_TRS,     /* 10: translation x y z, rotation x y z w, scale x y z; scene_from_item = T * R * S */
    BAKE_LOCAL,   /* the same 10 of parent_from_joint, as a pose in a request has them */
    BAKE_MATRIX,  /* 16: scene_from_item */
    BAKE_PALETTE, /* 16: scene_from_joint * joint_from_bind, for the joints of the skins in their order */
};

struct bake_item {
    char *name;
    int node, skin;               /* skin: of a palette's joint; else -1 */
    bool is_socket;               /* The next two are set only then. */
    double place[3], turn_deg[3]; /* joint_from_socket = T(place) * Rz * Ry * Rx */
};

struct bake_clip {
    int index; /* -1: the rest pose */
    char *name;
    double duration_s;
    size_t first_frame, frame_count;
    bool is_loop; /* The last pose equals the first within a thousandth. */
};

/* --onto: another model whose joints the clips move. It outlives the bakes that use it. Several threads may read it. */
struct bake_onto {
    const char *model; /* under the server's root */
    cJSON *about;      /* the answer of /v1/model */
    char *query;       /* "&retarget=rest&..": how the clips come to move it */
    char *members;     /* the members of a request's body that say more, each with a comma behind it; or "" */
};

/* A table in the making. bake_free() accepts {0}. */
struct bake {
    const struct args *args;
    struct connection *connection;
    /* The model whose joints the table has, and the file whose clips it has: the same but for --onto. Paths under the
     * server's root, and the answers of /v1/model. */
    const char *model, *clip_file;
    const cJSON *about, *clip_about;
    const struct bake_onto *onto; /* or NULL */
    /* Where the words of a refusal go. NULL: they are printed. Their code, or "", and the result of the request that
     * failed, or 0, go to the next two. */
    struct text *problem;
    const char *code;
    int rc;
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

/* A file that the bake writes. */
struct bake_file {
    char *path;
    struct text bytes;
};
enum { BAKE_FILES_MAX = 3 };

/* Functions that return an int return 0, or an exit status after printing the error or putting it into bake->problem.
 */

/* Reports why there is no table. who: the model to blame, which only what is printed names. Returns STATUS_FAILED. */
int bake_refuse(struct bake *bake, const char *who, const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Returns the status for the result of a request, and reports its error. */
int bake_answered(struct bake *bake, int rc);
void bake_free(struct bake *bake);

/* Sets bake->fps, clips and times_s from --fps and --clips. Frame i of a clip is at i / fps. The last frame is
 * at the end of the clip. */
int bake_find_clips(struct bake *bake);
/* Checks --joints, --socket and --values, before there is a server. */
int bake_check_items(const struct args *args);
/* Sets bake->items from --joints, --socket and --values. */
int bake_find_items(struct bake *bake);
/* Parses "NAME=JOINT:X,Y,Z:DEGREES,DEGREES,DEGREES". The last two parts are optional. The caller frees the name and
 * *joint. Returns -1 if the text has another form. */
int bake_read_socket(const char *text, struct bake_item *out, char **joint);
/* Asks the server for bake->numbers. */
int bake_sample(struct bake *bake);

/* bake_onto.c: checks the options about clips of another model, before there is a server. */
int bake_onto_check(const struct args *args);
/* Asks about the model of --onto, whose path it borrows. The caller calls bake_onto_close() in any case. */
int bake_onto_open(struct bake_onto *onto, const struct args *args, struct connection *connection, const char *model);
void bake_onto_close(struct bake_onto *onto);
/* Makes the table one of the joints of that model. */
void bake_play_onto(struct bake *bake, const struct bake_onto *onto);
/* Puts the part of a query that says which file's clips move the model. */
void bake_put_clip_file(const struct bake *bake, struct text *query);

/* Adds to a list of {"code", "message"} where the motion may differ from what its file means, and with --onto what the
 * server says of each clip on the model. */
int bake_add_warnings(struct bake *bake, cJSON *list);

/* Returns how many frames of a clip one request may ask for, if a frame has frame_floats floats. */
size_t bake_frames_at_once(size_t frame_floats);
/* Put the body of a request for these frames, and the part of its query that selects the clip:
 * "&hash=..&clip=..&wrap=clamp". */
void bake_put_times(const struct bake *bake, size_t first_frame, size_t count, struct text *body);
void bake_put_clip(const struct bake *bake, const struct bake_clip *clip, struct text *query);

static inline bool bake_is_trs(enum bake_values values) { return values == BAKE_TRS || values == BAKE_LOCAL; }
static inline size_t bake_floats(enum bake_values values) { return bake_is_trs(values) ? 10 : 16; }
/* Returns the name for --values: "trs". */
const char *bake_values_name(enum bake_values values);
/* Splits a matrix into translation, rotation and scale. The quaternion gets the sign nearest to that of
 * `before`, the previous frame, which may be NULL. Returns false if the matrix shears: the three parts cannot express
 * that. */
bool bake_trs(const float matrix[16], const float *before, float out[10]);
void bake_socket_matrix(const struct bake_item *item, const float scene_from_joint[16], float scene_from_socket[16]);

/* Writers of the table. The same table always gives the same bytes. */
void bake_put_json(const struct bake *bake, struct text *out);
void bake_put_csv(const struct bake *bake, struct text *out);
/* Puts float32 [frames][items][10], or [frames][items][4][4] with rows first. `about` describes the axes as JSON. */
void bake_put_npy(const struct bake *bake, struct text *out, struct text *about);
/* Puts a zip archive (.npz) of arrays: values, as bake_put_npy() puts them; times, float64 [frames]; and about, a text
 * of bytes with the description as JSON. */
void bake_put_npz(const struct bake *bake, struct text *out);
/* Puts the arrays as C99 that is also C++, and a header that declares them. `name` is the name of a file. */
void bake_put_c(const struct bake *bake, const char *header_name, struct text *source, struct text *header);
/* Puts the shortest digits from which the same double is read back. */
void bake_put_double(struct text *out, double value);
/* Describes the items and clips of the table, without its numbers. */
cJSON *bake_describe(const struct bake *bake);

/* Puts the vertices of all meshes in the scene as two 16-bit RGB pictures. `about` explains them as JSON. */
int bake_vertices(struct bake *bake, const char *base_name, struct text *positions, struct text *normals,
                  struct text *about);
