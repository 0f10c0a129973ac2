/* skin.c - skins positions, normals and tangents. */
#include "anim/pose/skin.h"

#include <math.h>
#include <string.h>

uint32_t skin_parts_most(const struct model *model)
{
    uint32_t most = 0;
    for (uint32_t s = 0; s < model->skin_count; s++)
        if (skin_has_parts(model, s) && model->skins[s].joint_count > most)
            most = model->skins[s].joint_count;
    return most;
}

void skin_palette_take_apart(struct skin_palette *palette, const struct model *model, uint32_t skin)
{
    palette->method = model->skins[skin].method;
    for (uint32_t j = 0; j < model->skins[skin].joint_count && skin_has_parts(model, skin); j++) {
        const struct dmat4 scene_from_bind = dmat4_from_mat4(&palette->matrices[j]);
        skin_part_from_matrix(&scene_from_bind, &palette->parts[j]);
    }
}

int skin_palette_make(struct skin_palette *palette, const struct pose *pose, const struct model *model, uint32_t skin,
                      const struct dmat4 *space_from_scene, struct err *err)
{
    palette->method = model->skins[skin].method;
    if (skin_has_parts(model, skin)) {
        if (pose_palette(pose, model, skin, &DMAT4_IDENTITY, palette->matrices, err) < 0)
            return ERR_NOT_FINITE;
        skin_palette_take_apart(palette, model, skin);
        if (space_from_scene == &DMAT4_IDENTITY)
            return 0;
        for (uint32_t j = 0; j < model->skins[skin].joint_count; j++)
            skin_part_move(space_from_scene, &palette->parts[j]);
    }
    return pose_palette(pose, model, skin, space_from_scene, palette->matrices, err);
}

/* Computes the weighted sum of matrices, out[4 * c + r]. */
static void sum_matrices(const struct influence *influences, uint32_t count, const struct mat4 *matrices,
                         double out[16])
{
    memset(out, 0, 16 * sizeof *out);
    for (uint32_t i = 0; i < count; i++) {
        const struct influence *influence = &influences[i];
        const float *m = matrices[influence->joint].m;
        for (int e = 0; e < 16; e++)
            out[e] += (double)influence->weight * (double)m[e];
    }
}

/* Blends between that and dual quaternions, 0 to 1. */
static void blend_dual(const struct influence *influences, uint32_t count, const struct skin_palette *palette,
                       double dual_weight, double blended[16])
{
    struct dmat4 dual = {{0}};
    if (dual_weight > 0)
        skin_dual_matrix(influences, count, palette->parts, &dual);
    if (!(dual_weight < 1)) {
        memcpy(blended, dual.m, sizeof dual.m);
        return;
    }
    double total = 0;
    for (uint32_t i = 0; i < count; i++)
        total += (double)influences[i].weight;
    sum_matrices(influences, count, palette->matrices, blended);
    for (int e = 0; e < 16; e++)
        blended[e] = (1 - dual_weight) * blended[e] / total + dual_weight * dual.m[e];
}

static double dual_weight_of(const struct model *model, uint32_t vertex, uint32_t method)
{
    return method == METHOD_DUAL_QUATERNION ? 1
           : model->dual_weight_count == 0  ? 0
                                            : (double)model->dual_weights[vertex];
}

/* Computes the matrix of a vertex, [4 * c + r], rows 0..2. As the sum is linear, transforming once by it is the same as
 * summing transformed vertices. */
static void blend(const struct model *model, uint32_t vertex, const struct skin_palette *palette, double blended[16])
{
    static const struct influence ALONE = {0, 1};
    const uint32_t first = model->influence_firsts[vertex], count = model->influence_firsts[vertex + 1] - first;
    const struct influence *influences = model->influences + first;
    if (palette->method >= METHOD_DUAL_QUATERNION)
        blend_dual(count > 0 ? influences : &ALONE, count > 0 ? count : 1, palette,
                   dual_weight_of(model, vertex, palette->method), blended);
    else if (count > 0)
        sum_matrices(influences, count, palette->matrices, blended);
    else
        for (int e = 0; e < 16; e++)
            blended[e] = (double)palette->matrices[0].m[e];
}

void skin_position(const struct model *model, uint32_t vertex, const struct skin_palette *palette, const double bind[3],
                   struct vec3 *out)
{
    double m[16];
    blend(model, vertex, palette, m);
    *out = (struct vec3){
        (float)(m[0] * bind[0] + m[4] * bind[1] + m[8] * bind[2] + m[12]),
        (float)(m[1] * bind[0] + m[5] * bind[1] + m[9] * bind[2] + m[13]),
        (float)(m[2] * bind[0] + m[6] * bind[1] + m[10] * bind[2] + m[14]),
    };
}

void skin_positions(const struct model *model, uint32_t primitive, const struct skin_palette *palette,
                    const struct vec3 *bind, struct vec3 *out)
{
    const struct primitive *p = &model->primitives[primitive];
    for (uint32_t v = 0; v < p->vertex_count; v++) {
        const double from[3] = {(double)bind[v].x, (double)bind[v].y, (double)bind[v].z};
        skin_position(model, p->vertex_first + v, palette, from, &out[v]);
    }
}

static bool set_unit(const double v[3], struct vec3 *out)
{
    const double length = sqrt(dot3(v, v));
    if (!(length > 0) || !isfinite(length))
        return false;
    *out = (struct vec3){(float)(v[0] / length), (float)(v[1] / length), (float)(v[2] / length)};
    return true;
}

/* inverse transpose = cofactors / determinant; for the direction only the determinant's sign matters */
static void transform_normal(const double m[16], const double n[3], double out[3])
{
    const double *x = m, *y = m + 4, *z = m + 8;
    double yz[3], zx[3], xy[3];
    cross3(y, z, yz);
    cross3(z, x, zx);
    cross3(x, y, xy);
    const double sign = dot3(x, yz) < 0 ? -1 : 1;
    for (int i = 0; i < 3; i++)
        out[i] = sign * (yz[i] * n[0] + zx[i] * n[1] + xy[i] * n[2]);
}

void skin_normal(const struct model *model, uint32_t vertex, const struct skin_palette *palette, const double bind[3],
                 struct vec3 *out)
{
    double m[16], turned[3];
    blend(model, vertex, palette, m);
    transform_normal(m, bind, turned);
    /* A collapsed matrix or a zero normal has no direction, but drawing needs unit length. */
    if (!set_unit(turned, out) && !set_unit(bind, out))
        *out = (struct vec3){0, 0, 1};
}

void skin_normals(const struct model *model, uint32_t primitive, const struct skin_palette *palette,
                  const struct vec3 *bind, struct vec3 *out)
{
    const struct primitive *p = &model->primitives[primitive];
    for (uint32_t v = 0; v < p->vertex_count; v++) {
        const double normal[3] = {(double)bind[v].x, (double)bind[v].y, (double)bind[v].z};
        skin_normal(model, p->vertex_first + v, palette, normal, &out[v]);
    }
}

void skin_tangents(const struct model *model, uint32_t primitive, const struct skin_palette *palette, struct vec4 *out)
{
    const struct primitive *p = &model->primitives[primitive];
    for (uint32_t v = 0; v < p->vertex_count; v++) {
        double m[16], turned[3];
        const struct vec4 *bind = &model->tangents[p->vertex_first + v];
        const double tangent[3] = {(double)bind->x, (double)bind->y, (double)bind->z};
        struct vec3 unit;
        blend(model, p->vertex_first + v, palette, m);
        for (int i = 0; i < 3; i++)
            turned[i] = m[i] * tangent[0] + m[4 + i] * tangent[1] + m[8 + i] * tangent[2];
        if (!set_unit(turned, &unit) && !set_unit(tangent, &unit))
            unit = (struct vec3){1, 0, 0};
        const float side = bind->w < 0 ? -1 : 1;
        out[v] = (struct vec4){unit.x, unit.y, unit.z, determinant3(m, m + 4, m + 8) < 0 ? -side : side};
    }
}

void skin_draw(const struct model *model, uint32_t draw, const struct pose *pose, const struct skin_palette *palette,
               bool is_normal, struct vec3 *out)
{
    const uint32_t place = model->draws[draw].primitive;
    const struct primitive *p = &model->primitives[place];
    const struct node *node = &model->nodes[model->draws[draw].node];
    const struct vec3 *bind = (is_normal ? model->normals : model->positions) + p->vertex_first;
    if (p->morph_target_count > 0 && node->weight_count > 0) {
        (is_normal ? skin_morph_normals : skin_morph_positions)(model, place, pose->weights + node->weight_first,
                                                                node->weight_count, out);
        bind = out;
    }
    (is_normal ? skin_normals : skin_positions)(model, place, palette, bind, out);
}

int skin_check(const struct model *model, uint32_t draw, const struct vec3 *vertices, struct err *err)
{
    const struct draw *d = &model->draws[draw];
    const struct primitive *p = &model->primitives[d->primitive];
    for (uint32_t v = 0; v < p->vertex_count; v++)
        if (!vec3_is_finite(&vertices[v]))
            return err_set(err, ERR_NOT_FINITE, "vertex %u of mesh %u, primitive %u, at node %u is not finite", v,
                           p->mesh, d->primitive - model->meshes[p->mesh].primitive_first, d->node);
    return 0;
}
