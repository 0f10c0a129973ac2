/* convert_request.h - asks for the GLB file of a model. It asks in parts, each with some of the clips, and joins them,
 * if there are more clip files than one request takes, if it takes long, or if it is too much for one answer. */
#pragma once

#include "clients/cli/convert/convert_clips.h"

struct convert_request {
    struct connection *connection;
    const struct convert_clips *clips;
    const struct paths *paths;
    const char *model;
    const char *hash;  /* the version of the model to convert; NULL: any */
    const char *shown; /* the command that the progress names; NULL shows none */
};

enum { CONVERT_FAILED = -100, CONVERT_FILES_MAX = 64 /* of one request: protocol/http.md, "Limits" */ };

/* Returns 0, or STATUS_USAGE after printing why no request can have these files and options. */
int convert_request_check(const struct convert_clips *clips);
/* Asks for the file. `joined` holds the bytes if the answer came in parts. Returns 0, an enum posed_status with the
 * message in the connection, or CONVERT_FAILED with *problem. */
int convert_request(const struct convert_request *request, struct text *joined, struct posed_packet *answer,
                    struct text *problem);
/* Puts the parameters of a request for the whole file. */
void convert_request_put_query(const struct args *args, const char *hash, struct text *query);
/* Prints how long the conversion takes and how large the file is, as estimate_print() does. Returns an exit status. */
int convert_request_estimate(const struct convert_request *request);
