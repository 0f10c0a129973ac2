/* md2_file.c - reads the header of an MD2 file, which has 17 numbers, and checks each array's count and offset against
 * the file's size. */
#include "import/quake/md2.h"

#include "base/bytes.h"
#include "base/mem.h"

#include <math.h>
#include <string.h>

enum {
    VERSION = 8,
    HEADER_BYTES = 68,
    FRAME_HEADER_BYTES = 24 + MD2_FRAME_NAME_BYTES,
    TEXCOORD_BYTES = 4,
    TRIANGLE_BYTES = 12,
    VERTEX_BYTES = 4,
};

/* Returns the array whose offset is at `place_at` in the header; NULL if the file does not contain it. */
static const uint8_t *find_array(const uint8_t *bytes, size_t size_bytes, uint32_t place_at, uint64_t count,
                                 uint64_t item_bytes, const char *what, struct err *err)
{
    const uint32_t first = get_u32(bytes + place_at);
    if (first <= size_bytes && count <= (size_bytes - first) / item_bytes)
        return bytes + first;
    err_set(err, ERR_BAD_MODEL, "the %llu %s at byte %u do not lie in the file's %zu bytes", (unsigned long long)count,
            what, first, size_bytes);
    return NULL;
}

static int check_triangles(const struct md2_file *file, struct err *err)
{
    for (uint32_t t = 0; t < file->triangle_count; t++)
        for (int c = 0; c < 3; c++) {
            const uint8_t *triangle = file->triangles + TRIANGLE_BYTES * (size_t)t;
            const uint32_t vertex = get_u16(triangle + 2 * c), texcoord = get_u16(triangle + 6 + 2 * c);
            if (vertex >= file->vertex_count)
                return err_set(err, ERR_BAD_MODEL, "triangle %u has vertex %u, but there are %u", t, vertex,
                               file->vertex_count);
            if (texcoord >= file->texcoord_count && file->texcoord_count > 0)
                return err_set(err, ERR_BAD_MODEL, "triangle %u has texture coordinate %u, but there are %u", t,
                               texcoord, file->texcoord_count);
        }
    return 0;
}

static int check_frames(const struct md2_file *file, struct err *err)
{
    for (uint32_t f = 0; f < file->frame_count; f++)
        for (int i = 0; i < 6; i++)
            if (!isfinite(get_f32(file->frames + (size_t)file->frame_bytes * f + 4 * i)))
                return err_set(err, ERR_BAD_MODEL, "frame %u has a scale or translation that is not finite", f);
    return 0;
}

int md2_file_read(struct md2_file *file, const uint8_t *bytes, size_t size_bytes, struct err *err)
{
    if (size_bytes < HEADER_BYTES)
        return err_set(err, ERR_BAD_MODEL, "the file has %zu bytes, less than its header", size_bytes);
    if (get_u32(bytes + 4) != VERSION)
        return err_set(err, ERR_BAD_MODEL, "MD2 of version %u: version %d is read", get_u32(bytes + 4), VERSION);
    *file = (struct md2_file){
        .skin_width = get_u32(bytes + 8),
        .skin_height = get_u32(bytes + 12),
        .frame_bytes = get_u32(bytes + 16),
        .skin_count = get_u32(bytes + 20),
        .vertex_count = get_u32(bytes + 24),
        .texcoord_count = get_u32(bytes + 28),
        .triangle_count = get_u32(bytes + 32),
        .frame_count = get_u32(bytes + 40),
    };
    const uint64_t frame_bytes = FRAME_HEADER_BYTES + (uint64_t)file->vertex_count * VERTEX_BYTES;
    if (file->frame_bytes < frame_bytes)
        return err_set(err, ERR_BAD_MODEL, "frames of %u bytes cannot hold %u vertices", file->frame_bytes,
                       file->vertex_count);
    if (file->frame_count == 0 || file->triangle_count == 0)
        return err_set(err, ERR_BAD_MODEL, "the file has %u frames and %u triangles", file->frame_count,
                       file->triangle_count);
    file->skins = find_array(bytes, size_bytes, 44, file->skin_count, MD2_SKIN_NAME_BYTES, "skins", err);
    file->texcoords =
        find_array(bytes, size_bytes, 48, file->texcoord_count, TEXCOORD_BYTES, "texture coordinates", err);
    file->triangles = find_array(bytes, size_bytes, 52, file->triangle_count, TRIANGLE_BYTES, "triangles", err);
    file->frames = find_array(bytes, size_bytes, 56, file->frame_count, file->frame_bytes, "frames", err);
    if (file->skins == NULL || file->texcoords == NULL || file->triangles == NULL || file->frames == NULL)
        return err->code;
    return check_triangles(file, err) < 0 || check_frames(file, err) < 0 ? err->code : 0;
}

void md2_position(const struct md2_file *file, uint32_t frame, uint32_t vertex, double out[3])
{
    const uint8_t *at = file->frames + (size_t)file->frame_bytes * frame;
    const uint8_t *packed = at + FRAME_HEADER_BYTES + VERTEX_BYTES * (size_t)vertex;
    for (int i = 0; i < 3; i++)
        out[i] = (double)get_f32(at + 4 * i) * packed[i] + (double)get_f32(at + 12 + 4 * i);
}

void md2_frame_name(const struct md2_file *file, uint32_t frame, char out[MD2_FRAME_NAME_BYTES + 1])
{
    memcpy(out, file->frames + (size_t)file->frame_bytes * frame + 24, MD2_FRAME_NAME_BYTES);
    out[MD2_FRAME_NAME_BYTES] = '\0';
}
