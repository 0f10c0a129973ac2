/* threemf_paint.c - evaluates the colours and the texture of a triangle from property groups (3MF Core Specification
 * 1.3, 4.1.4, 5; Materials and Properties Extension 1.2, 1 to 5). Colours are blended in linear light. */
#include "import/threemf/threemf.h"

#include "import/texture/material_values.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A property at one corner: a colour times a texture. */
struct sample {
    double color[4]; /* linear */
    double texcoord[2];
    uint32_t texture, base; /* a group, a base material, or THREEMF_NONE */
    bool is_covering;       /* as in threemf_paint */
};

static void set_color(const uint8_t rgba[4], double out[4])
{
    for (int i = 0; i < 3; i++)
        out[i] = (double)linear_from_srgb((float)rgba[i] / 255);
    out[3] = rgba[3] / 255.0;
}

static struct threemf_group *find_group(const struct threemf *threemf, uint32_t part, uint32_t id)
{
    const struct threemf_resource *found = threemf_find(threemf, part, id);
    return found == NULL || found->kind == KIND_OBJECT ? NULL : &threemf->groups[found->index];
}

static bool sample_group(struct threemf *threemf, const struct threemf_group *group, uint32_t index,
                         struct sample *out);

/* --- the kinds of groups --- */

/* An alpha of 0 counts as 1, because some exporters write 1 - alpha. */
static void sample_base(const struct threemf *threemf, const struct threemf_group *group, uint32_t index,
                        struct sample *out)
{
    out->base = group->first + index;
    set_color(threemf->bases[out->base].rgba, out->color);
    if (threemf->bases[out->base].rgba[3] == 0)
        out->color[3] = 1;
}

static bool sample_texcoord(const struct threemf *threemf, const struct threemf_group *group, uint32_t index,
                            struct sample *out)
{
    const struct threemf_resource *texture = threemf_find(threemf, group->part, group->ref);
    if (texture == NULL || texture->kind != KIND_TEXTURE)
        return false;
    out->texture = texture->index;
    out->texcoord[0] = threemf->texcoords[group->first + index][0];
    out->texcoord[1] = 1 - threemf->texcoords[group->first + index][1];
    return true;
}

/* Computes the mean of the materials' colours weighted by their shares; if all shares are 0, the plain mean (4.1). */
static bool sample_composite(struct threemf *threemf, const struct threemf_group *group, uint32_t index,
                             struct sample *out)
{
    const struct threemf_group *bases = find_group(threemf, group->part, group->ref);
    const uint32_t count = group->list_count;
    const double *shares = threemf->shares + group->first + (size_t)index * count;
    double sum = 0, all = 0;
    for (uint32_t i = 0; i < count; i++)
        all += shares[i];
    double color[4] = {0};
    for (uint32_t i = 0; i < count; i++) {
        struct sample part;
        const double share = all > 0 ? shares[i] : 1;
        if (bases == NULL || bases->kind != KIND_BASES ||
            !sample_group(threemf, bases, threemf->lists[group->list_first + i], &part))
            return false;
        for (int k = 0; k < 4; k++)
            color[k] += share * part.color[k];
        sum += share;
    }
    for (int k = 0; k < 4 && sum > 0; k++)
        out->color[k] = color[k] / sum;
    return sum > 0;
}

/* --- multiproperties (5) --- */

/* "mix": the layer covers the layers below by its opacity. */
static void cover(struct sample *below, const struct sample *layer)
{
    const double a = layer->color[3];
    if (layer->texture != THREEMF_NONE || a >= 1) {
        *below = *layer;
        below->is_covering = layer->texture != THREEMF_NONE;
        return;
    }
    for (int i = 0; i < 3; i++)
        below->color[i] = layer->color[i] * a + below->color[i] * (1 - a);
    below->color[3] = a + below->color[3] * (1 - a);
    below->is_covering |= a > 0 && below->texture != THREEMF_NONE;
}

/* "multiply": if both have a texture, the lower one stays. */
static void multiply(struct sample *below, const struct sample *layer)
{
    for (int i = 0; i < 4; i++)
        below->color[i] *= layer->color[i];
    if (layer->texture == THREEMF_NONE)
        return;
    below->is_covering |= below->texture != THREEMF_NONE;
    if (below->texture == THREEMF_NONE) {
        below->texture = layer->texture;
        memcpy(below->texcoord, layer->texcoord, sizeof below->texcoord);
    }
}

/* The layers above a material are combined separately; the result covers the material by its opacity. */
static bool sample_multi(struct threemf *threemf, const struct threemf_group *group, uint32_t index, struct sample *out)
{
    const uint32_t *indices = threemf->pindices + group->first + (size_t)index * group->list_count;
    struct sample material, all;
    bool has_material = false, is_begun = false;
    for (uint32_t i = 0; i < group->list_count; i++) {
        const struct threemf_group *layer = find_group(threemf, group->part, threemf->lists[group->list_first + i]);
        struct sample sample;
        if (layer == NULL || layer->kind == KIND_MULTI || !sample_group(threemf, layer, indices[i], &sample))
            return false;
        const bool is_material = layer->kind == KIND_BASES || layer->kind == KIND_COMPOSITES;
        const bool is_multiplied = (group->multiply >> i & 1) != 0;
        if (i == 0 && is_material) {
            material = sample;
            has_material = true;
        } else if (!is_begun) {
            all = sample;
            if (!has_material || is_multiplied)
                all.color[3] = 1;
            is_begun = true;
        } else if (is_multiplied) {
            multiply(&all, &sample);
        } else {
            cover(&all, &sample);
        }
    }
    if (!is_begun && !has_material)
        return false;
    if (has_material && is_begun) {
        cover(&material, &all);
        material.base = THREEMF_NONE;
    }
    const bool is_covering = (has_material || all.is_covering) && is_begun && all.texture != THREEMF_NONE;
    *out = has_material ? material : all;
    out->color[3] = has_material && !is_begun ? out->color[3] : 1;
    out->is_covering = is_covering;
    return true;
}

static bool sample_group(struct threemf *threemf, const struct threemf_group *group, uint32_t index, struct sample *out)
{
    *out = (struct sample){.color = {1, 1, 1, 1}, .texture = THREEMF_NONE, .base = THREEMF_NONE};
    if (index >= group->count)
        return false;
    switch (group->kind) {
    case KIND_BASES:
        sample_base(threemf, group, index, out);
        return true;
    case KIND_COLORS:
        set_color(threemf->colors[group->first + index], out->color);
        return true;
    case KIND_TEXCOORDS:
        return sample_texcoord(threemf, group, index, out);
    case KIND_COMPOSITES:
        return sample_composite(threemf, group, index, out);
    case KIND_MULTI:
        return sample_multi(threemf, group, index, out);
    default:
        return false;
    }
}

/* --- a triangle --- */

/* Finds the reflection: the entry of the group's display properties with the property's index (7). Display properties
 * of a material below other layers are ignored. */
static void find_finish(struct threemf *threemf, struct threemf_group *group, uint32_t index, struct threemf_paint *out)
{
    if (group->display == THREEMF_NONE)
        return;
    const struct threemf_group *display = find_group(threemf, group->part, group->display);
    if (display == NULL || (display->kind != KIND_METALLIC && display->kind != KIND_SPECULAR) ||
        index >= display->count) {
        if (!group->is_warned)
            bake_warn(threemf->import->builder, "material_extension_ignored",
                      "part '%.150s': the display properties of resource %u are not drawn",
                      threemf->parts[group->part].path, group->id);
        group->is_warned = true;
        return;
    }
    out->finish = display->first + index;
    out->is_specular = display->kind == KIND_SPECULAR;
}

/* Warns once per object, because each warning is compared with all earlier ones. */
static void warn_of(struct threemf *threemf, uint32_t object, uint32_t pid)
{
    if (threemf->objects[object].is_warned)
        return;
    threemf->objects[object].is_warned = true;
    bake_warn(threemf->import->builder, "property_ignored",
              "%s has triangles with properties that resource %u has not: they are drawn without",
              THREEMF_OBJECT_TEXT(threemf, object), pid);
}

void threemf_paint_of(struct threemf *threemf, uint32_t object, const struct threemf_triangle *triangle,
                      struct threemf_paint *out)
{
    const struct threemf_object *at = &threemf->objects[object];
    *out = (struct threemf_paint){.texture = THREEMF_NONE, .base = THREEMF_NONE, .finish = THREEMF_NONE};
    const bool has_own = triangle->properties[0] != THREEMF_NONE;
    const uint32_t pid = has_own && triangle->pid != THREEMF_NONE ? triangle->pid : at->pid;
    if (pid == THREEMF_NONE)
        return;
    struct threemf_group *group = find_group(threemf, at->part, pid);
    struct sample samples[3];
    for (int i = 0; i < 3; i++) {
        /* A material is constant within a triangle, so the first corner's applies to all (core, 4.1.4; 7). */
        const bool is_one = group != NULL && (group->kind == KIND_BASES || group->display != THREEMF_NONE);
        const uint32_t index = !has_own ? at->pindex : triangle->properties[is_one ? 0 : i];
        if (group == NULL || !sample_group(threemf, group, index, &samples[i])) {
            warn_of(threemf, object, pid);
            return;
        }
        if (group->kind == KIND_COLORS || group->kind == KIND_TEXCOORDS)
            samples[i].color[3] = 1; /* opaque, except as layers of others (2.1, 3) */
        memcpy(out->colors[i], samples[i].color, sizeof out->colors[i]);
        memcpy(out->texcoords[i], samples[i].texcoord, sizeof out->texcoords[i]);
    }
    out->is_there = true;
    out->texture = samples[0].texture;
    out->base = samples[0].base;
    out->is_covering = samples[0].is_covering || samples[1].is_covering || samples[2].is_covering;
    find_finish(threemf, group, has_own ? triangle->properties[0] : at->pindex, out);
}
