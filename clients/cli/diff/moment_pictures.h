/* moment_pictures.h - two models at one moment, seen by one camera, and a heat map of where they look different. One
 * thread. */
#pragma once

#include "clients/cli/output/json.h"
#include "clients/cli/server/connection.h"

#include <stdint.h>

enum { SIDE_OLD, SIDE_NEW, SIDE_COUNT };

/* What /v1/compare was asked, and its answer. */
struct compared {
    const char *paths[SIDE_COUNT]; /* of the models under the server's root */
    const cJSON *answer;
};

/* A time at which a difference shows. */
struct moment {
    const cJSON *difference; /* one of the answer's, which names it; it shows others of its clip as well */
    int clips[SIDE_COUNT];   /* -1: the rest pose */
    double time_s;           /* clip time */
};

enum { MOMENTS_MAX = 4 };

/* The moments at which the differences of an answer show best: of each clip the farthest pose, the farthest first, and
 * the rest pose for what is not of a clip. At most `most`. Returns how many. */
size_t moments_find(const cJSON *answer, struct moment *out, size_t most);

/* PNG files; text_free() each. */
struct moment_pictures {
    struct text before, after, heat;
    double mean, most; /* of the differences of all pixels, by FLIP: 0 to 1 */
};

/* Draws a moment, `size` pixels wide and high. The camera frames both poses, from the side that shows the difference
 * best; of files with other axes or another unit it stands where it would with the converted one. Returns 0, or -1 with
 * why in *problem. */
int moment_draw(struct connection *connection, const struct compared *compared, const struct moment *moment,
                uint32_t size, struct moment_pictures *out, struct text *problem);
void moment_pictures_free(struct moment_pictures *pictures);
