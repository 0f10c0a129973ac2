/* moment_pictures.h - draws two models at one moment through one camera, and a heat map of where they look different.
 * One thread. */
#pragma once

#include "clients/cli/output/json.h"
#include "clients/cli/server/connection.h"

#include <stdint.h>

enum { SIDE_OLD, SIDE_NEW, SIDE_COUNT };

/* The request and the answer of /v1/compare. */
struct compared {
    const char *paths[SIDE_COUNT]; /* paths of the models under the server's root */
    const cJSON *answer;
};

/* A time at which a difference is visible. */
struct moment {
    const cJSON *difference; /* the entry of the answer that names the moment; it may show others, too */
    int clips[SIDE_COUNT];   /* -1: the rest pose */
    double time_s;           /* clip time */
};

enum { MOMENTS_MAX = 4 };

/* Finds the moments that show the differences of an answer best: of each clip the pose that differs most, the greatest
 * difference first, and the rest pose for differences that belong to no clip. Finds at most `most`. Returns their
 * number. */
size_t moments_find(const cJSON *answer, struct moment *out, size_t most);

/* PNG files. The caller calls text_free() on each. */
struct moment_pictures {
    struct text before, after, heat;
    double mean, most; /* FLIP over all pixels: 0 to 1 */
};

/* Draws a moment, `size` pixels wide and high. The camera frames both poses, from the side that shows the difference
 * best. If the files differ in axes or unit, the camera is converted, so that both pictures show the same view. Returns
 * 0, or -1 with a message in *problem. */
int moment_draw(struct connection *connection, const struct compared *compared, const struct moment *moment,
                uint32_t size, struct moment_pictures *out, struct text *problem);
void moment_pictures_free(struct moment_pictures *pictures);
