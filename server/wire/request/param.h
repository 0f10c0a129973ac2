/* request_values.h - what each parameter's text may be, and where it goes in struct request.
 *
 * Private to request*.c. Pure. One function a parameter, named in request_params.def: request_value_names.c,
 * request_value_times.c, request_value_picture.c, and request_values.c for what is none of them. */
#pragma once

#include "wire/request/request.h"

/* A decoded value on its way into a request. */
struct param_value {
    struct request *request;
    const struct limits *limits;
    const char *name;   /* of the parameter, for messages */
    const char *values; /* its words, "loop|clamp|mirror" */
    char *text;         /* in the request's memory, NUL-terminated without inner NULs; may be cut up in place */
    size_t size_bytes;
    struct err *err;
};

/* The lists that a request's pointers lead to; request->blocks. */
struct request_lists {
    struct buf times, skins, joints;
};

/* --- what the parsers share; request_values.c --- */

/* ERR_BAD_PARAMETER: the value is not what is `expected`. */
int param_bad(struct param_value *value, const char *expected);
/* Ends the entry at *rest with a NUL and moves *rest behind it; NULL after the last. */
char *param_next_entry(char **rest);
struct request_lists *param_lists(struct param_value *value);
/* The place of the value among the words of its parameter, or ERR_BAD_PARAMETER, which lists them. */
int param_word(struct param_value *value);
/* A finite number from `least` to `most`; `expected` says so. */
int param_number(struct param_value *value, double least, double most, const char *expected, double *out);
/* 0 or 1. */
int param_flag(struct param_value *value, bool *out);
/* One more of the request's times, which is finite; or those of the range start + i / fps up to and including its end.
 * ERR_BAD_PARAMETER or ERR_TOO_MANY_FRAMES. */
int param_add_time(struct param_value *value, double time_s);
int param_add_range(struct param_value *value, double start_s, double end_s, double fps);
/* A whole number from 1 to `most`. */
int param_count(struct param_value *value, uint64_t most, uint32_t *out);

/* A thing by index or name; `forced` is the parameter that takes an empty name or one of digits only, or NULL. */
int param_select(struct param_value *value, const char *forced, struct selector *out);
/* A thing by name, whatever that is. */
void param_select_name(const struct param_value *value, struct selector *out);

/* --- one a parameter --- */

#define X(symbol, name, ops, how_often, parse, values, text) int parse(struct param_value *value);
#include "wire/request/request_params.def"
#undef X
