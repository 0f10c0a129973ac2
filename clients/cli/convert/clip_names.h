/* clip_names.h - names the clips of other files in an exported file (protocol/http.md, "GET /v1/export") that is joined
 * from parts. They get the same names as in the answer of a single request. */
#pragma once

#include "clients/cli/output/json.h"

#include <stdbool.h>
#include <stddef.h>

/* The value of clip_names= in the request of a part. It lets clip_names_set() find file and clip again. */
#define CLIP_NAMES_OF_PARTS "{file}\n{clip}\n"

/* A clip of the joined file. */
struct named_clip {
    int file;   /* the index of the clip file; -1: the model */
    char *name; /* the name in its own file */
};

/* {0} is an empty list. */
struct clip_names {
    struct named_clip *clips;
    size_t clip_count;
};

/* Adds the clips of a part's JSON in their order. Clips of the model keep their names. Clips of the files paths[0 ..
 * file_count) have names as in CLIP_NAMES_OF_PARTS; first_file is the index of paths[0]. */
void clip_names_add(struct clip_names *names, const cJSON *glb, const char *const *paths, int first_file,
                    size_t file_count);
/* Names the animations of the joined file. paths: all files. pattern: the user's clip_names=, or NULL. */
void clip_names_set(const struct clip_names *names, cJSON *glb, const char *const *paths, size_t file_count,
                    const char *pattern);
void clip_names_free(struct clip_names *names);
