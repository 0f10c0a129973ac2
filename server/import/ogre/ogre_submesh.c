/* ogre_submesh.c - adds each submesh as a mesh of one primitive and a node that shows it. */
#include "import/ogre/ogre.h"

#include <stdio.h>
#include <string.h>

/* Returns the submesh's name; an unnamed only submesh takes the file's name. */
static struct str name_of(const struct ogre *ogre, uint32_t submesh)
{
    const struct ogre_text name = ogre->mesh.submeshes[submesh].name;
    const char *file = import_file_name(ogre->import), *dot = strrchr(file, '.');
    if (name.size_bytes > 0)
        return ogre_put_text(ogre, name);
    if (ogre->mesh.submesh_count == 1)
        return bake_text(ogre->builder, file, (size_t)(dot - file));
    return (struct str){.offset = STR_NONE};
}

static int add_node(struct ogre *ogre, uint32_t submesh, bool is_skinned, struct err *err)
{
    char where[OGRE_WHERE_SIZE];
    const uint64_t targets = ogre_target_count(ogre, submesh);
    if (import_check_limit(ogre->import, LIMIT_WEIGHTS, ogre->builder->weight_count, targets,
                           ogre_where(ogre, submesh, where), err) < 0)
        return err->code;
    const struct node node = {.name = name_of(ogre, submesh),
                              .parent = -1,
                              .mesh = (int32_t)submesh,
                              .skin = is_skinned ? ogre->skin : -1,
                              .matrix = -1,
                              .rotation = {0, 0, 0, 1},
                              .scale = {1, 1, 1},
                              .weight_first = ogre->builder->weight_count,
                              .weight_count = (uint32_t)targets};
    const uint32_t index = ogre->builder->node_count;
    if (bake_add_weight(ogre->builder, (uint32_t)targets) == NULL)
        return import_full(ogre->import, err);
    return import_put_node(ogre->import, &node, err) < 0 ? err->code : import_put_root(ogre->import, &index, err);
}

static int add_submesh(struct ogre *ogre, uint32_t submesh, struct err *err)
{
    const bool is_skinned = ogre->skin >= 0 && ogre_geometry_of(ogre, submesh)->assignment_count > 0;
    const struct mesh mesh = {
        .name = name_of(ogre, submesh), .primitive_first = ogre->builder->primitive_count, .primitive_count = 1};
    if (import_put_mesh(ogre->import, &mesh, err) < 0 ||
        ogre_add_primitive(ogre, submesh, submesh, is_skinned, err) < 0)
        return err->code;
    return add_node(ogre, submesh, is_skinned, err);
}

int ogre_read_submeshes(struct ogre *ogre, struct err *err)
{
    ogre->submesh_node_first = ogre->builder->node_count;
    if (import_check_limit(ogre->import, LIMIT_NODES, ogre->builder->node_count, ogre->mesh.submesh_count, "the mesh",
                           err) < 0)
        return err->code;
    for (uint32_t i = 0; i < ogre->mesh.submesh_count; i++)
        if (add_submesh(ogre, i, err) < 0)
            return err->code;
    return 0;
}
