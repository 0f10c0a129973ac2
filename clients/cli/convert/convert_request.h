/* convert_request.h - asks for the GLB file of a model. It asks in parts, each with some of the clips, and joins them,
 * if there are more clip files than one request takes, if it takes long, or if it is too much for one answer. */
#pragma once

#include "clients/cli/convert/convert_clips.h"

struct convert_request {
    struct connection *connection;
    const struct convert_clips *clips;
    const struct paths *paths;
    const char *model;
};

/* Asks for the file and shows the progress. `joined` holds the bytes if the answer came in parts. Returns an exit
 * status after printing an error. */
int convert_request(const struct convert_request *request, struct text *joined, struct posed_packet *answer);
/* Prints how long the conversion takes and how large the file is, as estimate_print() does. Returns an exit status. */
int convert_request_estimate(const struct convert_request *request);
