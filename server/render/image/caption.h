/* caption.h - draws text under a cell with FreeType. One thread.
 *
 * The font is DejaVu Sans (Bitstream Vera's free licence; Debian package fonts-dejavu-core). It is read when the
 * program starts, because later nothing can be opened. Characters stand side by side in the order of the text; scripts
 * that join or reorder them are not shaped. Missing characters are drawn as the font's box, control characters as
 * spaces. */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct caption_font;

/* Reads the font file. If it is missing, only caption_draw() fails. */
struct caption_font *caption_font_load(void);
/* Writes the names of library and font, for people and for ETags: "FreeType 2.12.1, DejaVu Sans 2.37". */
void caption_font_name(struct caption_font *font, char *out, size_t out_bytes);

struct caption {
    const char *name; /* UTF-8; cut with an ellipsis when the whole is too long */
    size_t name_bytes;
    const char *rest; /* the text after it, UTF-8, NUL-terminated; kept whole if it fits alone */
};

/* The place of the text. */
struct caption_band {
    uint8_t *pixels; /* its top left corner: RGBA8, rows from the top */
    size_t stride;   /* pixels from one row to the next */
    uint32_t width, height;
    bool is_premultiplied; /* false: straight alpha */
};

/* Writes the text in the middle of the band in black or white, whichever contrasts more with the colour there; on a
 * transparent background in white with a dark outline. Returns 0, ERR_UNAVAILABLE (no font) or ERR_NO_MEMORY. */
int caption_draw(struct caption_font *font, const struct caption *caption, const struct caption_band *band,
                 struct err *err);
