/* err.h - how a function reports that it failed.
 *
 * A fallible function returns 0 (or a count) or a negative ERR_ code, and takes `struct err *err` as its last
 * parameter. The function that finds the failure calls err_set() and returns its value. Its callers pass the same err
 * on and only test `< 0`. The code is for programs, the message for people: it names the culprit (file, clip, joint,
 * byte, field) and ends without a newline or a full stop. Pure; any thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum err_code {
#define X(symbol, number, http, name, text) symbol = -(number),
#include "protocol/errors.def"
#undef X
};

enum { ERR_MESSAGE_SIZE = 480 };

struct err {
    int code;                       /* 0 or an ERR_ value */
    char message[ERR_MESSAGE_SIZE]; /* "cannot open 'walk.glb': permission denied" */
};

/* Fills *err (may be NULL) and returns `code`, which must be negative. Cuts a message that does not fit at a UTF-8
 * boundary. Replaces control characters and invalid UTF-8 by '?', because names come from untrusted files. */
int err_set(struct err *err, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Puts "prefix: " before the message, for a caller that knows the file or the clip. Returns err->code. */
int err_prefix(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

const char *err_name(int code);    /* "clip_not_found"; "internal" for a code not in the table */
int err_http_status(int code);     /* 404; 500 for a code not in the table */
const char *err_meaning(int code); /* the table's text; static storage */
/* True when the errno means that the machine or the process is short of a resource at the moment. It says nothing about
 * the request, so the answer is ERR_OVERLOADED. */
bool err_is_shortage(int error);
/* True when the errno means that the file system does not work: its device, or the server behind a mount. It says
 * nothing about the file, so the answer is ERR_SOURCE_UNAVAILABLE. */
bool err_is_source(int error);
int err_from_number(unsigned number); /* 21 -> ERR_CLIP_NOT_FOUND; ERR_INTERNAL if not in the table */
