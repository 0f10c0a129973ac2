/* fbx_visibility.c - finds the nodes that viewers do not show: those that the file hides, and all but the finest level
 * of detail. Nodes whose visibility a clip changes are shown. */
#include "import/fbx/fbx.h"

#include "base/mem.h"

#include <stdlib.h>

static bool has_curve(const struct fbx *fbx, uint32_t object)
{
    uint32_t count;
    const struct fbx_link *links = fbx_children(&fbx->scene, object, &count);
    for (uint32_t i = 0; i < count; i++)
        if (fbx_span_is(links[i].property, "Visibility"))
            return true;
    return false;
}

static bool is_hidden(const struct fbx *fbx, uint32_t object)
{
    double visibility = 1;
    fbx_property_real(&fbx->scene, object, "Visibility", &visibility);
    return visibility == 0 && !has_curve(fbx, object);
}

static bool inherits(const struct fbx *fbx, uint32_t object)
{
    int64_t value = 1;
    fbx_property_integer(&fbx->scene, object, "Visibility Inheritance", &value);
    return value != 0;
}

/* Groups list their levels from the finest on. */
static void hide_levels(struct fbx *fbx, enum visibility *visibilities)
{
    enum { PLAIN, GROUP, GROUP_WITH_LEVEL };
    uint8_t *kinds = mem_zalloc((size_t)fbx->node_count + 1, sizeof *kinds);
    for (uint32_t n = 0; n < fbx->node_count; n++)
        if (fbx_first_child(&fbx->scene, fbx->object_of[n], "NodeAttribute", "LodGroup") != FBX_NONE)
            kinds[n] = GROUP;
    for (uint32_t n = 0; n < fbx->node_count; n++) {
        const int32_t parent = fbx->builder->nodes[n].parent;
        if (parent < 0 || kinds[parent] == PLAIN)
            continue;
        if (kinds[parent] == GROUP_WITH_LEVEL)
            visibilities[n] = VISIBILITY_HIDDEN;
        kinds[parent] = GROUP_WITH_LEVEL;
    }
    free(kinds);
}

/* If a file would show nothing, all nodes are shown. */
static void show_something(struct fbx *fbx)
{
    struct node *nodes = fbx->builder->nodes;
    for (uint32_t n = 0; n < fbx->node_count; n++)
        if (fbx->geometry_of[n] != FBX_NONE && (nodes[n].flags & NODE_HIDDEN) == 0)
            return;
    for (uint32_t n = 0; n < fbx->node_count; n++)
        nodes[n].flags &= ~(uint32_t)(NODE_HIDDEN | NODE_HIDES);
}

void fbx_read_visibility(struct fbx *fbx)
{
    enum visibility *visibilities = mem_zalloc((size_t)fbx->node_count + 1, sizeof *visibilities);
    for (uint32_t n = 0; n < fbx->node_count; n++)
        visibilities[n] = is_hidden(fbx, fbx->object_of[n])  ? VISIBILITY_HIDDEN
                          : inherits(fbx, fbx->object_of[n]) ? VISIBILITY_INHERITED
                                                             : VISIBILITY_SHOWN;
    hide_levels(fbx, visibilities);
    import_hide_nodes(fbx->import, visibilities);
    show_something(fbx);
    free(visibilities);
}
