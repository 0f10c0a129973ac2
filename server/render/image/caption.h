/* caption.h - words under a cell, by FreeType. One thread.
 *
 * The font is DejaVu Sans (Bitstream Vera's free licence; Debian package fonts-dejavu-core), read when the program
 * starts: later nothing can be opened. Characters stand one beside the other in the order of the text: scripts that
 * join or reorder them are not shaped. What the font lacks is its box for that; control characters are spaces. */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct caption_font;

/* Reads the font file. A font that is not there is an error of caption_draw() only. */
struct caption_font *caption_font_load(void);
/* What letters are made by, for people and for ETags: "FreeType 2.12.1, DejaVu Sans 2.37". */
void caption_font_name(struct caption_font *font, char *out, size_t out_bytes);

struct caption {
    const char *name; /* UTF-8; cut, with an ellipsis, when all is too long */
    size_t name_bytes;
    const char *rest; /* what follows it, UTF-8, NUL-terminated; whole as long as it fits alone */
};

/* Where it is written. */
struct caption_band {
    uint8_t *pixels; /* of its top left corner: RGBA8, rows top first */
    size_t stride;   /* pixels from one row to the next */
    uint32_t width, height;
    bool is_premultiplied; /* the pixels; else their alpha is straight */
};

/* Writes it in the middle of the band, black or white, whichever is further from the colour that is there; where
 * nothing is, white with a dark outline. Returns 0, ERR_UNAVAILABLE (no font) or ERR_NO_MEMORY. */
int caption_draw(struct caption_font *font, const struct caption *caption, const struct caption_band *band,
                 struct err *err);
