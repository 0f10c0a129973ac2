/* compare_looks.c - compares what clips move beside joints and morph targets: numbers of materials, lights and cameras,
 * and the visibility of nodes (KHR_animation_pointer). */
#include "anim/compare/compare_drawn.h"
#include "anim/model/material_layers.h"
#include "anim/model/property.h"
#include "anim/pose/appearance.h"
#include "anim/pose/visibility.h"
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOOKS_MOST = 4096, NUMBERS_MOST = 6 };
#define NUMBER_NEAR (1 / 255.0 + 1e-6)

/* The time at which a look differs most, as a multiple of what still counts as the same. */
struct look_worst {
    double apart, time_s;
    float values[COMPARE_SIDES][NUMBERS_MOST];
};

/* A number that a clip of either model moves, or a node whose visibility it moves. */
struct look {
    uint32_t id; /* PROPERTY_; PROPERTY_COUNT: the visibility of a node */
    uint32_t targets[COMPARE_SIDES];
    struct look_worst worsts[CLIP_MAPPINGS];
};

struct looks {
    /* of the objects of a side: the matching ones of the other side, or -1 */
    int32_t *materials[COMPARE_SIDES], *lights[COMPARE_SIDES], *cameras[COMPARE_SIDES];
    int32_t *meshes[COMPARE_SIDES]; /* [node_count]: of a node with a mesh; else -1 */
    struct look *list;
    size_t count, capacity;
    struct appearance appearances[COMPARE_SIDES];
    uint8_t *is_shown[COMPARE_SIDES]; /* [node_count] */
    bool has_nodes;                   /* the list has nodes */
};

/* --- partners --- */

static int32_t *no_partners(uint32_t count)
{
    int32_t *partners = mem_alloc(((size_t)count + 1) * sizeof *partners);
    for (uint32_t i = 0; i < count; i++)
        partners[i] = -1;
    return partners;
}

static uint32_t place_count(const struct model *model, bool is_light)
{
    return is_light ? model->light_count : model->camera_count;
}

static uint32_t place_node(const struct model *model, bool is_light, uint32_t index)
{
    return is_light ? model->lights[index].node : model->cameras[index].node;
}

static uint64_t place_key(const struct model *model, bool is_light, uint32_t index)
{
    return name_key(model, is_light ? model->lights[index].name : model->cameras[index].name, NAME_REWRITTEN);
}

/* Pairs lights or cameras by their nodes, then by their names, then the only ones. */
static void match_places(const struct compare *compare, bool is_light, int32_t *const partners[COMPARE_SIDES])
{
    const struct compare_model *old = &compare->sides[COMPARE_OLD], *new = &compare->sides[COMPARE_NEW];
    const uint32_t counts[COMPARE_SIDES] = {place_count(old->model, is_light), place_count(new->model, is_light)};
    struct name_entry *entries = mem_alloc(((size_t)counts[0] + counts[1] + 1) * sizeof *entries);
    for (int pass = 0; pass < 2; pass++) {
        size_t count = 0;
        for (uint32_t s = 0; s < COMPARE_SIDES; s++)
            for (uint32_t i = 0; i < counts[s]; i++) {
                const uint32_t node = place_node(compare->sides[s].model, is_light, i);
                const int32_t partner = s == COMPARE_OLD ? (int32_t)node : new->partners[node];
                const uint64_t key =
                    pass == 0 ? (uint64_t)(int64_t)(partner + 1) : place_key(compare->sides[s].model, is_light, i);
                if (partners[s][i] < 0 && key != 0)
                    entries[count++] = (struct name_entry){.key = key, .index = i, .side = s};
            }
        names_match(entries, count, partners);
    }
    if (counts[COMPARE_OLD] == 1 && counts[COMPARE_NEW] == 1)
        partners[COMPARE_OLD][0] = partners[COMPARE_NEW][0] = 0;
    free(entries);
}

/* Pairs the nodes that draw meshes: by their names, else by the vertices that they draw. */
static void match_meshes(const struct compare *compare, int32_t *const partners[COMPARE_SIDES])
{
    const struct drawn_vertices *drawn = compare->surface->drawn, *old = &drawn[COMPARE_OLD];
    const struct compare_model *side = &compare->sides[COMPARE_OLD];
    const struct node *others = compare->sides[COMPARE_NEW].model->nodes;
    for (uint32_t n = 0; n < side->model->node_count; n++)
        if (side->model->nodes[n].mesh >= 0 && side->partners[n] >= 0 && others[side->partners[n]].mesh >= 0)
            partners[COMPARE_OLD][n] = side->partners[n];
    for (uint32_t first = 0; first < old->count; first += drawn_primitive(old, first)->vertex_count) {
        const int32_t matched = drawn_first_matched(old, first);
        const uint32_t node = drawn_node(old, first);
        if (matched >= 0 && partners[COMPARE_OLD][node] < 0)
            partners[COMPARE_OLD][node] = (int32_t)drawn_node(&drawn[COMPARE_NEW], (uint32_t)old->partners[matched]);
    }
    for (uint32_t n = 0; n < side->model->node_count; n++)
        if (partners[COMPARE_OLD][n] >= 0)
            partners[COMPARE_NEW][partners[COMPARE_OLD][n]] = (int32_t)n;
}

void looks_make(struct compare *compare)
{
    struct looks *looks = compare->looks = mem_zalloc(1, sizeof *looks);
    for (int s = 0; s < COMPARE_SIDES; s++) {
        const struct model *model = compare->sides[s].model;
        looks->materials[s] = no_partners(model->material_count);
        looks->lights[s] = no_partners(model->light_count);
        looks->cameras[s] = no_partners(model->camera_count);
        looks->meshes[s] = no_partners(model->node_count);
        looks->is_shown[s] = mem_zalloc((size_t)model->node_count + 1, 1);
    }
    match_places(compare, true, looks->lights);
    match_places(compare, false, looks->cameras);
    match_meshes(compare, looks->meshes);
}

void looks_pair_materials(struct compare *compare, int32_t old, int32_t new)
{
    struct looks *looks = compare->looks;
    looks->materials[COMPARE_OLD][old] = new;
    if (looks->materials[COMPARE_NEW][new] < 0)
        looks->materials[COMPARE_NEW][new] = old;
}

void looks_free(struct compare *compare)
{
    struct looks *looks = compare->looks;
    if (looks == NULL)
        return;
    for (int s = 0; s < COMPARE_SIDES; s++) {
        free(looks->materials[s]);
        free(looks->lights[s]);
        free(looks->cameras[s]);
        free(looks->meshes[s]);
        free(looks->is_shown[s]);
        appearance_fini(&looks->appearances[s]);
    }
    free(looks->list);
    free(looks);
    compare->looks = NULL;
}

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
    for (size_t i = 0; i < looks->count; i++)
        if (looks->list[i].id == id && memcmp(looks->list[i].targets, look.targets, sizeof look.targets) == 0)
            return;
    looks->list = mem_grow(looks->list, &looks->capacity, looks->count + 1, sizeof *looks->list);
    looks->list[looks->count++] = look;
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
        for (uint32_t i = 0; i < count; i++)
            add_look(compare, (enum compare_side)s, whole_id(channels[i].channel.path - PATH_COUNT),
                     channels[i].channel.node);
    }
    const size_t numbers = looks->count;
    for (int s = 0; s < COMPARE_SIDES; s++) {
        const struct model *model = compare->sides[s].model;
        for (uint32_t n = 0; n < model->node_count && visibility_is_animated(model, clips[s]); n++)
            if (looks->meshes[s][n] >= 0)
                add_look(compare, (enum compare_side)s, PROPERTY_COUNT, n);
    }
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

/* Reads the numbers of a look. Returns how many there are. */
static uint32_t read_numbers(const struct model *view, uint32_t id, uint32_t target, float out[NUMBERS_MOST])
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
    compare->steps_left -= steps < compare->steps_left ? steps : compare->steps_left;
    for (size_t i = 0; i < looks->count; i++) {
        struct look *look = &looks->list[i];
        struct look_worst now = {.time_s = told_s};
        uint32_t count = 1;
        for (int s = 0; s < COMPARE_SIDES; s++) {
            if (look->id == PROPERTY_COUNT)
                now.values[s][0] = looks->is_shown[s][look->targets[s]];
            else
                count = read_numbers(&views[s], look->id, look->targets[s], now.values[s]);
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

/* --- reports --- */

/* Writes the object that a look belongs to. */
static const char *thing_of(const struct compare *compare, const struct look *look, char out[THING_SIZE])
{
    const struct model *new = compare->sides[COMPARE_NEW].model;
    const uint32_t target = look->targets[COMPARE_NEW];
    const uint32_t kind = look->id == PROPERTY_COUNT ? 0 : property_of(look->id).kind;
    if (look->id == PROPERTY_COUNT)
        return compare_thing(new, "node", new->nodes[target].name, target, out);
    if (kind == PROPERTY_OF_LIGHT)
        return compare_thing(new, "light", new->lights[target].name, target, out);
    if (kind == PROPERTY_OF_CAMERA)
        return compare_thing(new, "camera", new->cameras[target].name, target, out);
    return compare_thing(new, "material", new->materials[target].name, target, out);
}

static void set_subject(const struct compare *compare, const struct look *look, struct difference *difference)
{
    const uint32_t kind = look->id == PROPERTY_COUNT ? 0 : property_of(look->id).kind;
    for (int s = 0; s < COMPARE_SIDES; s++) {
        const struct model *model = compare->sides[s].model;
        const uint32_t target = look->targets[s];
        if (look->id == PROPERTY_COUNT)
            difference->nodes[s] = (int32_t)target;
        else if (kind == PROPERTY_OF_LIGHT)
            difference->nodes[s] = (int32_t)model->lights[target].node;
        else if (kind == PROPERTY_OF_CAMERA)
            difference->nodes[s] = (int32_t)model->cameras[target].node;
        else
            difference->materials[s] = (int32_t)target;
    }
}

/* Writes the numbers of one side for people. */
static void set_values(struct compare *compare, const struct look *look, const float *values,
                       struct difference *difference, enum compare_side s, char out[SHORT_NAME_SIZE])
{
    float numbers[NUMBERS_MOST];
    const uint32_t target = look->targets[s];
    if (look->id == PROPERTY_COUNT) {
        snprintf(out, SHORT_NAME_SIZE, "%s", values[0] > 0 ? "shown" : "hidden");
        difference_set_text(difference, s, out);
        return;
    }
    const uint32_t count = read_numbers(compare->sides[s].model, look->id, target, numbers);
    int size = 0;
    for (uint32_t i = 0; i < count; i++)
        size += snprintf(out + size, SHORT_NAME_SIZE - (size_t)size, "%s%.4g", i > 0 ? ", " : "", (double)values[i]);
    if (count == 1)
        difference_set_number(difference, s, (double)values[0]);
    else
        difference_set_text(difference, s, out);
}

static void tell_look(struct compare *compare, const struct look *look, const struct look_worst *worst,
                      const int32_t clips[COMPARE_SIDES])
{
    const struct model *new = compare->sides[COMPARE_NEW].model;
    char names[2][THING_SIZE], texts[COMPARE_SIDES][SHORT_NAME_SIZE], path[PROPERTY_POINTER_SIZE] = "it";
    struct difference *difference = difference_add(compare, DIFFERENCE_LOOK);
    if (difference == NULL)
        return;
    set_subject(compare, look, difference);
    for (int s = 0; s < COMPARE_SIDES; s++) {
        difference->clips[s] = clips[s];
        set_values(compare, look, worst->values[s], difference, (enum compare_side)s, texts[s]);
    }
    if (look->id < PROPERTY_COUNT)
        property_put_path(look->id, path);
    if (look->id >= PROPERTY_TRANSFORMS && look->id < PROPERTY_COUNT)
        *strrchr(path, '/') = '\0'; /* of the whole transform */
    difference->time_s = worst->time_s;
    difference_say(
        difference, "%s: %s: %s is %s and was %s at %.6g s",
        compare_thing(new, "clip", new->clips[clips[COMPARE_NEW]].name, (uint32_t)clips[COMPARE_NEW], names[0]),
        thing_of(compare, look, names[1]), path, texts[COMPARE_NEW], texts[COMPARE_OLD], worst->time_s);
}

void looks_tell(struct compare *compare, enum clip_mapping mapping, const int32_t clips[COMPARE_SIDES])
{
    for (size_t i = 0; i < compare->looks->count; i++)
        if (compare->looks->list[i].worsts[mapping].apart > 1)
            tell_look(compare, &compare->looks->list[i], &compare->looks->list[i].worsts[mapping], clips);
}
