/* glb_join.h - joins GLB files of one model with different clips (glTF 2.0, 4.4) to one file with all clips. Each file
 * is an answer of GET /v1/export. Their parameters differ only in the clips. One thread. */
#pragma once

#include "clients/cli/output/json.h"

/* {0} has no file yet. */
struct glb_join {
    cJSON *json; /* of the joined file so far */
    unsigned char *bin;
    size_t bin_bytes;
    double fallback_bytes; /* size of the buffer for which EXT_meshopt_compression stores no bytes; 0: there is none */
    size_t part_count;
};

/* Parses the JSON of a GLB file. *bin points to its binary chunk within `bytes`; bin may be NULL. Returns NULL if it is
 * no GLB file. The caller frees the JSON. */
cJSON *glb_parse(const unsigned char *bytes, size_t size_bytes, const unsigned char **bin, size_t *bin_bytes);

/* Adds the next part: all of the first, and of the others the clips with their remarks in asset.extras. Returns 0, or
 * -1 with a message in *problem if it is no GLB file or has other nodes. */
int glb_join_add(struct glb_join *join, const unsigned char *bytes, size_t size_bytes, struct text *problem);
/* Appends the file. Returns 0, or -1 with a message in *problem. */
int glb_join_put(const struct glb_join *join, struct text *out, struct text *problem);
void glb_join_free(struct glb_join *join);
