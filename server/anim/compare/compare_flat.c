/* compare_flat.c - compares the normals of vertices with the faces that are drawn flat in the other model, whose file
 * has no normals there (glTF 2.0, 3.7.2.1). */
#include "anim/compare/compare_drawn.h"
#include "base/mem.h"

#include <stdlib.h>

static bool has_flag(const struct drawn_vertices *drawn, uint32_t at, uint32_t flag)
{
    return (drawn_primitive(drawn, at)->flags & flag) != 0;
}

/* True for a vertex without light, or without a partner that is drawn in the other of both ways. */
static bool is_left_out(const struct compare *compare, enum compare_side s, uint32_t at)
{
    const struct drawn_vertices *own = &compare->surface->drawn[s], *other = &compare->surface->drawn[1 - s];
    const int32_t partner = own->partners[at], material = drawn_material(own, at);
    return partner < 0 || !has_flag(other, (uint32_t)partner, PRIMITIVE_FLAT) ||
           (material >= 0 && (own->model->materials[material].flags & MATERIAL_UNLIT) != 0);
}

static struct vec3 face_normal(const struct drawn_vertices *drawn, const struct drawn_element *element)
{
    const struct vec3 *p = &drawn->places[element->corners[0]], *q = &drawn->places[element->corners[1]],
                      *r = &drawn->places[element->corners[2]];
    const double a[3] = {(double)q->x - (double)p->x, (double)q->y - (double)p->y, (double)q->z - (double)p->z};
    const double b[3] = {(double)r->x - (double)p->x, (double)r->y - (double)p->y, (double)r->z - (double)p->z};
    double across[3];
    cross3(a, b, across);
    unit3(across);
    return (struct vec3){(float)across[0], (float)across[1], (float)across[2]};
}

uint8_t *flats_find(struct compare *compare, enum compare_side s)
{
    enum { LOOK = 65536 }; /* triangles between two checks whether the request was stopped */
    const struct drawn_vertices *drawn = &compare->surface->drawn[s];
    uint8_t *is_other = mem_zalloc((size_t)drawn->count + 1, 1);
    struct element_walk walk = element_walk_start(compare, s);
    struct drawn_element element;
    for (uint32_t i = 0; element_next(&walk, &element); i++) {
        if (i % LOOK == 0 && compare_is_stopped(compare))
            break;
        if (element.corner_count != 3 || !has_flag(drawn, element.corners[0], PRIMITIVE_FILE_NORMALS))
            continue;
        const struct vec3 face = face_normal(drawn, &element);
        for (int c = 0; c < 3; c++)
            is_other[element.corners[c]] |=
                !is_left_out(compare, s, element.corners[c]) &&
                fabs(directions_apart(drawn->normals[element.corners[c]], face)) > NORMAL_NEAR;
    }
    return is_other;
}
