/* ogre_mesh.c - reads the chunks of a .mesh file: submeshes, their indices, bone assignments and names. */
#include "import/ogre/ogre_mesh.h"

#include "base/mem.h"

#include <stdlib.h>

enum {
    MESH = 0x3000,
    SUBMESH = 0x4000,
    SUBMESH_OPERATION = 0x4010,
    SUBMESH_BONE_ASSIGNMENT = 0x4100,
    SUBMESH_TEXTURE_ALIAS = 0x4200,
    GEOMETRY = 0x5000,
    SKELETON_LINK = 0x6000,
    BONE_ASSIGNMENT = 0x7000,
    LOD_LEVEL = 0x8000,
    BOUNDS = 0x9000,
    NAME_TABLE = 0xa000,
    NAME_TABLE_ELEMENT = 0xa100,
    EDGE_LISTS = 0xb000,
    POSES = 0xc000,
    ANIMATIONS = 0xd000,
    EXTREMES = 0xe000,
};

static int read_version(struct ogre_mesh *mesh)
{
    static const struct {
        const char *text;
        int version;
    } VERSIONS[] = {
        {"[MeshSerializer_v1.10]", 110},   {"[MeshSerializer_v1.20]", 120}, {"[MeshSerializer_v1.30]", 130},
        {"[MeshSerializer_v1.40]", 140},   {"[MeshSerializer_v1.41]", 141}, {"[MeshSerializer_v1.8]", 180},
        {"[MeshSerializer_v1.100]", 1100},
    };
    struct ogre_text text;
    if (ogre_open(&mesh->stream, &text) < 0)
        return mesh->stream.err->code;
    for (size_t i = 0; i < sizeof VERSIONS / sizeof *VERSIONS; i++)
        if (ogre_text_is(text, VERSIONS[i].text))
            mesh->version = VERSIONS[i].version;
    if (mesh->version == 0)
        return err_set(mesh->stream.err, ERR_BAD_MODEL,
                       "the version %.*s is not read: versions 1.10 to 1.100 are (Ogre 1); OgreMeshTool of Ogre-Next "
                       "writes those, too",
                       OGRE_SHORT(text));
    return 0;
}

static void read_assignment(struct ogre_stream *stream, struct ogre_geometry *geometry)
{
    geometry->assignments = mem_grow(geometry->assignments, &geometry->assignment_capacity,
                                     geometry->assignment_count + 1, sizeof *geometry->assignments);
    struct ogre_assignment *added = &geometry->assignments[geometry->assignment_count++];
    added->vertex = ogre_u32(stream);
    added->bone = ogre_u16(stream);
    ogre_f32s(stream, &added->weight, 1);
}

static void read_submesh_part(struct ogre_stream *stream, struct ogre_submesh *submesh, uint16_t id)
{
    if (id == SUBMESH_OPERATION) {
        submesh->operation = ogre_u16(stream);
    } else if (id == SUBMESH_BONE_ASSIGNMENT) {
        read_assignment(stream, &submesh->geometry);
    } else {
        ogre_line(stream);
        ogre_line(stream);
    }
}

static void read_submesh(struct ogre_mesh *mesh)
{
    struct ogre_stream *stream = &mesh->stream;
    mesh->submeshes =
        mem_grow(mesh->submeshes, &mesh->submesh_capacity, mesh->submesh_count + 1, sizeof *mesh->submeshes);
    struct ogre_submesh *submesh = &mesh->submeshes[mesh->submesh_count++];
    *submesh = (struct ogre_submesh){.material = ogre_line(stream), .operation = OGRE_TRIANGLES};
    submesh->is_shared = ogre_bool(stream);
    submesh->index_count = ogre_u32(stream);
    submesh->has_wide_indices = ogre_bool(stream);
    submesh->indices = ogre_take(stream, submesh->index_count, submesh->has_wide_indices ? 4 : 2);
    if (!submesh->is_shared) {
        if (ogre_enter_if(stream, GEOMETRY))
            ogre_geometry_read(mesh, &submesh->geometry);
        else
            ogre_fail(stream, "submesh %zu has no geometry", mesh->submesh_count - 1);
    }
    for (uint16_t id = ogre_peek(stream);
         id == SUBMESH_OPERATION || id == SUBMESH_BONE_ASSIGNMENT || id == SUBMESH_TEXTURE_ALIAS;
         id = ogre_peek(stream)) {
        ogre_enter(stream);
        read_submesh_part(stream, submesh, id);
    }
}

static void read_names(struct ogre_mesh *mesh)
{
    struct ogre_stream *stream = &mesh->stream;
    while (ogre_enter_if(stream, NAME_TABLE_ELEMENT)) {
        const uint16_t submesh = ogre_u16(stream);
        const struct ogre_text name = ogre_line(stream);
        if (submesh < mesh->submesh_count)
            mesh->submeshes[submesh].name = name;
    }
}

/* Reads the next chunk after its header; false if it does not belong to a mesh. */
static bool read_part(struct ogre_mesh *mesh, uint16_t id)
{
    enum { BOUNDS_FLOATS = 7 };
    struct ogre_stream *stream = &mesh->stream;
    if (id == EXTREMES) {
        ogre_skip(stream);
        return true;
    }
    if (id != 0)
        ogre_enter(stream);
    switch (id) {
    case GEOMETRY:
        if (mesh->shared.element_count > 0)
            ogre_fail(stream, "a second shared geometry");
        ogre_geometry_read(mesh, &mesh->shared);
        return true;
    case SUBMESH:
        read_submesh(mesh);
        return true;
    case SKELETON_LINK:
        mesh->skeleton = ogre_line(stream);
        return true;
    case BONE_ASSIGNMENT:
        read_assignment(stream, &mesh->shared);
        return true;
    case LOD_LEVEL:
        ogre_lod_skip(mesh);
        return true;
    case BOUNDS:
        ogre_take(stream, BOUNDS_FLOATS, 4);
        return true;
    case NAME_TABLE:
        read_names(mesh);
        return true;
    case EDGE_LISTS:
        ogre_edges_skip(mesh);
        return true;
    case POSES:
        ogre_poses_read(mesh);
        return true;
    case ANIMATIONS:
        ogre_animations_read(mesh);
        return true;
    default:
        return false;
    }
}

int ogre_mesh_read(struct ogre_mesh *mesh, const uint8_t *bytes, size_t size_bytes, struct err *err)
{
    *mesh = (struct ogre_mesh){.stream = {.file = "", .bytes = bytes, .size_bytes = size_bytes, .err = err}};
    if (read_version(mesh) < 0)
        return err->code;
    if (!ogre_enter_if(&mesh->stream, MESH))
        return ogre_fail(&mesh->stream, "the file holds no mesh");
    ogre_bool(&mesh->stream); /* whether it is skinned, which other chunks show as well */
    while (read_part(mesh, ogre_peek(&mesh->stream)))
        ;
    if (!ogre_failed(&mesh->stream) && mesh->submesh_count == 0)
        ogre_fail(&mesh->stream, "the mesh has no submesh");
    return err->code;
}

void ogre_mesh_fini(struct ogre_mesh *mesh)
{
    ogre_vertex_animations_fini(mesh);
    for (size_t i = 0; i < mesh->submesh_count; i++)
        free(mesh->submeshes[i].geometry.assignments);
    free(mesh->submeshes);
    free(mesh->shared.assignments);
    *mesh = (struct ogre_mesh){0};
}
