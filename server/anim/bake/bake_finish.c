/* bake_finish.c - completes an imported model: draws, rigid skins, rest bounds, compiled clips. */
#include "anim/bake/bake.h"

#include "base/mem.h"
#include "base/sort.h"
#include "anim/bake/bake_check.h"
#include "anim/bake/bake_finish.h"
#include "anim/compiled/clip_compile.h"
#include "anim/pose/pose.h"
#include "anim/pose/skin.h"

#include <stdlib.h>
#include <string.h>

static bool is_zero3(const float v[3]) { return v[0] == 0 && v[1] == 0 && v[2] == 0; }

/* Sets defaults for what a reader left at zero. */
static void fill_in(struct bake_builder *builder)
{
    /* Adding 0 elements gives every array an address, so that later steps meet no NULL. */
#define X(id, singular, plural, type, item_bytes) bake_add_##singular(builder, 0);
#include "anim/model/model_sections.def"
#undef X
    if (builder->influence_first_count == 0)
        bake_add_influence_first(builder, builder->position_count + 1);
    else if (builder->influence_first_count == builder->position_count) { /* where those of the last vertex end */
        uint32_t *end = bake_add_influence_first(builder, 1);
        if (end != NULL)
            *end = builder->influence_count;
    }
    if (builder->info_count == 0)
        bake_add_info(builder, 1);
    if (builder->is_failed)
        return;
    struct model_info *info = &builder->infos[0];
    if (is_zero3(info->up))
        info->up[1] = 1;
    if (is_zero3(info->forward))
        info->forward[2] = 1;
    if (info->unit_m == 0)
        info->unit_m = 1;
    info->rest_min = (struct vec3){1, 1, 1};
    info->rest_max = (struct vec3){-1, -1, -1};
}

/* --- skins of drawn meshes --- */

static void mark_joints(struct bake_builder *builder)
{
    for (uint32_t n = 0; n < builder->node_count; n++)
        builder->nodes[n].flags &= ~(uint32_t)NODE_JOINT;
    for (uint32_t s = 0; s < builder->skin_count; s++)
        for (uint32_t j = 0; j < builder->skins[s].joint_count; j++)
            builder->nodes[builder->joints[builder->skins[s].joint_first + j].node].flags |= NODE_JOINT;
}

static bool has_influences(const struct bake_builder *builder, const struct mesh *mesh)
{
    for (uint32_t i = 0; i < mesh->primitive_count; i++) {
        const struct primitive *p = &builder->primitives[mesh->primitive_first + i];
        const uint32_t *firsts = builder->influence_firsts + p->vertex_first;
        if (firsts[0] != firsts[p->vertex_count])
            return true;
    }
    return false;
}

/* Appends copies of `count` elements from `first` on to their array. */
#define APPEND_COPY(builder, singular, plural, first, count)                                                           \
    do {                                                                                                               \
        const uint32_t append_first = (first);                                                                         \
        if (bake_add_##singular(builder, count) != NULL)                                                               \
            memcpy((builder)->plural + (builder)->singular##_count - (count), (builder)->plural + append_first,        \
                   (size_t)(count) * sizeof *(builder)->plural);                                                       \
    } while (0)

/* Gives a copied primitive the materials of the original in each variant. */
static void copy_variants(struct bake_builder *b, uint32_t from, uint32_t to)
{
    const uint32_t first = LOWER_BOUND(b->variant_materials, b->variant_material_count, primitive, from);
    for (uint32_t i = first; i < b->variant_material_count && b->variant_materials[i].primitive == from; i++) {
        struct variant_material copy = b->variant_materials[i];
        struct variant_material *added = bake_add_variant_material(b, 1);
        if (added == NULL)
            return;
        copy.primitive = to;
        *added = copy;
    }
}

static void copy_primitive(struct bake_builder *b, struct primitive primitive, uint32_t mesh)
{
    const struct primitive from = primitive;
    const uint32_t count = from.vertex_count;
    primitive.mesh = mesh;
    primitive.vertex_first = b->position_count;
    primitive.index_first = b->index_count;
    primitive.morph_target_first = b->morph_target_count;
    APPEND_COPY(b, position, positions, from.vertex_first, count);
    APPEND_COPY(b, normal, normals, from.vertex_first, count);
    if (b->texcoord_count > 0)
        APPEND_COPY(b, texcoord, texcoords, from.vertex_first, count);
    if (b->second_texcoord_count > 0)
        APPEND_COPY(b, second_texcoord, second_texcoords, from.vertex_first, count);
    if (b->tangent_count > 0)
        APPEND_COPY(b, tangent, tangents, from.vertex_first, count);
    if (b->dual_weight_count > 0)
        APPEND_COPY(b, dual_weight, dual_weights, from.vertex_first, count);
    if (b->color_count > 0)
        APPEND_COPY(b, color, colors, from.vertex_first, count);
    APPEND_COPY(b, index, indices, from.index_first, from.index_count);
    APPEND_COPY(b, morph_target, morph_targets, from.morph_target_first, from.morph_target_count);
    uint32_t *firsts = bake_add_influence_first(b, count);
    for (uint32_t v = 0; firsts != NULL && v < count; v++)
        firsts[v] = b->influence_count;
    struct primitive *added = bake_add_primitive(b, 1);
    if (added != NULL)
        *added = primitive;
}

/* Appends a copy of a mesh without influences. Appending keeps the file's own indices. */
static uint32_t copy_mesh(struct bake_builder *builder, uint32_t m)
{
    const struct mesh from = builder->meshes[m];
    const uint32_t copy = builder->mesh_count;
    struct mesh *added = bake_add_mesh(builder, 1);
    if (added == NULL)
        return m;
    *added = (struct mesh){from.name, builder->primitive_count, from.primitive_count};
    for (uint32_t i = 0; i < from.primitive_count && !builder->is_failed; i++) {
        copy_variants(builder, from.primitive_first + i, builder->primitive_count);
        copy_primitive(builder, builder->primitives[from.primitive_first + i], copy);
    }
    return copy;
}

static void mark_vertices(const struct bake_builder *builder, const struct mesh *mesh, unsigned char *is_marked)
{
    for (uint32_t i = 0; i < mesh->primitive_count; i++) {
        const struct primitive *p = &builder->primitives[mesh->primitive_first + i];
        memset(is_marked + p->vertex_first, 1, p->vertex_count);
    }
}

/* Removes all influences of the marked vertices. */
static void drop_influences(struct bake_builder *builder, const unsigned char *is_marked)
{
    uint32_t kept = 0, first = builder->influence_firsts[0];
    for (uint32_t v = 0; v < builder->position_count; v++) {
        const uint32_t end = builder->influence_firsts[v + 1];
        builder->influence_firsts[v] = kept;
        for (uint32_t i = first; i < end && !is_marked[v]; i++)
            builder->influences[kept++] = builder->influences[i];
        first = end;
    }
    builder->influence_firsts[builder->position_count] = kept;
    builder->influence_count = kept;
}

enum { USED_SKINNED = 1, USED_RIGID = 2 };

/* Finds how each mesh is used; 0 for a mesh without influences. `uses` is zeroed, one byte a mesh. */
static void find_uses(const struct bake_builder *builder, unsigned char *uses)
{
    for (uint32_t n = 0; n < builder->node_count; n++)
        if (builder->nodes[n].mesh >= 0)
            uses[builder->nodes[n].mesh] |= builder->nodes[n].skin >= 0 ? USED_SKINNED : USED_RIGID;
    for (uint32_t m = 0; m < builder->mesh_count; m++)
        if (!has_influences(builder, &builder->meshes[m]))
            uses[m] = 0;
}

static void use_copies(struct bake_builder *builder, uint32_t mesh_count, const unsigned char *uses, uint32_t *copies)
{
    for (uint32_t m = 0; m < mesh_count && !builder->is_failed; m++)
        copies[m] = uses[m] == (USED_RIGID | USED_SKINNED) ? copy_mesh(builder, m) : m;
    for (uint32_t n = 0; n < builder->node_count && !builder->is_failed; n++)
        if (builder->nodes[n].mesh >= 0 && builder->nodes[n].skin < 0)
            builder->nodes[n].mesh = (int32_t)copies[builder->nodes[n].mesh];
}

/* A mesh under a node without a skin moves with the node, whatever joints its vertices name (glTF 2.0, 3.7.3.2). Its
 * influences would point outside the node's rigid skin. */
static int free_rigid_meshes(struct bake_builder *builder, struct err *err)
{
    const uint32_t meshes = builder->mesh_count;
    unsigned char *uses = calloc((size_t)meshes + 1, 1);
    unsigned char *is_marked = calloc((size_t)builder->position_count + 1, 1);
    uint32_t *copies = malloc(((size_t)meshes + 1) * sizeof *copies);
    int rc = 0;
    if (uses == NULL || is_marked == NULL || copies == NULL) {
        rc = err_set(err, ERR_NO_MEMORY, "no memory to look at %u meshes", meshes);
        goto done;
    }
    find_uses(builder, uses);
    for (uint32_t m = 0; m < meshes; m++) {
        if (uses[m] == USED_RIGID)
            mark_vertices(builder, &builder->meshes[m], is_marked);
        if ((uses[m] & USED_RIGID) != 0)
            bake_warn(builder, "unused_joints", "mesh %u has joints and weights but a node without a skin uses it", m);
    }
    drop_influences(builder, is_marked);
    use_copies(builder, meshes, uses, copies);
done:
    free(uses);
    free(is_marked);
    free(copies);
    return rc;
}

/* Adds the rigid skin of an unskinned mesh node. */
static uint32_t add_rigid_skin(struct bake_builder *builder, uint32_t n)
{
    struct skin *skin = bake_add_skin(builder, 1);
    struct joint *joint = bake_add_joint(builder, 1);
    if (skin == NULL || joint == NULL)
        return 0;
    *skin = (struct skin){.name = {.offset = STR_NONE},
                          .joint_first = builder->joint_count - 1,
                          .joint_count = 1,
                          .mesh_node = (int32_t)n,
                          .flags = SKIN_RIGID};
    *joint = (struct joint){.joint_from_bind = mat4_from_dmat4(&DMAT4_IDENTITY), .node = n};
    return builder->skin_count - 1;
}

static void add_draws(struct bake_builder *builder, uint32_t n, uint32_t skin)
{
    const struct node *node = &builder->nodes[n];
    const struct mesh *mesh = &builder->meshes[node->mesh];
    const bool is_drawn = (node->flags & (NODE_IN_SCENE | NODE_HIDDEN)) == NODE_IN_SCENE;
    struct draw *draws = bake_add_draw(builder, mesh->primitive_count);
    for (uint32_t i = 0; draws != NULL && i < mesh->primitive_count; i++)
        draws[i] = (struct draw){n, mesh->primitive_first + i, skin, is_drawn ? DRAW_IN_SCENE : 0};
}

/* Sets NODE_JOINT, then handles meshes under unskinned nodes, and makes rigid skins, mesh_node and draws. */
static int make_draws(struct bake_builder *builder, struct err *err)
{
    mark_joints(builder);
    const int rc = free_rigid_meshes(builder, err);
    if (rc < 0)
        return rc;
    for (uint32_t s = 0; s < builder->skin_count; s++)
        builder->skins[s].mesh_node = -1;
    for (uint32_t n = 0; n < builder->node_count && !builder->is_failed; n++) {
        const struct node *node = &builder->nodes[n];
        if (node->mesh < 0)
            continue;
        const uint32_t skin = node->skin >= 0 ? (uint32_t)node->skin : add_rigid_skin(builder, n);
        if (!builder->is_failed && builder->skins[skin].mesh_node < 0)
            builder->skins[skin].mesh_node = (int32_t)n;
        if (!builder->is_failed)
            add_draws(builder, n, skin);
    }
    return 0;
}

/* --- rest bounds --- */

static void include(struct box *box, const struct vec3 *points, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (vec3_is_finite(&points[i]))
            box_add(box, DOUBLE3(points[i]));
}

/* Writes the rest palettes of all skins to *palettes, one after the other, from firsts[skin] on; UINT32_MAX for a skin
 * whose palette is not finite. */
static bool rest_palettes(const struct model *model, const struct pose *pose, struct mat4 *palettes, uint32_t *firsts)
{
    bool is_finite = true;
    uint32_t end = 0;
    for (uint32_t s = 0; s < model->skin_count; s++) {
        firsts[s] = end;
        if (pose_palette(pose, model, s, &DMAT4_IDENTITY, palettes + end, NULL) < 0) {
            firsts[s] = UINT32_MAX;
            is_finite = false;
        }
        end += model->skins[s].joint_count;
    }
    return is_finite;
}

static void measure_draws(const struct model *model, const struct pose *pose, struct mat4 *palettes,
                          const uint32_t *firsts, struct box *box)
{
    uint32_t largest = 0;
    for (uint32_t p = 0; p < model->primitive_count; p++)
        if (model->primitives[p].vertex_count > largest)
            largest = model->primitives[p].vertex_count;
    struct vec3 *points = mem_alloc(largest * sizeof *points);
    struct skin_part *parts = mem_alloc(skin_parts_most(model) * sizeof *parts);
    for (uint32_t d = 0; d < model->draw_count; d++) {
        const struct draw *draw = &model->draws[d];
        if ((draw->flags & DRAW_IN_SCENE) == 0 || firsts[draw->skin] == UINT32_MAX)
            continue;
        struct skin_palette palette = {.matrices = palettes + firsts[draw->skin], .parts = parts};
        skin_palette_take_apart(&palette, model, draw->skin);
        skin_draw(model, d, pose, &palette, false, points);
        include(box, points, model->primitives[draw->primitive].vertex_count);
    }
    free(points);
    free(parts);
}

static void measure_rest(struct bake_builder *builder)
{
    const struct model model = bake_builder_view(builder);
    struct box box = BOX_EMPTY;
    struct mat4 *palettes = mem_alloc(model.joint_count * sizeof *palettes);
    uint32_t *firsts = mem_alloc(model.skin_count * sizeof *firsts);
    struct pose pose;
    pose_init(&pose);
    pose_evaluate(&pose, &model, POSE_REST, 0);
    if (!rest_palettes(&model, &pose, palettes, firsts))
        bake_warn(builder, "rest_not_finite", "a skin's rest pose has values too large for a float");
    measure_draws(&model, &pose, palettes, firsts, &box);
    pose_fini(&pose);
    free(palettes);
    free(firsts);
    if (box_is_empty(&box))
        return;
    builder->infos[0].rest_min = (struct vec3){(float)box.min[0], (float)box.min[1], (float)box.min[2]};
    builder->infos[0].rest_max = (struct vec3){(float)box.max[0], (float)box.max[1], (float)box.max[2]};
}

static int over_limit(const struct bake_builder *builder, struct err *err)
{
    return err_set(err, ERR_MODEL_LIMIT, "the model takes more than %llu bytes, or than there is memory",
                   (unsigned long long)builder->limit_bytes);
}

int bake_finish(struct bake_builder *builder, struct err *err)
{
    fill_in(builder);
    if (builder->is_failed)
        return over_limit(builder, err);
    int rc = bake_finish_check_references(builder, err);
    if (rc == 0)
        rc = bake_finish_order(builder, err);
    if (rc == 0)
        rc = bake_finish_clips(builder, err);
    if (rc == 0)
        rc = make_draws(builder, err);
    if (rc == 0) {
        bake_finish_matrices(builder);
        bake_finish_scales(builder);
        const struct model view = bake_builder_view(builder);
        rc = builder->is_failed ? over_limit(builder, err) : bake_check(&view, err);
    }
    if (rc == ERR_BAD_BAKE) { /* the block is not damaged, but the model is inconsistent */
        if (err != NULL)
            err->code = ERR_BAD_MODEL;
        rc = ERR_BAD_MODEL;
    }
    if (rc < 0)
        return rc;
    measure_rest(builder);
    clip_compile_all(builder);
    return builder->is_failed ? over_limit(builder, err) : 0;
}
