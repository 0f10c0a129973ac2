/* debug_view_data.c - colours by weight, by joint and by id. */
#include "render/pose/debug_view_data.h"

#include "anim/model/color.h"
#include "render/pose/influence.h"

#include <stdlib.h>

/* Linear, like those of skeleton_mesh.c. */
static const struct rgba8 CHOSEN_COLOR = {10, 120, 240, 255};

static void *make_array(uint32_t count, size_t item_bytes, struct err *err)
{
    void *items = malloc(((size_t)count + 1) * item_bytes);
    if (items == NULL)
        err_set(err, ERR_NO_MEMORY, "no memory for what the view tells of %u vertices or triangles", count);
    return items;
}

static struct rgba8 weight_color(float weight) { return (struct rgba8){(uint8_t)(weight * 255 + 0.5f), 0, 0, 255}; }

struct rgba8 *debug_view_weight_colors(const struct model *model, const struct draw *draw, uint32_t joint,
                                       struct err *err)
{
    const struct primitive *primitive = &model->primitives[draw->primitive];
    struct rgba8 *colors = make_array(primitive->vertex_count, sizeof *colors, err);
    uint32_t *nodes = joint > 0 ? NULL : influence_nodes(model, draw, false, err);
    if (joint == 0 && nodes == NULL) {
        free(colors);
        return NULL;
    }
    for (uint32_t v = 0; colors != NULL && v < primitive->vertex_count; v++) {
        colors[v] = joint > 0 ? weight_color(influence_weight(model, draw, v, joint - 1)) : influence_color(nodes[v]);
        if ((primitive->flags & PRIMITIVE_COLORS) != 0)
            colors[v].a = unorm8_from_16(model->colors[primitive->vertex_first + v].a);
    }
    free(nodes);
    return colors;
}

uint32_t *debug_view_id_colors(const struct model *model, const struct draw *draw, struct err *err)
{
    const uint32_t count = influence_element_count(&model->primitives[draw->primitive]);
    uint32_t *items = influence_nodes(model, draw, true, err);
    for (uint32_t e = 0; items != NULL && e < count; e++)
        items[e] = influence_id_color(items[e]);
    return items;
}

uint32_t *debug_view_bone_id_colors(const struct skeleton_mesh *skeleton, struct err *err)
{
    uint32_t *items = make_array(skeleton->vertex_count / 3, sizeof *items, err);
    for (uint32_t e = 0; items != NULL && e < skeleton->vertex_count / 3; e++)
        items[e] = influence_id_color(skeleton->nodes[3 * (size_t)e]);
    return items;
}

struct rgba8 *debug_view_bone_colors(const struct skeleton_mesh *skeleton, uint32_t joint, bool is_by_weight,
                                     struct err *err)
{
    struct rgba8 *colors = make_array(skeleton->vertex_count, sizeof *colors, err);
    for (uint32_t v = 0; colors != NULL && v < skeleton->vertex_count; v++) {
        const bool is_chosen = joint > 0 && skeleton->nodes[v] == joint - 1;
        if (is_by_weight)
            colors[v] = joint == 0 ? influence_color(skeleton->nodes[v]) : weight_color(is_chosen);
        else
            colors[v] = is_chosen ? CHOSEN_COLOR : skeleton->colors[v];
    }
    return colors;
}
