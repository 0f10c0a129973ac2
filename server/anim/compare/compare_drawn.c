/* compare_drawn.c - the drawn vertices of a model: where each is, which way it faces, and where it lies on textures. */
#include "anim/compare/compare_drawn.h"
#include "anim/model/material_layers.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

uint32_t drawn_joint_node(const struct drawn_vertices *drawn, uint32_t at, uint32_t place)
{
    const struct model *model = drawn->model;
    return model->joints[model->skins[model->draws[drawn->draws[at]].skin].joint_first + place].node;
}

const struct primitive *drawn_primitive(const struct drawn_vertices *drawn, uint32_t at)
{
    return &drawn->model->primitives[drawn->model->draws[drawn->draws[at]].primitive];
}

uint32_t drawn_mesh(const struct drawn_vertices *drawn, uint32_t at) { return drawn_primitive(drawn, at)->mesh; }

uint32_t drawn_node(const struct drawn_vertices *drawn, uint32_t at)
{
    return drawn->model->draws[drawn->draws[at]].node;
}

int32_t drawn_material(const struct drawn_vertices *drawn, uint32_t at)
{
    return model_material(drawn->model, drawn->model->draws[drawn->draws[at]].primitive, 0);
}

int32_t drawn_first_matched(const struct drawn_vertices *drawn, uint32_t first)
{
    const uint32_t end = first + drawn_primitive(drawn, first)->vertex_count;
    while (first < end && drawn->partners[first] < 0)
        first++;
    return first < end ? (int32_t)first : -1;
}

/* --- lists --- */

static uint32_t count_vertices(const struct model *model, uint32_t *left_out)
{
    uint64_t count = 0;
    for (uint32_t d = 0; d < model->draw_count; d++) {
        const uint32_t vertices = model->primitives[model->draws[d].primitive].vertex_count;
        if ((model->draws[d].flags & DRAW_IN_SCENE) == 0)
            continue;
        if (count + vertices > COMPARE_VERTICES_MOST)
            *left_out += vertices;
        else
            count += vertices;
    }
    return (uint32_t)count;
}

/* Returns the texture by which the vertices of a material are told apart: the first that it has, or NULL. */
static const struct material_texture *first_texture(const struct model *model, int32_t material)
{
    for (uint32_t slot = 0; slot < TEXTURE_ALL_COUNT && material >= 0; slot++) {
        const struct material_texture *texture = material_texture_at(model, &model->materials[material], slot);
        if (texture->texture >= 0)
            return texture;
    }
    return NULL;
}

/* Returns a sum that tells apart weights of morph targets at rest. */
static double rest_weights_of(const struct model *model, const struct draw *draw)
{
    const struct node *node = &model->nodes[draw->node];
    double sum = 0;
    for (uint32_t w = 0; w < node->weight_count; w++)
        sum += (double)model->weights[node->weight_first + w] * (1 + w);
    return sum;
}

void drawn_vertices_list(struct compare *compare, enum compare_side s)
{
    struct drawn_vertices *drawn = &compare->surface->drawn[s];
    const struct model *model = compare->sides[s].model;
    drawn->model = model;
    drawn->count = count_vertices(model, &drawn->left_out);
    const size_t capacity = (size_t)drawn->count + 1;
    drawn->vertices = mem_alloc(capacity * sizeof *drawn->vertices);
    drawn->draws = mem_alloc(capacity * sizeof *drawn->draws);
    drawn->places = mem_alloc(capacity * sizeof *drawn->places);
    drawn->normals = mem_alloc(capacity * sizeof *drawn->normals);
    drawn->partners = mem_alloc(capacity * sizeof *drawn->partners);
    drawn->is_moved = mem_zalloc(capacity, sizeof *drawn->is_moved);
    drawn->materials = mem_zalloc((size_t)model->draw_count + 1, sizeof *drawn->materials);
    drawn->textures = mem_zalloc((size_t)model->draw_count + 1, sizeof *drawn->textures);
    drawn->rest_weights = mem_zalloc((size_t)model->draw_count + 1, sizeof *drawn->rest_weights);
    drawn->common_from_bind = mem_alloc(((size_t)model->joint_count + 1) * sizeof *drawn->common_from_bind);
    uint32_t at = 0;
    for (uint32_t d = 0; d < model->draw_count; d++) {
        const int32_t material = model_material(model, model->draws[d].primitive, 0);
        drawn->materials[d] = material < 0 ? 0 : name_key(model, model->materials[material].name, NAME_BASE);
        drawn->textures[d] = first_texture(model, material);
        drawn->rest_weights[d] = rest_weights_of(model, &model->draws[d]);
        const struct primitive *primitive = &model->primitives[model->draws[d].primitive];
        if ((model->draws[d].flags & DRAW_IN_SCENE) == 0 || primitive->vertex_count > drawn->count - at)
            continue;
        for (uint32_t v = 0; v < primitive->vertex_count; v++, at++) {
            drawn->vertices[at] = primitive->vertex_first + v;
            drawn->draws[at] = d;
        }
    }
    drawn->count = at;
}

void drawn_vertices_free(struct drawn_vertices *drawn)
{
    free(drawn->vertices);
    free(drawn->draws);
    free(drawn->places);
    free(drawn->normals);
    free(drawn->materials);
    free(drawn->textures);
    free(drawn->rest_weights);
    free(drawn->common_from_bind);
    free(drawn->partners);
    free(drawn->is_moved);
    *drawn = (struct drawn_vertices){0};
}

/* --- places --- */

struct dmat4 drawn_common_from_bind(const struct drawn_vertices *drawn, uint32_t at)
{
    const struct model *model = drawn->model;
    const struct skin *skin = &model->skins[model->draws[drawn->draws[at]].skin];
    const struct dmat4 *joints = drawn->common_from_bind + skin->joint_first;
    const uint32_t v = drawn->vertices[at], first = model->influence_firsts[v], end = model->influence_firsts[v + 1];
    struct dmat4 out = {.m = {[15] = 1}};
    if (first == end)
        return joints[0];
    if (end == first + 1)
        return joints[model->influences[first].joint];
    for (uint32_t i = first; i < end; i++) {
        const double *m = joints[model->influences[i].joint].m, weight = (double)model->influences[i].weight;
        for (int k = 0; k < 15; k++)
            out.m[k] += weight * m[k];
    }
    return out;
}

struct dmat4 drawn_matrix(const struct compare *compare, enum compare_side s, uint32_t at)
{
    const struct surface *surface = compare->surface;
    const struct drawn_vertices *drawn = &surface->drawn[s];
    const double scale = surface->bind_scale;
    if (surface->is_bind && (drawn->model->skins[drawn->model->draws[drawn->draws[at]].skin].flags & SKIN_RIGID) == 0)
        return (struct dmat4){.m = {[0] = scale, [5] = scale, [10] = scale, [15] = 1}};
    return drawn_common_from_bind(drawn, at);
}

struct vec3 turned_normal(const struct dmat4 *matrix, struct vec3 normal)
{
    const double *x = matrix->m, *y = matrix->m + 4, *z = matrix->m + 8;
    const double side = determinant3(x, y, z) < 0 ? -1 : 1;
    double across[3][3], out[3];
    cross3(y, z, across[0]);
    cross3(z, x, across[1]);
    cross3(x, y, across[2]);
    for (int r = 0; r < 3; r++)
        out[r] = side *
                 ((double)normal.x * across[0][r] + (double)normal.y * across[1][r] + (double)normal.z * across[2][r]);
    unit3(out);
    return (struct vec3){(float)out[0], (float)out[1], (float)out[2]};
}

/* Marks the vertices that an element has. */
static uint8_t *used_vertices(const struct compare *compare, enum compare_side s)
{
    uint8_t *is_used = mem_zalloc((size_t)compare->surface->drawn[s].count + 1, sizeof *is_used);
    struct element_walk walk = element_walk_start(compare, s);
    struct drawn_element element;
    walk.least = -1; /* vertices of triangles without an area count */
    while (element_next(&walk, &element))
        for (int c = 0; c < 3; c++)
            is_used[element.corners[c]] = 1;
    return is_used;
}

void drawn_vertices_place(struct compare *compare, enum compare_side s)
{
    enum { LOOK = 4096 }; /* vertices between two checks whether the request was stopped */
    const struct compare_model *side = &compare->sides[s];
    struct drawn_vertices *drawn = &compare->surface->drawn[s];
    const struct model *model = side->model;
    for (uint32_t j = 0; j < model->joint_count; j++) {
        const struct dmat4 joint_from_bind = dmat4_from_mat4(&model->joints[j].joint_from_bind);
        drawn->common_from_bind[j] = dmat4_mul(&side->reference[model->joints[j].node], &joint_from_bind);
    }
    memset(drawn->places, 0, drawn->count * sizeof *drawn->places); /* a walk asks for areas */
    uint8_t *is_used = used_vertices(compare, s);
    drawn->used_count = 0;
    bool is_stopped = false;
    for (uint32_t i = 0; i < drawn->count; i++) {
        is_stopped = is_stopped || (i % LOOK == 0 && compare_is_stopped(compare));
        if (is_used[i] == 0 || is_stopped) {
            drawn->places[i] = (struct vec3){NAN, NAN, NAN};
            continue;
        }
        drawn->used_count++;
        const struct vec3 p = model->positions[drawn->vertices[i]];
        const struct dmat4 matrix = drawn_matrix(compare, s, i);
        double place[3];
        dmat4_point(&matrix, DOUBLE3(p), place);
        drawn->places[i] = (struct vec3){(float)place[0], (float)place[1], (float)place[2]};
        drawn->normals[i] = turned_normal(&matrix, model->normals[drawn->vertices[i]]);
    }
    free(is_used);
}

/* --- textures --- */

bool drawn_texcoord(const struct drawn_vertices *drawn, uint32_t at, const struct material_texture *texture,
                    struct vec2 *out)
{
    const uint32_t flags = drawn_primitive(drawn, at)->flags, v = drawn->vertices[at];
    const bool is_second = texture != NULL && texture->texcoord_set == 1;
    if ((flags & (is_second ? PRIMITIVE_SECOND_TEXCOORDS : PRIMITIVE_TEXCOORDS)) == 0)
        return false;
    *out = is_second ? drawn->model->second_texcoords[v] : drawn->model->texcoords[v];
    return true;
}

/* Returns the place on the texture (KHR_texture_transform). */
static struct vec2 uv_of(const struct material_texture *texture, struct vec2 texcoord)
{
    const float *m = texture->uv_from_texcoord;
    return (struct vec2){m[0] * texcoord.x + m[1] * texcoord.y + m[2], m[3] * texcoord.x + m[4] * texcoord.y + m[5]};
}

static double farther(struct vec2 a, struct vec2 b)
{
    return fmax(fabs((double)a.x - (double)b.x), fabs((double)a.y - (double)b.y));
}

double texture_period(const struct compare *compare, const struct material_texture *old,
                      const struct material_texture *new, bool is_t)
{
    uint32_t wraps[COMPARE_SIDES];
    for (int s = 0; s < COMPARE_SIDES; s++) {
        const int32_t index = s == COMPARE_OLD ? old->texture : new->texture;
        if (index < 0)
            return 0;
        const struct texture *texture = &compare->sides[s].model->textures[index];
        wraps[s] = is_t ? texture->wrap_t : texture->wrap_s;
    }
    if (wraps[COMPARE_OLD] != wraps[COMPARE_NEW] || wraps[COMPARE_OLD] == TEXTURE_WRAP_CLAMP)
        return 0;
    return wraps[COMPARE_OLD] == TEXTURE_WRAP_MIRROR ? 2 : 1;
}

struct texcoord_apart texcoords_compare(const struct compare *compare, uint32_t old, uint32_t new,
                                        const struct material_texture *a, const struct material_texture *b)
{
    const struct drawn_vertices *drawn = compare->surface->drawn;
    struct vec2 was, is;
    struct texcoord_apart out = {0};
    if (!drawn_texcoord(&drawn[COMPARE_OLD], old, a, &was) || !drawn_texcoord(&drawn[COMPARE_NEW], new, b, &is))
        return out;
    out.stored = farther(was, is);
    out.seen = out.stored;
    if (a == NULL || b == NULL)
        return out;
    const struct vec2 from = uv_of(a, was), to = uv_of(b, is);
    const double ways[2] = {(double)to.x - (double)from.x, (double)to.y - (double)from.y};
    out.seen = 0;
    for (int i = 0; i < 2; i++) {
        const double period = texture_period(compare, a, b, i == 1);
        out.whole[i] = period > 0 ? period * nearbyint(ways[i] / period) : 0;
        out.seen = fmax(out.seen, fabs(ways[i] - out.whole[i]));
    }
    return out;
}
