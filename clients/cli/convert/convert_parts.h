/* convert_parts.h - asks for a GLB file in parts. The first part has the model and some clips, every other part has
 * more clips. The model's own clips come first, if all of them are wanted; then come the files. One thread. */
#pragma once

#include "clients/cli/convert/clip_names.h"
#include "clients/cli/convert/convert_request.h"
#include "clients/cli/convert/glb_join.h"
#include "clients/cli/server/long_request.h"

struct convert_parts {
    const struct convert_request *request;
    cJSON *about;      /* the model */
    size_t own_count;  /* own clips for parts; 0: the user has chosen some, or there are none */
    size_t item_count; /* own clips and files together */
    struct glb_join join;
    struct clip_names names;
    const char **files; /* [clips->file_count] */
};

/* Reads the model. Returns the same as connection_request(). The caller calls convert_parts_free() in any case. */
int convert_parts_init(struct convert_parts *parts, const struct convert_request *request);
void convert_parts_free(struct convert_parts *parts);

/* Estimates what all parts take together, from the server's estimate for the first `at_once` clips and files. Returns
 * the same as connection_request(). */
int convert_parts_expect(const struct convert_parts *parts, size_t at_once, struct long_request_estimate *estimate,
                         struct posed_packet *answer);
/* Asks for `at_once` clips and files in each part, or fewer if they are too much for an answer, and joins the parts.
 * answer->data points into `joined`. Returns the same as convert_request(). */
int convert_parts_request(struct convert_parts *parts, size_t at_once, double expected_s, struct text *joined,
                          struct posed_packet *answer, struct text *problem);

/* Returns whether a request failed because its answer would be too large or too much work. */
bool convert_is_too_much(const struct connection *connection, int rc);
