/* assimp_lwo.c - converts LightWave objects without layers to files of one layer. assimp 5.2.5 finds no root in a file
 * without layers, nor if a layer is its own parent.
 *
 * Files of LightWave 6 and later (LWO2) may lack the layer chunk, which the conversion inserts. Older files (LWOB)
 * never have one, so the conversion rewrites them as LWO2 (LightWave file formats, "LWOB" and "LWO2", NewTek). A file
 * consists of big-endian chunks: four letters, a size (u32), the content, and a zero byte if the size is odd. Chunks
 * inside a surface have 16-bit sizes. */
#include "import/assimp/assimp_lwo.h"

#include <math.h>
#include <string.h>

enum {
    FORM_BYTES = 12, /* "FORM", a size, "LWO2" */
    LAYER_BYTES = 18,
    CORNERS_MAX = 1023, /* of a polygon of LWO2 */
    FLAG_SMOOTH = 4,
    FLAG_TWO_SIDED = 256,
};

struct span {
    const uint8_t *at, *end;
};

static uint16_t u16_at(const uint8_t *p) { return (uint16_t)(p[0] << 8 | p[1]); }
static uint32_t u32_at(const uint8_t *p) { return (uint32_t)u16_at(p) << 16 | u16_at(p + 2); }
static float f32_at(const uint8_t *p)
{
    const uint32_t bits = u32_at(p);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void put_u16(struct buf *out, uint16_t value) { buf_put_u16(out, __builtin_bswap16(value)); }
static void put_u32(struct buf *out, uint32_t value) { buf_put_u32(out, __builtin_bswap32(value)); }
static void put_f32(struct buf *out, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_u32(out, bits);
}

/* An index of two bytes, or of four. */
static void put_index(struct buf *out, uint32_t index)
{
    if (index < 0xff00)
        put_u16(out, (uint16_t)index);
    else
        put_u32(out, 0xff000000u | index);
}

static void put_chunk(struct buf *out, const char *id, const void *content, size_t size_bytes)
{
    buf_put(out, id, 4);
    put_u32(out, (uint32_t)size_bytes);
    buf_put(out, content, size_bytes);
    if (size_bytes % 2 != 0)
        buf_put_char(out, 0);
}

static void put_layer(struct buf *out)
{
    static const uint8_t NOTHING[LAYER_BYTES];
    put_chunk(out, "LAYR", NOTHING, LAYER_BYTES);
}

/* Sets *content to the chunk at from->at and moves from->at behind it. Returns false at the end. */
static bool next_chunk(struct span *from, struct span *content, const uint8_t **id, bool is_short)
{
    const ptrdiff_t header = is_short ? 6 : 8;
    if (from->end - from->at < header)
        return false;
    const uint32_t size = is_short ? u16_at(from->at + 4) : u32_at(from->at + 4);
    *id = from->at;
    const uint8_t *begin = from->at + header;
    *content = (struct span){begin, (size_t)(from->end - begin) < size ? from->end : begin + size};
    from->at = content->end + (size % 2 != 0 && content->end < from->end);
    return true;
}

static bool is_id(const uint8_t *id, const char *text) { return memcmp(id, text, 4) == 0; }

/* --- polygons --- */

/* Polygons: a count, indices and a surface from 1 on; a negative one is followed by how many polygons lie on it, which
 * are read like others. */
static int put_polygons(struct span from, struct buf *out, struct err *err)
{
    struct buf polygons, surfaces;
    uint32_t count = 0;
    buf_init(&polygons, 0);
    buf_init(&surfaces, 0);
    buf_put_text(&polygons, "FACE");
    buf_put_text(&surfaces, "SURF");
    while (from.end - from.at >= 2) {
        const uint32_t corners = u16_at(from.at);
        if ((size_t)(from.end - from.at) < 4 + 2 * (size_t)corners || corners > CORNERS_MAX) {
            err_set(err, ERR_BAD_MODEL, "LWOB: polygon %u has %u corners, more than there are or %d", count, corners,
                    CORNERS_MAX);
            break;
        }
        put_u16(&polygons, (uint16_t)corners);
        for (uint32_t i = 0; i < corners; i++)
            put_index(&polygons, u16_at(from.at + 2 + 2 * i));
        const int surface = (int16_t)u16_at(from.at + 2 + 2 * corners);
        from.at += 4 + 2 * corners;
        if (surface < 0 && from.end - from.at >= 2)
            from.at += 2;
        put_index(&surfaces, count++);
        put_u16(&surfaces, (uint16_t)(surface == 0 ? 0 : (surface < 0 ? -surface : surface) - 1));
    }
    put_chunk(out, "POLS", polygons.data, polygons.size_bytes);
    put_chunk(out, "PTAG", surfaces.data, surfaces.size_bytes);
    buf_fini(&polygons);
    buf_fini(&surfaces);
    return err->code;
}

/* --- surfaces --- */

static void put_short_chunk(struct buf *out, const char *id, uint16_t size_bytes)
{
    buf_put(out, id, 4);
    put_u16(out, size_bytes);
}

/* A number with the envelope index 0, which means no envelope. */
static void put_value(struct buf *out, const char *id, float value)
{
    put_short_chunk(out, id, 6);
    put_f32(out, isfinite(value) ? value : 0);
    put_u16(out, 0);
}

static void put_flags(struct buf *out, uint16_t flags)
{
    static const float RIGHT_ANGLE = 1.5707963f;
    put_short_chunk(out, "SIDE", 2);
    put_u16(out, (flags & FLAG_TWO_SIDED) != 0 ? 3 : 1);
    if ((flags & FLAG_SMOOTH) != 0) {
        put_short_chunk(out, "SMAN", 4);
        put_f32(out, RIGHT_ANGLE);
    }
}

/* Converts numeric subchunks: 16-bit values in units of 1/256, or floats unchanged. */
static bool put_number(struct buf *out, const uint8_t *id, struct span content)
{
    static const struct {
        const char *old, *now;
        bool is_float;
    } ROWS[] = {{"LUMI", "LUMI", false}, {"VLUM", "LUMI", true}, {"DIFF", "DIFF", false}, {"VDIF", "DIFF", true},
                {"SPEC", "SPEC", false}, {"VSPC", "SPEC", true}, {"TRAN", "TRAN", false}, {"VTRN", "TRAN", true}};
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        if (!is_id(id, ROWS[i].old) || content.end - content.at < (ROWS[i].is_float ? 4 : 2))
            continue;
        put_value(out, ROWS[i].now, ROWS[i].is_float ? f32_at(content.at) : (float)u16_at(content.at) / 256);
        return true;
    }
    return false;
}

static void put_part(struct buf *out, const uint8_t *id, struct span content, bool *has_textures)
{
    const ptrdiff_t size = content.end - content.at;
    if (is_id(id, "COLR") && size >= 3) {
        put_short_chunk(out, "COLR", 14);
        for (int i = 0; i < 3; i++)
            put_f32(out, (float)content.at[i] / 255);
        put_u16(out, 0);
    } else if (is_id(id, "FLAG") && size >= 2) {
        put_flags(out, u16_at(content.at));
    } else if (is_id(id, "SMAN") && size >= 4) {
        put_short_chunk(out, "SMAN", 4);
        put_f32(out, isfinite(f32_at(content.at)) ? f32_at(content.at) : 0);
    } else if (is_id(id, "GLOS") && size >= 2 && u16_at(content.at) > 0) {
        put_value(out, "GLOS", fmaxf((log2f(u16_at(content.at)) - 2) / 10, 0)); /* 16 ... 1024: 2^(10 g + 2) */
    } else if (is_id(id, "TIMG") && size >= 1 && content.at[0] != '\0') {
        *has_textures |= memcmp(content.at, "(none)", size < 6 ? (size_t)size : 6) != 0;
    } else {
        put_number(out, id, content);
    }
}

static void put_surface(struct span from, struct buf *out, bool *has_textures)
{
    struct buf surface;
    struct span content;
    const uint8_t *id, *stop = memchr(from.at, '\0', (size_t)(from.end - from.at));
    if (stop == NULL)
        return;
    const size_t name_bytes = ((size_t)(stop - from.at) + 2) / 2 * 2;
    if ((size_t)(from.end - from.at) < name_bytes)
        return;
    buf_init(&surface, 0);
    buf_put(&surface, from.at, name_bytes);
    put_u16(&surface, 0); /* the surface it comes from: none */
    from.at += name_bytes;
    while (next_chunk(&from, &content, &id, true))
        put_part(&surface, id, content, has_textures);
    put_chunk(out, "SURF", surface.data, surface.size_bytes);
    buf_fini(&surface);
}

/* --- files --- */

static int write_anew(struct span from, struct buf *out, bool *has_textures, struct err *err)
{
    struct span content;
    const uint8_t *id;
    put_layer(out);
    while (next_chunk(&from, &content, &id, false) && err->code == 0) {
        if (is_id(id, "PNTS"))
            put_chunk(out, "PNTS", content.at, (size_t)(content.end - content.at));
        else if (is_id(id, "SRFS"))
            put_chunk(out, "TAGS", content.at, (size_t)(content.end - content.at));
        else if (is_id(id, "POLS"))
            put_polygons(content, out, err);
        else if (is_id(id, "SURF"))
            put_surface(content, out, has_textures);
    }
    return err->code;
}

/* Where a layer has its parent's number: behind its own, flags, a pivot and a name; NULL: it has none. */
static const uint8_t *parent_of(struct span layer)
{
    enum { NAME_AT = 16 };
    if (layer.end - layer.at <= NAME_AT)
        return NULL;
    const uint8_t *stop = memchr(layer.at + NAME_AT, '\0', (size_t)(layer.end - layer.at) - NAME_AT);
    const size_t at = stop == NULL ? 0 : ((size_t)(stop - layer.at) + 2) / 2 * 2;
    return stop != NULL && (size_t)(layer.end - layer.at) >= at + 2 ? layer.at + at : NULL;
}

/* Looks for layers. A layer that is its own parent has no root: *own_parent points to the first such parent number or
 * NULL. */
static bool has_layer(struct span from, const uint8_t **own_parent)
{
    struct span content;
    const uint8_t *id;
    bool is_found = false;
    *own_parent = NULL;
    while (next_chunk(&from, &content, &id, false)) {
        const uint8_t *parent = is_id(id, "LAYR") ? parent_of(content) : NULL;
        is_found |= is_id(id, "LAYR");
        if (parent != NULL && *own_parent == NULL && u16_at(parent) == u16_at(content.at))
            *own_parent = parent;
    }
    return is_found;
}

/* Copies the object and clears the parent of each layer that is its own parent. */
static void free_layers(const uint8_t *bytes, size_t size_bytes, const uint8_t *own_parent, struct buf *out)
{
    buf_put(out, bytes, size_bytes);
    while (own_parent != NULL && !buf_failed(out)) {
        memset(out->data + (own_parent - bytes), 0xff, 2);
        const struct span left = {own_parent + 2, bytes + size_bytes}; /* the next chunk begins behind the number */
        has_layer(left, &own_parent);
    }
}

int assimp_lwo_convert(const uint8_t *bytes, size_t size_bytes, struct buf *out, bool *has_textures, struct err *err)
{
    *has_textures = false;
    if (size_bytes < FORM_BYTES || !is_id(bytes, "FORM"))
        return 0;
    const struct span all = {bytes + FORM_BYTES, bytes + size_bytes};
    const bool is_old = is_id(bytes + 8, "LWOB");
    const uint8_t *own_parent = NULL;
    if (!is_old && (!is_id(bytes + 8, "LWO2") || (has_layer(all, &own_parent) && own_parent == NULL)))
        return 0;
    if (own_parent != NULL) {
        free_layers(bytes, size_bytes, own_parent, out);
        return buf_failed(out) ? err_set(err, ERR_IMPORT_MEMORY, "no memory for the object's layers") : 1;
    }
    buf_put(out, "FORM\0\0\0\0LWO2", FORM_BYTES);
    err->code = 0;
    if (is_old) {
        if (write_anew(all, out, has_textures, err) < 0)
            return err->code;
    } else {
        put_layer(out);
        buf_put(out, all.at, (size_t)(all.end - all.at));
    }
    if (buf_failed(out))
        return err_set(err, ERR_IMPORT_MEMORY, "no memory for the object as LWO2");
    const uint32_t size = __builtin_bswap32((uint32_t)(out->size_bytes - 8));
    memcpy(out->data + 4, &size, sizeof size);
    return 1;
}
