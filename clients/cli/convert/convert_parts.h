/* convert_parts.h - a GLB file in parts: the first has the model and some of the clips, each other one more clips.
 * Clips of the model come first, where all of them are wanted, and then the files. One thread. */
#pragma once

#include "clients/cli/convert/clip_names.h"
#include "clients/cli/convert/convert_request.h"
#include "clients/cli/convert/glb_join.h"
#include "clients/cli/server/long_request.h"

struct convert_parts {
    const struct convert_request *request;
    cJSON *about;      /* the model */
    size_t own_count;  /* clips of the model that may be in parts of their own; 0: they are chosen, or there are none */
    size_t item_count; /* own clips and files */
    struct glb_join join;
    struct clip_names names;
    const char **files; /* [clips->file_count] */
};

/* Reads the model. Returns as connection_request(); convert_parts_free() in any case. */
int convert_parts_init(struct convert_parts *parts, const struct convert_request *request);
void convert_parts_free(struct convert_parts *parts);

/* What all parts together are expected to take, by the server's estimate of the first `at_once` clips and files.
 * Returns as connection_request(). */
int convert_parts_expect(const struct convert_parts *parts, size_t at_once, struct long_request_estimate *estimate,
                         struct posed_packet *answer);
/* Asks for `at_once` clips and files a part, fewer where that is too much for an answer, and joins them: answer->data
 * are joined's bytes. Returns an exit status after printing what went wrong. */
int convert_parts_request(struct convert_parts *parts, size_t at_once, double expected_s, struct text *joined,
                          struct posed_packet *answer);

/* Whether a request failed because its answer would be too large or too much work. */
bool convert_is_too_much(const struct connection *connection, int rc);
