/* clip_names.h - what clips of other files are called in an exported file (protocol/http.md, "GET /v1/export"), where
 * the file is joined from parts: the names that a single request gives. */
#pragma once

#include "clients/cli/output/json.h"

#include <stdbool.h>
#include <stddef.h>

/* What clip_names= has to be in the request of a part, so that clip_names_set() finds file and clip again. */
#define CLIP_NAMES_OF_PARTS "{file}\n{clip}\n"

/* A clip of the joined file. */
struct named_clip {
    int file;   /* -1: the model; else the place among the clip files */
    char *name; /* its own */
};

/* {0} is the start. */
struct clip_names {
    struct named_clip *clips;
    size_t clip_count;
};

/* The clips of a part's JSON, in their order: those of the model keep their names; of files, paths[0 .. file_count), of
 * which the first is number first_file, the names are as CLIP_NAMES_OF_PARTS has them. */
void clip_names_add(struct clip_names *names, const cJSON *glb, const char *const *paths, int first_file,
                    size_t file_count);
/* Names the animations of the joined file. paths: of all files; pattern: clip_names= of the user, or NULL. */
void clip_names_set(const struct clip_names *names, cJSON *glb, const char *const *paths, size_t file_count,
                    const char *pattern);
void clip_names_free(struct clip_names *names);
