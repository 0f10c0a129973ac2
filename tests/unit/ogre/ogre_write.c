#include "tests/unit/ogre/ogre_write.h"

#include <string.h>

void ogre_write_u16s(struct buf *out, const uint16_t *values, int count)
{
    buf_put(out, values, (size_t)count * sizeof *values);
}

void ogre_write_u32(struct buf *out, uint32_t value) { buf_put(out, &value, sizeof value); }

void ogre_write_line(struct buf *out, const char *text)
{
    buf_put(out, text, strlen(text));
    buf_put(out, "\n", 1);
}

void ogre_write_begin(struct buf *out, const char *version)
{
    buf_init(out, 0);
    OGRE_U16S(out, 0x1000);
    ogre_write_line(out, version);
}

void ogre_write_chunk(struct buf *out, uint16_t id, uint32_t size_bytes)
{
    OGRE_U16S(out, id);
    ogre_write_u32(out, size_bytes);
}

static void write_element(struct buf *out, uint16_t type, uint16_t semantic, uint16_t offset)
{
    ogre_write_chunk(out, 0x5110, 16);
    OGRE_U16S(out, 0, type, semantic, offset, 0);
}

void ogre_write_mesh(struct buf *out, const uint16_t *indices, uint32_t index_count, const float *vertices,
                     uint32_t vertex_count, bool has_surface)
{
    enum { FLOAT2 = 1, FLOAT3 = 2, POSITION = 1, NORMAL = 4, TEXCOORD = 7 };
    const uint16_t stride = has_surface ? 32 : 12;
    ogre_write_begin(out, "[MeshSerializer_v1.100]");
    ogre_write_chunk(out, 0x3000, 0);
    buf_put(out, "\0", 1);
    ogre_write_chunk(out, 0x4000, 0);
    ogre_write_line(out, "");
    buf_put(out, "\0", 1); /* has vertices of its own */
    ogre_write_u32(out, index_count);
    buf_put(out, "\0", 1);
    ogre_write_u16s(out, indices, (int)index_count);
    ogre_write_chunk(out, 0x5000, 0);
    ogre_write_u32(out, vertex_count);
    ogre_write_chunk(out, 0x5100, 0);
    write_element(out, FLOAT3, POSITION, 0);
    if (has_surface) {
        write_element(out, FLOAT3, NORMAL, 12);
        write_element(out, FLOAT2, TEXCOORD, 24);
    }
    ogre_write_chunk(out, 0x5200, 0);
    OGRE_U16S(out, 0, stride);
    ogre_write_chunk(out, 0x5210, 0);
    buf_put(out, vertices, (size_t)vertex_count * stride);
}

void ogre_write_end(struct buf *out, const struct temp_tree *tree, const char *path)
{
    temp_tree_bytes(tree, path, out->data, out->size_bytes);
    buf_fini(out);
}
