/* gather_skin.c - skins vertices with vectors of four. */
#include "render/gather/gather_skin.h"
#include "render/gather/gather_vector.h"

#include <math.h>
#include <string.h>

/* The columns of a matrix, or of a sum of matrices. */
struct columns {
    f32x4 c[4];
};

static inline struct columns columns_of(const struct mat4 *m)
{
    struct columns out;
    memcpy(out.c, m->m, sizeof out.c);
    return out;
}

static inline struct columns blend(const struct model *model, uint32_t vertex, const struct mat4 *palette)
{
    const uint32_t first = model->influence_firsts[vertex], end = model->influence_firsts[vertex + 1];
    const struct influence *influences = model->influences;
    if (first == end)
        return columns_of(&palette[0]);
    struct columns sum = {{{0}}};
    for (uint32_t i = first; i < end; i++) {
        const struct columns one = columns_of(&palette[influences[i].joint]);
        for (int c = 0; c < 4; c++)
            sum.c[c] += one.c[c] * influences[i].weight;
    }
    return sum;
}

/* Rotates to y, z, x. */
static inline f32x4 turn(f32x4 v) { return __builtin_shufflevector(v, v, 1, 2, 0, 3); }

static inline f32x4 cross(f32x4 a, f32x4 b)
{
    const f32x4 turned = a * turn(b) - turn(a) * b;
    return turn(turned);
}

static inline struct vec3 vec3_of(f32x4 v) { return (struct vec3){v[0], v[1], v[2]}; }

/* Transforms by the inverse transpose, as cofactors. In small units, their squares would underflow. */
static inline struct vec3 turn_normal(const struct columns *m, const struct vec3 *n)
{
    const f32x4 yz = cross(m->c[1], m->c[2]), zx = cross(m->c[2], m->c[0]), xy = cross(m->c[0], m->c[1]);
    const f32x4 product = m->c[0] * yz;
    const float sign = product[0] + product[1] + product[2] < 0 ? -1 : 1;
    const f32x4 turned = yz * (sign * n->x) + zx * (sign * n->y) + xy * (sign * n->z);
    const float most = fmaxf(fmaxf(fabsf(turned[0]), fabsf(turned[1])), fabsf(turned[2]));
    if (!(most > 0))
        return (struct vec3){0, 0, 0};
    const f32x4 scaled = turned / most, squared = scaled * scaled;
    return vec3_of(scaled / sqrtf(squared[0] + squared[1] + squared[2]));
}

/* Transforms a direction in the surface. A mirroring matrix moves the bitangent to the other side. */
static inline struct vec4 turn_tangent(const struct columns *m, const struct vec4 *t)
{
    const f32x4 turned = m->c[0] * t->x + m->c[1] * t->y + m->c[2] * t->z, product = m->c[0] * cross(m->c[1], m->c[2]);
    const float most = fmaxf(fmaxf(fabsf(turned[0]), fabsf(turned[1])), fabsf(turned[2]));
    const float side = product[0] + product[1] + product[2] < 0 ? -t->w : t->w;
    const f32x4 scaled = turned / (most > 0 ? most : 1);
    return (struct vec4){scaled[0], scaled[1], scaled[2], side};
}

void gather_skin(const struct model *model, uint32_t primitive, const struct mat4 *palette,
                 const struct vec3 *positions, const struct vec3 *normals, struct gather_skinned *out)
{
    const struct primitive *p = &model->primitives[primitive];
    for (uint32_t v = 0; v < p->vertex_count; v++) {
        const struct columns m = blend(model, p->vertex_first + v, palette);
        const struct vec3 at = positions[v], n = normals[v];
        out->positions[v] = vec3_of(m.c[0] * at.x + m.c[1] * at.y + m.c[2] * at.z + m.c[3]);
        out->normals[v] = turn_normal(&m, &n);
        if (out->tangents != NULL)
            out->tangents[v] = turn_tangent(&m, &model->tangents[p->vertex_first + v]);
    }
}
