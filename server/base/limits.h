/* limits.h - the limits of protocol/limits.def as values. Pure; read-only after start-up, any thread. */
#pragma once

#include <stdint.h>

enum limit {
#define X(symbol, option, initial, unit, group, text) symbol,
#include "protocol/limits.def"
#undef X
    LIMIT_COUNT
};

struct limits {
    uint64_t value[LIMIT_COUNT];
};

struct limit_info {
    const char *symbol; /* "LIMIT_URL_BYTES" */
    const char *option; /* "max-url", or "" when fixed */
    uint64_t initial;
    const char *unit;
    const char *group; /* "requests": what it limits */
    const char *text;
};

extern const struct limit_info LIMIT_INFO[LIMIT_COUNT];

enum { LIMIT_TEXT_SIZE = 80 };

/* Writes the limit as messages name it: "--max-nodes 100000", or "64 levels" for a fixed limit. Returns `out`. */
const char *limit_text(const struct limits *limits, enum limit limit, char out[LIMIT_TEXT_SIZE]);
#define LIMIT_TEXT(limits, limit) limit_text(limits, limit, (char[LIMIT_TEXT_SIZE]){0})

/* The largest value that an option may set. The limits for which evaluators and renderers are built cannot be raised,
 * but for the side of textures. */
enum { LIMIT_TEXTURE_SIDE_MOST = 4096 };
uint64_t limit_most(enum limit limit);

/* Sets the initial values. Under sanitizers the limits on address space are 0, which means no limit. */
void limits_default(struct limits *limits);
/* Returns the limit that the option sets, or -1. */
int limits_find(const char *option);
