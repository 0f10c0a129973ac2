/* ogre_write.h - writes Ogre's binary files in tests: numbers of this machine, and chunks whose sizes no reader needs.
 */
#pragma once

#include "tests/unit/support/temp_tree.h"

#include "base/buf.h"

void ogre_write_begin(struct buf *out, const char *version); /* "[MeshSerializer_v1.100]" */
void ogre_write_u16s(struct buf *out, const uint16_t *values, int count);
#define OGRE_U16S(out, ...)                                                                                            \
    ogre_write_u16s(out, (const uint16_t[]){__VA_ARGS__},                                                              \
                    (int)(sizeof(const uint16_t[]){__VA_ARGS__} / sizeof(uint16_t)))
void ogre_write_u32(struct buf *out, uint32_t value);
void ogre_write_chunk(struct buf *out, uint16_t id, uint32_t size_bytes);
void ogre_write_line(struct buf *out, const char *text);
/* Starts a mesh of version 1.100 whose only submesh has these triangles, then its geometry. Vertices have a position,
 * and if has_surface a normal and texture coordinates: 3 or 8 floats each. */
void ogre_write_mesh(struct buf *out, const uint16_t *indices, uint32_t index_count, const float *vertices,
                     uint32_t vertex_count, bool has_surface);
/* Writes the file and frees the buffer. */
void ogre_write_end(struct buf *out, const struct temp_tree *tree, const char *path);
