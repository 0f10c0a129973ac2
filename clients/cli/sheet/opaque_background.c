#include "clients/cli/sheet/opaque_background.h"

#include <stdlib.h>
#include <string.h>

enum { RGB_DIGITS = 6, RGBA_DIGITS = 8 };

/* Porter and Duff 1984, "over". */
static void put_over_white(struct text *out, unsigned long rgba)
{
    const unsigned long alpha = rgba & 0xff;
    for (int shift = 24; shift > 0; shift -= 8)
        text_printf(out, "%02lx", ((rgba >> shift & 0xff) * alpha + 255 * (255 - alpha) + 127) / 255);
}

static void put_colour(struct text *out, const char *colour, size_t size_bytes)
{
    char digits[RGBA_DIGITS + 1] = "";
    if (size_bytes == RGBA_DIGITS) {
        memcpy(digits, colour, size_bytes);
        put_over_white(out, strtoul(digits, NULL, 16));
    } else if (size_bytes == RGB_DIGITS) {
        text_put_bytes(out, colour, size_bytes);
    } else {
        text_put(out, "ffffff"); /* transparent */
    }
}

void opaque_background_put(struct text *out, const char *given)
{
    const char *comma = given == NULL ? NULL : strchr(given, ',');
    if (given == NULL) {
        put_colour(out, "", 0);
        return;
    }
    put_colour(out, given, comma == NULL ? strlen(given) : (size_t)(comma - given));
    if (comma != NULL) {
        text_put(out, ",");
        put_colour(out, comma + 1, strlen(comma + 1));
    }
}
