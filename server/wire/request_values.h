/* request_values.h - what each parameter's text may be, and where it goes in struct request.
 *
 * Private to request.c. Pure. One function a parameter, named in request_params.def. */
#pragma once

#include "request.h"

/* A decoded value on its way into a request. */
struct value {
    struct request *request;
    const struct limits *limits;
    const char *name; /* of the parameter, for messages */
    char *text;       /* in the request's memory, NUL-terminated without inner NULs; may be cut up in place */
    size_t size_bytes;
    struct err *err;
};

/* The lists that a request's pointers lead to; request->blocks. */
struct request_lists {
    struct buf times, skins, joints;
};

/* Appends a time, which must keep within LIMIT_FRAMES. */
int value_add_time(struct value *value, double time_s);

#define X(symbol, name, ops, how_often, parse, text) int parse(struct value *value);
#include "request_params.def"
#undef X
