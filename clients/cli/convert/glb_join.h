/* glb_join.h - GLB files of one model with different clips (glTF 2.0, 4.4) to one file that has all of them. Each is
 * what GET /v1/export answers, with the same parameters but for its clips. One thread. */
#pragma once

#include "clients/cli/output/json.h"

/* {0} is the start. */
struct glb_join {
    cJSON *json; /* of the file so far */
    unsigned char *bin;
    size_t bin_bytes;
    double fallback_bytes; /* of the buffer that EXT_meshopt_compression has no bytes for; 0: there is none */
    size_t part_count;
};

/* The JSON of a GLB file; NULL: it is none. *bin: its other chunk, within `bytes`; may be NULL. The caller frees. */
cJSON *glb_parse(const unsigned char *bytes, size_t size_bytes, const unsigned char **bin, size_t *bin_bytes);

/* The next part: the first one as it is, of the others the clips and what is told of them in asset.extras. Returns 0,
 * or -1 with what is wrong in *problem: it is no such file, or its nodes are other ones. */
int glb_join_add(struct glb_join *join, const unsigned char *bytes, size_t size_bytes, struct text *problem);
/* Appends the file. Returns 0, or -1 with why there is none in *problem. */
int glb_join_put(const struct glb_join *join, struct text *out, struct text *problem);
void glb_join_free(struct glb_join *join);
