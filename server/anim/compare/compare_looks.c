/* compare_looks.c - compares what clips move beside joints and morph targets: numbers of materials, lights and cameras,
 * and the visibility of nodes (KHR_animation_pointer). */
#include "anim/compare/compare_looks.h"
#include "anim/model/material_layers.h"
#include "anim/model/property.h"
#include "anim/pose/visibility.h"
#include "base/mem.h"

#include <string.h>

enum { LOOKS_MOST = 4096 };
#define NUMBER_NEAR (1 / 255.0 + 1e-6)

/* --- the list of a clip --- */

/* Returns one id for properties that are parts of one value. */
static uint32_t whole_id(uint32_t id)
{
    if (id == PROPERTY_EMISSIVE_STRENGTH)
        return PROPERTY_EMISSIVE;
    return id < PROPERTY_TRANSFORMS ? id : id - (id - PROPERTY_TRANSFORMS) % (uint32_t)TRANSFORM_PARTS;
}

static int32_t partner_of(const struct looks *looks, enum compare_side s, uint32_t id, uint32_t target)
{
    if (id == PROPERTY_COUNT)
        return looks->meshes[s][target];
    const uint32_t kind = property_of(id).kind;
    return kind == PROPERTY_OF_LIGHT    ? looks->lights[s][target]
           : kind == PROPERTY_OF_CAMERA ? looks->cameras[s][target]
                                        : looks->materials[s][target];
}

static void add_look(struct compare *compare, enum compare_side s, uint32_t id, uint32_t target)
{
    struct looks *looks = compare->looks;
    const int32_t partner = partner_of(looks, s, id, target);
    struct look look = {.id = id};
    if (partner < 0 || looks->count == LOOKS_MOST)
        return;
    look.targets[s] = target;
    look.targets[1 - s] = (uint32_t)partner;
    for (int k = 0; k < COMPARE_SIDES && id < PROPERTY_COUNT; k++)
        if (!property_is_drawn(compare->sides[k].model, id, look.targets[k]))
            return;
    for (size_t i = 0; i < looks->count && id < PROPERTY_COUNT; i++)
        if (looks->list[i].id == id && memcmp(looks->list[i].targets, look.targets, sizeof look.targets) == 0)
            return;
    looks->list = mem_grow(looks->list, &looks->capacity, looks->count + 1, sizeof *looks->list);
    looks->list[looks->count++] = look;
}

/* Lists the nodes whose visibility a clip of either model moves, each pair once. */
static void list_nodes(struct compare *compare, const int32_t clips[COMPARE_SIDES])
{
    const struct looks *looks = compare->looks;
    const bool is_old_moved = visibility_is_animated(compare->sides[COMPARE_OLD].model, clips[COMPARE_OLD]);
    for (int s = 0; s < COMPARE_SIDES; s++) {
        const struct model *model = compare->sides[s].model;
        if (!visibility_is_animated(model, clips[s]))
            continue;
        for (uint32_t n = 0; n < model->node_count; n++) {
            const int32_t partner = looks->meshes[s][n];
            const bool is_listed =
                s == COMPARE_NEW && is_old_moved && partner >= 0 && looks->meshes[COMPARE_OLD][partner] == (int32_t)n;
            if (partner >= 0 && !is_listed)
                add_look(compare, (enum compare_side)s, PROPERTY_COUNT, n);
        }
        compare_charge(compare, model->node_count);
    }
}

/* Lists what the clips of either model move. */
static void list_looks(struct compare *compare, const int32_t clips[COMPARE_SIDES])
{
    struct looks *looks = compare->looks;
    looks->count = 0;
    for (int s = 0; s < COMPARE_SIDES; s++) {
        uint32_t count;
        const struct property_channel *channels =
            appearance_channels(compare->sides[s].model, (uint32_t)clips[s], &count);
        for (uint32_t i = 0; i < count && !compare_is_stopped(compare); i++)
            add_look(compare, (enum compare_side)s, whole_id(channels[i].channel.path - PATH_COUNT),
                     channels[i].channel.node);
    }
    const size_t numbers = looks->count;
    list_nodes(compare, clips);
    looks->has_nodes = looks->count > numbers;
}

void looks_begin(struct compare *compare, enum clip_mapping mapping, const int32_t clips[COMPARE_SIDES])
{
    struct looks *looks = compare->looks;
    if (mapping == MAPPING_TIME)
        list_looks(compare, clips);
    for (size_t i = 0; i < looks->count; i++)
        looks->list[i].worsts[mapping] = (struct look_worst){.apart = 0};
}

uint64_t looks_steps(const struct compare *compare)
{
    uint64_t steps = 0;
    for (int s = 0; s < COMPARE_SIDES && compare->looks->count > 0; s++) {
        const struct model *model = compare->sides[s].model;
        steps += (uint64_t)model->material_count + model->light_count + model->camera_count + compare->looks->count;
    }
    return steps;
}

/* --- poses --- */

uint32_t look_numbers(const struct model *view, uint32_t id, uint32_t target, float out[NUMBERS_MOST])
{
    const struct property property = property_of(id);
    if (id >= PROPERTY_TRANSFORMS) {
        const struct material_texture *texture =
            material_texture_at(view, &view->materials[target], (uint32_t)property.slot);
        memcpy(out, texture->uv_from_texcoord, sizeof texture->uv_from_texcoord);
        return 6;
    }
    const void *object = property.kind == PROPERTY_OF_MATERIAL ? (const void *)&view->materials[target]
                         : property.kind == PROPERTY_OF_LAYER
                             ? (const void *)&view->material_layers[view->materials[target].layers]
                         : property.kind == PROPERTY_OF_LIGHT ? (const void *)&view->lights[target]
                                                              : (const void *)&view->cameras[target];
    memcpy(out, (const char *)object + property.offset, property.count * sizeof *out);
    return property.count;
}

/* Returns how far two places on a texture are apart, which may repeat. */
static double places_apart(const struct compare *compare, const struct look *look,
                           const float values[COMPARE_SIDES][NUMBERS_MOST])
{
    const struct material_texture *textures[COMPARE_SIDES];
    double most = 0;
    for (int s = 0; s < COMPARE_SIDES; s++) {
        const struct model *model = compare->sides[s].model;
        textures[s] =
            material_texture_at(model, &model->materials[look->targets[s]], (uint32_t)property_of(look->id).slot);
    }
    for (int i = 0; i < 6; i++) {
        const double way = (double)values[COMPARE_NEW][i] - (double)values[COMPARE_OLD][i];
        const double period =
            i % 3 == 2 ? texture_period(compare, textures[COMPARE_OLD], textures[COMPARE_NEW], i == 5) : 0;
        most = fmax(most, fabs(period > 0 ? way - period * nearbyint(way / period) : way));
    }
    return most / TEXCOORD_NEAR;
}

static double numbers_apart(const struct compare *compare, const struct look *look, uint32_t count,
                            const float values[COMPARE_SIDES][NUMBERS_MOST])
{
    if (look->id >= PROPERTY_TRANSFORMS)
        return places_apart(compare, look, values);
    const uint32_t kind = property_of(look->id).kind;
    const double least = kind == PROPERTY_OF_LIGHT || kind == PROPERTY_OF_CAMERA ? 1e-12 : 1;
    double most = 0, scale = least;
    for (uint32_t i = 0; i < count; i++) {
        scale = fmax(scale, fmax(fabs((double)values[0][i]), fabs((double)values[1][i])));
        most = fmax(most, fabs((double)values[0][i] - (double)values[1][i]));
    }
    return most / scale / NUMBER_NEAR;
}

/* Fills is_shown of both sides. */
static void show_nodes(struct compare *compare, const int32_t clips[COMPARE_SIDES], const double times_s[COMPARE_SIDES])
{
    struct looks *looks = compare->looks;
    for (int s = 0; s < COMPARE_SIDES; s++) {
        const struct model *model = compare->sides[s].model;
        if (visibility_is_animated(model, clips[s])) {
            visibility_evaluate(model, (uint32_t)clips[s], times_s[s], looks->is_shown[s]);
            continue;
        }
        for (uint32_t n = 0; n < model->node_count; n++)
            looks->is_shown[s][n] = (model->nodes[n].flags & NODE_HIDDEN) == 0;
    }
}

int looks_measure(struct compare *compare, enum clip_mapping mapping, const int32_t clips[COMPARE_SIDES],
                  const double times_s[COMPARE_SIDES], double told_s)
{
    struct looks *looks = compare->looks;
    struct model views[COMPARE_SIDES];
    const uint64_t steps = looks_steps(compare);
    if (looks->count == 0)
        return 0;
    for (int s = 0; s < COMPARE_SIDES; s++) {
        const struct model *model = compare->sides[s].model;
        if (appearance_evaluate(&looks->appearances[s], model, clips[s], times_s[s], compare->err) < 0)
            return compare->err->code;
        views[s] = appearance_view(&looks->appearances[s], model);
    }
    if (looks->has_nodes)
        show_nodes(compare, clips, times_s);
    compare_charge(compare, steps);
    for (size_t i = 0; i < looks->count; i++) {
        struct look *look = &looks->list[i];
        struct look_worst now = {.time_s = told_s};
        uint32_t count = 1;
        for (int s = 0; s < COMPARE_SIDES; s++) {
            if (look->id == PROPERTY_COUNT)
                now.values[s][0] = looks->is_shown[s][look->targets[s]];
            else
                count = look_numbers(&views[s], look->id, look->targets[s], now.values[s]);
        }
        now.apart = look->id == PROPERTY_COUNT ? (now.values[0][0] != now.values[1][0]) * 1 / NUMBER_NEAR
                                               : numbers_apart(compare, look, count, now.values);
        if (now.apart > look->worsts[mapping].apart)
            look->worsts[mapping] = now;
    }
    return 0;
}

double looks_worst(const struct compare *compare, enum clip_mapping mapping)
{
    double most = 0;
    for (size_t i = 0; i < compare->looks->count; i++)
        most = fmax(most, compare->looks->list[i].worsts[mapping].apart);
    return most;
}
