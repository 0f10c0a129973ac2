/* convert_clips.h - the clips of other files that posectl convert puts into its file. */
#pragma once

#include "clients/cli/output/json.h"
#include "clients/cli/server/command_context.h"

/* The command line after --clips was resolved. The files that it names follow the model as further arguments.
 * convert_clips_free() accepts {0}. */
struct convert_clips {
    struct args args;
    struct given_parameter *parameters; /* without the values of --clips that name files */
    const char **positional;
    char **files; /* [file_count] */
    size_t file_count;
};

/* Finds the files of --clips. A value with '/', '.' or a wildcard names files if any match. Other values name the
 * model's own clips. Borrows args. Returns 0, or an exit status after printing the error. */
int convert_clips_find(struct convert_clips *clips, const struct args *args);
void convert_clips_free(struct convert_clips *clips);

/* Returns the path of file `index` under the server's root. */
const char *convert_clips_path(const struct convert_clips *clips, const struct paths *paths, size_t index);
/* Makes the body of a request for some of the files, with the rules of --joint-map. NULL: the request needs no body.
 * The caller frees it. */
cJSON *convert_clips_body(const struct convert_clips *clips, const struct paths *paths, size_t first, size_t count);

/* Adds to a list of {"code", "message"} which parts of the files have no counterpart in the model, and the warnings
 * about the files. glb: the JSON of the file. */
void convert_clips_add_warnings(const cJSON *glb, cJSON *list);
