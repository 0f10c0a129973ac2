/* ogre_lod.c - skips a mesh's levels of detail and edge lists; old versions require parsing to find their end. */
#include "import/ogre/ogre_mesh.h"

enum {
    LOD_USAGE = 0x8100,
    LOD_MANUAL = 0x8110,
    LOD_GENERATED = 0x8120,
    EDGE_LIST_LOD = 0xb100,
    EDGE_GROUP = 0xb110,
};

static void skip_indices(struct ogre_stream *stream)
{
    const uint32_t count = ogre_u32(stream);
    const bool is_wide = ogre_bool(stream);
    ogre_take(stream, count, is_wide ? 4 : 2);
}

/* Versions up to 1.8 have a usage with its distance. It contains the name of a mesh, or the indices of each submesh. */
static void skip_usage(struct ogre_mesh *mesh)
{
    struct ogre_stream *stream = &mesh->stream;
    ogre_u32(stream);
    if (ogre_enter_if(stream, LOD_MANUAL))
        ogre_line(stream);
    while (ogre_enter_if(stream, LOD_GENERATED))
        skip_indices(stream);
}

/* In version 1.100 a level is one chunk. The indices of a submesh may be part of an earlier level's. */
static void skip_generated(struct ogre_mesh *mesh)
{
    struct ogre_stream *stream = &mesh->stream;
    for (size_t i = 0; i < mesh->submesh_count && !ogre_failed(stream); i++) {
        ogre_take(stream, 2, 4);
        const uint32_t buffer = ogre_u32(stream);
        if (buffer != UINT32_MAX)
            continue;
        const bool is_wide = ogre_bool(stream);
        ogre_take(stream, ogre_u32(stream), is_wide ? 4 : 2);
    }
}

void ogre_lod_skip(struct ogre_mesh *mesh)
{
    struct ogre_stream *stream = &mesh->stream;
    if (mesh->version >= 141)
        ogre_line(stream); /* the strategy */
    ogre_u16(stream);
    if (mesh->version < 1100)
        ogre_bool(stream);
    for (uint16_t id = ogre_peek(stream); id == LOD_USAGE || id == LOD_MANUAL || id == LOD_GENERATED;
         id = ogre_peek(stream)) {
        ogre_enter(stream);
        if (id == LOD_USAGE) {
            skip_usage(mesh);
            continue;
        }
        ogre_u32(stream);
        if (id == LOD_MANUAL)
            ogre_line(stream);
        else
            skip_generated(mesh);
    }
}

static void skip_group(struct ogre_mesh *mesh)
{
    enum { EDGE_BYTES = 6 * 4 + 1 };
    struct ogre_stream *stream = &mesh->stream;
    ogre_take(stream, mesh->version >= 140 ? 3 : 1, 4);
    ogre_take(stream, ogre_u32(stream), EDGE_BYTES);
}

void ogre_edges_skip(struct ogre_mesh *mesh)
{
    enum { TRIANGLE_BYTES = 8 * 4 + 4 * 4 };
    struct ogre_stream *stream = &mesh->stream;
    while (ogre_enter_if(stream, EDGE_LIST_LOD)) {
        ogre_u16(stream);
        if (ogre_bool(stream))
            continue; /* another mesh has them */
        if (mesh->version >= 140)
            ogre_bool(stream);
        const uint32_t triangles = ogre_u32(stream);
        ogre_u32(stream);
        ogre_take(stream, triangles, TRIANGLE_BYTES);
        while (ogre_enter_if(stream, EDGE_GROUP))
            skip_group(mesh);
    }
}
