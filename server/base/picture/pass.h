/* pass.h - the passes of a picture: protocol/pictures/passes.def as values. A pass is an array with numbers for each
 * pixel. Pure; any thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The type of a component. */
enum pass_type { PASS_U8, PASS_I32, PASS_F32 };

/* How a PNG file shows a pass. */
enum pass_picture {
    PASS_AS_PICTURE, /* as any picture */
    PASS_AS_RANGE,   /* 16 bits of grey: 0 is background, 1 to 65535 are the least to the largest number */
    PASS_AS_UNIT,    /* 16 bits of red, green and blue: 0, 0, 0 is background, 0 to 65535 are -1 to 1 */
    PASS_AS_ID,      /* 16 bits of grey: 0 is background, the others are the index plus 1 */
    PASS_NO_PICTURE  /* not at all */
};

enum pass {
#define X(symbol, word, components, type, picture, unit, what) symbol,
#include "protocol/pictures/passes.def"
#undef X
    PASS_COUNT
};

struct pass_info {
    const char *word; /* in passes=, and the name of its array */
    uint32_t components;
    enum pass_type type;
    enum pass_picture picture;
};

extern const struct pass_info PASS_INFO[PASS_COUNT];

/* All of them as bits. */
enum { PASS_ALL = (1 << PASS_COUNT) - 1 };

/* The largest index that PASS_AS_ID can show. */
enum { PASS_ID_MAX = UINT16_MAX - 1 };

static inline bool pass_has(uint32_t passes, enum pass pass) { return (passes >> pass & 1) != 0; }

/* Returns the bytes that these passes take for each pixel. */
uint32_t pass_pixel_bytes(uint32_t passes);

enum { PASS_CHANNEL_SIZE = 16 };
/* Writes the name of a component's channel in an OpenEXR file: "R", "Z", "normal.X", "node.V". Returns `out`. */
const char *pass_channel(enum pass pass, uint32_t component, char out[PASS_CHANNEL_SIZE]);

enum { PASS_LIST_SIZE = 128 };
/* Lists the words of all passes: "color, depth, .. and motion". Returns `out`. */
const char *pass_list_words(char out[PASS_LIST_SIZE]);

/* Returns the only pass of a set, or PASS_COUNT when there are none or several. */
enum pass pass_only(uint32_t passes);
