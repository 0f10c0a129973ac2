/* convert_clips.h - the clips of other files that posectl convert puts into its file. */
#pragma once

#include "clients/cli/output/json.h"
#include "clients/cli/server/command_context.h"

/* The command line with the files that --clips means behind the model, as further arguments. {0} is freed. */
struct convert_clips {
    struct args args;
    struct given_parameter *parameters; /* without those of --clips that mean files */
    const char **positional;
    char **files; /* [file_count] */
    size_t file_count;
};

/* A value of --clips with '/', '.' or a wildcard means files, where some match; others are names of the model's own
 * clips. args is borrowed. Returns 0, or an exit status after printing why. */
int convert_clips_find(struct convert_clips *clips, const struct args *args);
void convert_clips_free(struct convert_clips *clips);

/* File `index` as the server knows it, under its root. */
const char *convert_clips_path(const struct convert_clips *clips, const struct paths *paths, size_t index);
/* The body of a request with these of the files, and what --joint-map says; NULL: it needs none. The caller frees. */
cJSON *convert_clips_body(const struct convert_clips *clips, const struct paths *paths, size_t first, size_t count);

/* Tells what of the files has no partner in the model; glb: the JSON of the file. */
void convert_clips_report(const cJSON *glb);
