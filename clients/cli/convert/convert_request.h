/* convert_request.h - the GLB file of a model, asked for in parts with some of the clips each where there are more clip
 * files than one request takes, where it takes long, or where it is too much for one answer; the parts are joined. */
#pragma once

#include "clients/cli/convert/convert_clips.h"

struct convert_request {
    struct connection *connection;
    const struct convert_clips *clips;
    const struct paths *paths;
    const char *model;
};

/* Shows how far it is. `joined` holds the answer's bytes where it came in parts. Returns an exit status after printing
 * what went wrong. */
int convert_request(const struct convert_request *request, struct text *joined, struct posed_packet *answer);
/* Prints how long that takes and how large the file is, as estimate_print(). Returns an exit status. */
int convert_request_estimate(const struct convert_request *request);
