/* caption.c - chooses the letters that fit, renders them and composites them onto the picture. */
#include "render/image/caption.h"

#include "base/mem.h"
#include "base/utf8.h"

#include <ft2build.h>
#include FT_FREETYPE_H
#include FT_TRUETYPE_TABLES_H

#include <stdio.h>
#include <string.h>

#define FONT_FILE "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"
enum {
    FONT_BYTES_MAX = 16 << 20,
    LETTERS_MAX = 256,
    ELLIPSIS = 0x2026,
    UNITS = 64, /* FreeType units in a pixel */
    HALF_ALPHA = 128,
    HALF_LIGHT = 128 * 1000,
    HALO_ALPHA = 200,
};
static const double SIZE_SHARE = 0.62, CAPITAL_SHARE = 0.73; /* letters relative to the band, capitals to them */

struct caption_font {
    uint8_t *bytes; /* the file; NULL: missing */
    size_t size_bytes;
    FT_Library library; /* set once something was drawn */
    FT_Face face;
    uint8_t *coverage, *halo; /* of a band */
    uint64_t coverage_capacity, halo_capacity;
};

struct caption_font *caption_font_load(void)
{
    struct caption_font *font = mem_zalloc(1, sizeof *font);
    FILE *file = fopen(FONT_FILE, "rbe");
    if (file == NULL)
        return font;
    font->bytes = mem_alloc(FONT_BYTES_MAX);
    font->size_bytes = fread(font->bytes, 1, FONT_BYTES_MAX, file);
    fclose(file);
    font->bytes = mem_realloc(font->bytes, font->size_bytes + 1);
    return font;
}

static int open_face(struct caption_font *font, struct err *err)
{
    if (font->face != NULL)
        return 0;
    if (font->bytes == NULL)
        return err_set(err, ERR_UNAVAILABLE, "captions need the font " FONT_FILE " (Debian package fonts-dejavu-core)");
    if ((font->library == NULL && FT_Init_FreeType(&font->library) != 0) ||
        FT_New_Memory_Face(font->library, font->bytes, (FT_Long)font->size_bytes, 0, &font->face) != 0) {
        font->face = NULL;
        return err_set(err, ERR_UNAVAILABLE, "FreeType cannot read the font " FONT_FILE);
    }
    return 0;
}

void caption_font_name(struct caption_font *font, char *out, size_t out_bytes)
{
    struct err ignored = {0};
    FT_Int major = 0, minor = 0, patch = 0;
    const bool has_face = open_face(font, &ignored) == 0;
    if (font->library != NULL)
        FT_Library_Version(font->library, &major, &minor, &patch);
    const TT_Header *head = has_face ? FT_Get_Sfnt_Table(font->face, FT_SFNT_HEAD) : NULL;
    if (head != NULL) /* the revision is in 65536ths */
        snprintf(out, out_bytes, "FreeType %d.%d.%d, %s %.2f", major, minor, patch, font->face->family_name,
                 (double)head->Font_Revision / 65536);
    else
        snprintf(out, out_bytes, "no font");
}

static int make_capacity(struct caption_font *font, size_t size_bytes, struct err *err)
{
    font->coverage = mem_reserve(font->coverage, &font->coverage_capacity, size_bytes, 1);
    font->halo = mem_reserve(font->halo, &font->halo_capacity, size_bytes, 1);
    if (font->coverage == NULL || font->halo == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for a caption");
    memset(font->coverage, 0, size_bytes);
    return 0;
}

/* --------- choosing letters --------- */

struct letters {
    uint32_t codes[LETTERS_MAX];
    uint32_t count;
};

static uint32_t decode(const char *text, size_t size_bytes)
{
    static const uint8_t FIRST[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    uint32_t code = (uint8_t)text[0] & FIRST[size_bytes];
    for (size_t i = 1; i < size_bytes; i++)
        code = code << 6 | ((uint8_t)text[i] & 0x3f);
    return code;
}

/* Appends the text's letters; true when all fit. */
static bool add_text(struct letters *letters, const char *text, size_t text_bytes)
{
    for (size_t at = 0; at < text_bytes;) {
        const size_t size_bytes = utf8_sequence(text + at, text_bytes - at);
        const uint32_t code = size_bytes == 0 ? '?' : decode(text + at, size_bytes);
        if (letters->count == LETTERS_MAX)
            return false;
        letters->codes[letters->count++] = code < ' ' || (code >= 0x7f && code < 0xa0) ? ' ' : code;
        at += size_bytes == 0 ? 1 : size_bytes;
    }
    return true;
}

static int32_t advance_of(const struct caption_font *font, uint32_t code)
{
    /* a glyph that cannot be loaded has no width and is invisible */
    return FT_Load_Char(font->face, code, FT_LOAD_TARGET_LIGHT) == 0 ? (int32_t)font->face->glyph->advance.x : 0;
}

static int32_t width_of(const struct caption_font *font, const struct letters *letters)
{
    int32_t width = 0;
    for (uint32_t i = 0; i < letters->count; i++)
        width += advance_of(font, letters->codes[i]);
    return width;
}

/* Cuts letters off the end until they fit together with an ellipsis. */
static void shorten(const struct caption_font *font, struct letters *letters, bool is_cut, int32_t most)
{
    int32_t width = width_of(font, letters);
    if (width <= most && !is_cut)
        return;
    const int32_t ellipsis = advance_of(font, ELLIPSIS);
    while (letters->count > 0 && (width + ellipsis > most || letters->count == LETTERS_MAX))
        width -= advance_of(font, letters->codes[--letters->count]);
    while (letters->count > 0 && letters->codes[letters->count - 1] == ' ')
        letters->count--;
    letters->codes[letters->count++] = ELLIPSIS;
}

/* Shortens the name first, then the end of the rest. */
static void choose_letters(const struct caption_font *font, const struct caption *caption, int32_t most,
                           struct letters *out)
{
    struct letters rest = {.count = 0};
    out->count = 0;
    const bool is_cut = !add_text(out, caption->name, caption->name_bytes);
    add_text(&rest, caption->rest, strlen(caption->rest));
    const int32_t rest_width = width_of(font, &rest);
    if (out->count == 0 || rest_width + advance_of(font, ELLIPSIS) > most) {
        *out = rest;
        shorten(font, out, false, most);
        return;
    }
    shorten(font, out, is_cut, most - rest_width);
    for (uint32_t i = 0; i < rest.count && out->count < LETTERS_MAX; i++)
        out->codes[out->count++] = rest.codes[i];
}

/* --------- drawing letters --------- */

/* Adds a glyph's coverage with its origin at x, y of the band. */
static void add_glyph(const struct caption_font *font, const struct caption_band *band, int32_t x, int32_t y)
{
    const FT_GlyphSlot glyph = font->face->glyph;
    const FT_Bitmap *bitmap = &glyph->bitmap;
    for (uint32_t row = 0; row < bitmap->rows; row++)
        for (uint32_t column = 0; column < bitmap->width; column++) {
            const int64_t to_x = (int64_t)x + glyph->bitmap_left + column, to_y = (int64_t)y - glyph->bitmap_top + row;
            if (to_x < 0 || to_y < 0 || to_x >= band->width || to_y >= band->height)
                continue;
            const uint8_t value = bitmap->buffer[(ptrdiff_t)row * bitmap->pitch + column];
            uint8_t *to = &font->coverage[(size_t)to_y * band->width + (size_t)to_x];
            *to = value > *to ? value : *to;
        }
}

static void cover(const struct caption_font *font, const struct caption_band *band, const struct letters *letters,
                  double size)
{
    const int32_t width = width_of(font, letters);
    const int32_t baseline = (int32_t)((band->height + CAPITAL_SHARE * size) / 2 + 0.5);
    int32_t pen = ((int32_t)band->width * UNITS - width) / 2;
    for (uint32_t i = 0; i < letters->count; i++) {
        if (FT_Load_Char(font->face, letters->codes[i], FT_LOAD_RENDER | FT_LOAD_TARGET_LIGHT) != 0)
            continue;
        if (font->face->glyph->bitmap.pixel_mode == FT_PIXEL_MODE_GRAY)
            add_glyph(font, band, (pen + UNITS / 2) / UNITS, baseline);
        pen += (int32_t)font->face->glyph->advance.x;
    }
}

/* Takes the greatest coverage within a pixel of each pixel. */
static void spread(const struct caption_font *font, const struct caption_band *band)
{
    const int64_t width = band->width, height = band->height;
    for (int64_t y = 0; y < height; y++)
        for (int64_t x = 0; x < width; x++) {
            uint8_t most = 0;
            for (int64_t by = y > 0 ? y - 1 : 0; by <= y + 1 && by < height; by++)
                for (int64_t bx = x > 0 ? x - 1 : 0; bx <= x + 1 && bx < width; bx++) {
                    const uint8_t value = font->coverage[by * width + bx];
                    most = value > most ? value : most;
                }
            font->halo[y * width + x] = (uint8_t)(most * HALO_ALPHA / 255);
        }
}

/* Composites grey of this coverage over what is there (Porter & Duff 1984, "over"). */
static void lay(const struct caption_band *band, const uint8_t *coverage, uint32_t grey)
{
    for (uint32_t y = 0; y < band->height; y++)
        for (uint32_t x = 0; x < band->width; x++) {
            const uint32_t cover = coverage[(size_t)y * band->width + x];
            uint8_t *to = band->pixels + (y * band->stride + x) * 4;
            if (cover == 0)
                continue;
            const uint32_t behind = to[3] * (255 - cover), alpha = 255 * cover + behind; /* of 255 * 255 */
            for (int c = 0; c < 3; c++) {
                const uint32_t sum =
                    grey * cover * 255 + to[c] * (band->is_premultiplied ? 255 * (255 - cover) : behind);
                to[c] = (uint8_t)(band->is_premultiplied ? (sum + 32512) / 65025 : (sum + alpha / 2) / alpha);
            }
            to[3] = (uint8_t)((alpha + 127) / 255);
        }
}

int caption_draw(struct caption_font *font, const struct caption *caption, const struct caption_band *band,
                 struct err *err)
{
    const double size = SIZE_SHARE * band->height;
    struct letters letters;
    if (open_face(font, err) < 0 || make_capacity(font, (size_t)band->width * band->height, err) < 0)
        return err->code;
    if (FT_Set_Char_Size(font->face, 0, (FT_F26Dot6)(size * UNITS), 72, 72) != 0)
        return err_set(err, ERR_UNAVAILABLE, "the font has no size of %g pixels", size);
    choose_letters(font, caption, ((int32_t)band->width - 4) * UNITS, &letters);
    cover(font, band, &letters, size);
    uint8_t there[4];
    memcpy(there, band->pixels, sizeof there);                                            /* that the text may cover */
    const bool is_bright = there[0] * 299 + there[1] * 587 + there[2] * 114 > HALF_LIGHT; /* ITU-R BT.601 */
    if (there[3] < HALF_ALPHA) {
        spread(font, band);
        lay(band, font->halo, 0);
    }
    lay(band, font->coverage, there[3] >= HALF_ALPHA && is_bright ? 0 : 255);
    return 0;
}
