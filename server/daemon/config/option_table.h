/* option_table.h - the table of options. Private to this folder and the manual page. Pure. */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "daemon/config/config.h"
#include "daemon/config/option_names.h"

#include <stddef.h>

enum option_kind {
    OPTION_TEXT,   /* const char * */
    OPTION_WORD,   /* const char *, one of `words` */
    OPTION_CHOICE, /* int: the place in `words` */
    OPTION_SET,    /* uint32_t: several of `words`, with commas between; bit N is the word at place N */
    OPTION_COUNT,  /* uint32_t */
    OPTION_NUMBER, /* uint64_t, plain */
    OPTION_BYTES,  /* uint64_t */
    OPTION_MS,     /* uint64_t, milliseconds */
    OPTION_S,      /* uint64_t, seconds */
    OPTION_FLAG,   /* bool; no value, no variable */
    OPTION_PROBE,  /* const char *: NULL absent, "" without a value; no variable */
};

struct option {
    const char *name; /* "cache-bytes", without dashes; "" for a limit that is fixed: skip it */
    enum option_kind kind;
    size_t offset;       /* in struct config */
    const char *value;   /* the value's name in the help: "DIR" */
    const char *initial; /* as text; NULL: depends on the machine, or none */
    const char *words;   /* "text|json|off" */
    uint64_t min, max;
    const char *help, *group;
    bool is_limit; /* then `group` is what it limits */
};

/* Return the number of rows, and the row `index`, which is below it. */
size_t option_count(void);
struct option option_at(size_t index);
/* The row of this name, or -1. */
int option_find(const char *name, size_t name_bytes);
/* "POSED_CACHE_BYTES"; "" for rows without a variable. */
void option_env(const struct option *option, char out[VARIABLE_SIZE]);

/* Returns the unit of a number without one, "ms" or "s"; NULL: the option takes no time. */
const char *option_bare_unit(const struct option *option);

/* Reads `text` into the row's field. `source` ("--http", "POSED_HTTP") is named in the message. */
int option_set(const struct option *option, struct config *config, const char *text, const char *source,
               struct err *err);
/* Appends the field's value in the form that option_set() reads. */
void option_put_value(const struct option *option, const struct config *config, struct buf *out);
