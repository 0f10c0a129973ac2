/* compare_materials.c - compares the materials of what both models draw. */
#include "anim/compare/compare_drawn.h"
#include "anim/model/material_layers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FACTOR_NEAR (1 / 255.0 + 1e-6)
/* --- differences of two materials --- */

/* Compares the two materials of `use` and reports their differences, or only counts them with is_quiet. */
struct material_look {
    struct compare *compare;
    const struct material_use *use;
    bool is_quiet;
    uint32_t count;
};

static struct difference *start(struct material_look *look, enum difference_kind kind)
{
    look->count++;
    struct difference *difference = look->is_quiet ? NULL : difference_add(look->compare, kind);
    if (difference == NULL)
        return NULL;
    difference->materials[COMPARE_OLD] = look->use->materials[COMPARE_OLD];
    difference->materials[COMPARE_NEW] = look->use->materials[COMPARE_NEW];
    return difference;
}

static const char *name_of(const struct material_look *look, enum compare_side s, char out[THING_SIZE])
{
    const struct model *model = look->compare->sides[s].model;
    const int32_t material = look->use->materials[s];
    if (material < 0)
        return "no material";
    return compare_thing(model, "material", model->materials[material].name, (uint32_t)material, out);
}

/* Returns the name of what has the new material. */
static const char *subject_of(const struct material_look *look, char out[THING_SIZE])
{
    return look->use->materials[COMPARE_NEW] < 0 ? "what has no material" : name_of(look, COMPARE_NEW, out);
}

static void look_at_number(struct material_look *look, const char *what, float old, float new)
{
    char name[THING_SIZE];
    if (!(fabs((double)old - (double)new) > FACTOR_NEAR))
        return;
    struct difference *difference = start(look, DIFFERENCE_MATERIAL);
    if (difference == NULL)
        return;
    difference_set_number(difference, COMPARE_OLD, (double)old);
    difference_set_number(difference, COMPARE_NEW, (double)new);
    difference_say(difference, "%s: %s is %.4g and was %.4g", subject_of(look, name), what, (double)new, (double)old);
}

static void look_at_colour(struct material_look *look, const char *what, const float *old, const float *new,
                           uint32_t count)
{
    char name[THING_SIZE], texts[COMPARE_SIDES][SHORT_NAME_SIZE];
    bool is_same = true;
    for (uint32_t i = 0; i < count; i++)
        is_same = is_same && !(fabs((double)old[i] - (double)new[i]) > FACTOR_NEAR);
    struct difference *difference = is_same ? NULL : start(look, DIFFERENCE_MATERIAL);
    if (difference == NULL)
        return;
    for (int s = 0; s < COMPARE_SIDES; s++) {
        const float *c = s == COMPARE_OLD ? old : new;
        snprintf(texts[s], sizeof texts[s], count == 4 ? "%.4g, %.4g, %.4g, %.4g" : "%.4g, %.4g, %.4g", (double)c[0],
                 (double)c[1], (double)c[2], (double)c[count - 1]);
        difference_set_text(difference, (enum compare_side)s, texts[s]);
    }
    difference_say(difference, "%s: %s is (%s) and was (%s)", subject_of(look, name), what, texts[COMPARE_NEW],
                   texts[COMPARE_OLD]);
}

static void look_at_word(struct material_look *look, const char *what, const char *old, const char *new)
{
    char name[THING_SIZE];
    struct difference *difference = strcmp(old, new) == 0 ? NULL : start(look, DIFFERENCE_MATERIAL);
    if (difference == NULL)
        return;
    difference_set_text(difference, COMPARE_OLD, old);
    difference_set_text(difference, COMPARE_NEW, new);
    difference_say(difference, "%s: %s is %s and was %s", subject_of(look, name), what, new, old);
}

static const char *word(bool value) { return value ? "on" : "off"; }

static void look_at_texture(struct material_look *look, uint32_t slot, const struct material *old,
                            const struct material *new)
{
    static const char *const WORDS[TEXTURE_SLOT_COUNT] = {
        [TEXTURE_BASE_COLOR] = "base colour", [TEXTURE_METALLIC_ROUGHNESS] = "metallic-roughness",
        [TEXTURE_NORMAL] = "normal",          [TEXTURE_OCCLUSION] = "occlusion",
        [TEXTURE_EMISSIVE] = "emissive",
    };
    const struct model *models[COMPARE_SIDES] = {look->compare->sides[COMPARE_OLD].model,
                                                 look->compare->sides[COMPARE_NEW].model};
    const struct material_texture *a = material_texture_at(models[COMPARE_OLD], old, slot),
                                  *b = material_texture_at(models[COMPARE_NEW], new, slot);
    const char *what = slot < TEXTURE_SLOT_COUNT ? WORDS[slot] : LAYER_TEXTURES[slot - TEXTURE_SLOT_COUNT].member;
    char name[THING_SIZE], buffer[TEXTURE_SAID_SIZE];
    const char *said = texture_differs(look->compare, a->texture, b->texture,
                                       slot == TEXTURE_BASE_COLOR && old->alpha_mode != ALPHA_OPAQUE, buffer);
    if (said == NULL && (look->use->moved_slots >> slot & 1) != 0)
        said = "lies elsewhere on the surface";
    struct difference *difference = said == NULL ? NULL : start(look, DIFFERENCE_TEXTURE);
    if (difference != NULL)
        difference_say(difference, slot < TEXTURE_SLOT_COUNT ? "%s: the %s texture %s" : "%s: %s %s",
                       subject_of(look, name), what, said);
}

/* A layer that neither material has is neutral in both. */
static void look_at_layers(struct material_look *look, const struct material *old, const struct material *new)
{
    const struct material_layers *a = material_layers_of(look->compare->sides[COMPARE_OLD].model, old);
    const struct material_layers *b = material_layers_of(look->compare->sides[COMPARE_NEW].model, new);
    a = a == NULL ? &MATERIAL_LAYERS_NONE : a;
    b = b == NULL ? &MATERIAL_LAYERS_NONE : b;
    for (int n = 0; n < LAYER_NUMBER_COUNT; n++) {
        const struct layer_number *number = &LAYER_NUMBERS[n];
        const float *was = layer_number_at(a, number), *is = layer_number_at(b, number);
        if (number->count == 1)
            look_at_number(look, number->member, was[0], is[0]);
        else
            look_at_colour(look, number->member, was, is, number->count);
    }
    look_at_number(look, "the scale of clearcoatNormalTexture", a->clearcoat_normal_scale, b->clearcoat_normal_scale);
}

static void look_at(struct material_look *look, const struct material *old, const struct material *new)
{
    static const char *const MODES[] = {[ALPHA_OPAQUE] = "opaque", [ALPHA_MASK] = "mask", [ALPHA_BLEND] = "blend"};
    const bool is_lit = ((old->flags | new->flags) & MATERIAL_UNLIT) == 0;
    look_at_colour(look, "base colour", old->base_color, new->base_color, old->alpha_mode == ALPHA_OPAQUE ? 3 : 4);
    look_at_word(look, "alpha mode", MODES[old->alpha_mode], MODES[new->alpha_mode]);
    if (old->alpha_mode == ALPHA_MASK && new->alpha_mode == ALPHA_MASK)
        look_at_number(look, "alpha cutoff", old->alpha_cutoff, new->alpha_cutoff);
    look_at_word(look, "double sided", word((old->flags & MATERIAL_DOUBLE_SIDED) != 0),
                 word((new->flags &MATERIAL_DOUBLE_SIDED) != 0));
    look_at_word(look, "unlit", word((old->flags & MATERIAL_UNLIT) != 0), word((new->flags &MATERIAL_UNLIT) != 0));
    look_at_texture(look, TEXTURE_BASE_COLOR, old, new);
    if (!is_lit)
        return; /* nothing below is visible */
    look_at_colour(look, "emissive colour", old->emissive, new->emissive, 3);
    if (look->use->materials[COMPARE_OLD] >= 0 &&
        look->use->materials[COMPARE_NEW] >= 0) /* pictures without a material are not metallic */
        look_at_number(look, "metallic", old->metallic, new->metallic);
    look_at_number(look, "roughness", old->roughness, new->roughness);
    if (old->textures[TEXTURE_NORMAL].texture >= 0 && new->textures[TEXTURE_NORMAL].texture >= 0)
        look_at_number(look, "normal scale", old->normal_scale, new->normal_scale);
    if (old->textures[TEXTURE_OCCLUSION].texture >= 0 && new->textures[TEXTURE_OCCLUSION].texture >= 0)
        look_at_number(look, "occlusion strength", old->occlusion_strength, new->occlusion_strength);
    look_at_layers(look, old, new);
    for (uint32_t slot = TEXTURE_METALLIC_ROUGHNESS; slot < TEXTURE_ALL_COUNT; slot++)
        look_at_texture(look, slot, old, new);
}

static const struct material *material_at(const struct model *model, int32_t index)
{
    return index < 0 ? &MATERIAL_PLAIN : &model->materials[index];
}

/* True when an old material with the name of the new one became that too: tools merge what looks the same. */
static bool is_merged(const struct material_use *use, const struct material_use *uses, uint32_t count, uint64_t key)
{
    for (uint32_t i = 0; i < count; i++)
        if (uses[i].is_most && uses[i].materials[COMPARE_NEW] == use->materials[COMPARE_NEW] &&
            uses[i].materials[COMPARE_OLD] >= 0 && uses[i].old_key == key)
            return true;
    return false;
}

/* True for a use whose surface has another material of the new model, which the old model has, too. */
static bool has_name_of_another(const struct compare *compare, const struct material_use *uses, uint32_t count,
                                uint32_t at)
{
    const struct material_use *use = &uses[at];
    const struct model *new = compare->sides[COMPARE_NEW].model;
    if (use->materials[COMPARE_OLD] < 0 || use->materials[COMPARE_NEW] < 0)
        return false;
    const uint64_t key = name_key(new, new->materials[use->materials[COMPARE_NEW]].name, NAME_REWRITTEN);
    return key != 0 && key != use->old_key && is_merged(use, uses, count, key);
}

/* A name that a tool made unique, or that only one file has, counts as the same. */
static void look_at_name(struct material_look *look, const struct material_use *uses, uint32_t count)
{
    const struct model *old = look->compare->sides[COMPARE_OLD].model, *new = look->compare->sides[COMPARE_NEW].model;
    if (look->use->materials[COMPARE_OLD] < 0 || look->use->materials[COMPARE_NEW] < 0)
        return;
    const struct str was = old->materials[look->use->materials[COMPARE_OLD]].name,
                     is = new->materials[look->use->materials[COMPARE_NEW]].name;
    const uint64_t key = look->use->old_key, other = name_key(new, is, NAME_REWRITTEN);
    char names[COMPARE_SIDES][THING_SIZE];
    if (key == 0 || other == 0 || key == other || name_key(new, is, NAME_BASE) == key ||
        is_merged(look->use, uses, count, other))
        return;
    struct difference *difference = start(look, DIFFERENCE_MATERIAL);
    if (difference == NULL)
        return;
    difference_set_name(look->compare, difference, COMPARE_OLD, was);
    difference_set_name(look->compare, difference, COMPARE_NEW, is);
    difference_say(difference, "%s is now %s",
                   compare_thing(old, "material", was, (uint32_t)look->use->materials[COMPARE_OLD], names[COMPARE_OLD]),
                   compare_thing(new, "material", is, (uint32_t)look->use->materials[COMPARE_NEW], names[COMPARE_NEW]));
}

/* Reports a part of what a material drew, which has another one now. */
static void tell_moved(struct compare *compare, const struct material_use *use)
{
    static const char *const WORDS[][2] = {
        {"vertex", "vertices"}, {"point", "points"}, {"line", "lines"}, {"triangle", "triangles"}};
    const struct drawn_vertices *drawn = compare->surface->drawn;
    struct material_look look = {.compare = compare, .use = use};
    const struct model *model = compare->sides[COMPARE_NEW].model;
    const uint32_t mesh = drawn_mesh(&drawn[COMPARE_NEW], use->vertices[COMPARE_NEW]);
    char names[3][THING_SIZE];
    struct difference *difference = start(&look, DIFFERENCE_MATERIAL);
    if (difference == NULL)
        return;
    difference->meshes[COMPARE_OLD] = (int32_t)drawn_mesh(&drawn[COMPARE_OLD], use->vertices[COMPARE_OLD]);
    difference->meshes[COMPARE_NEW] = (int32_t)mesh;
    difference_say(difference, "%u %s of %s %s %s and had %s", use->count, WORDS[use->corner_count][use->count != 1],
                   compare_thing(model, "mesh", model->meshes[mesh].name, mesh, names[0]),
                   use->count == 1 ? "has" : "have", name_of(&look, COMPARE_NEW, names[1]),
                   name_of(&look, COMPARE_OLD, names[2]));
}

bool materials_are_alike(struct compare *compare, int32_t old, int32_t new)
{
    const struct material_use use = {.materials = {old, new}};
    struct material_look look = {.compare = compare, .use = &use, .is_quiet = true};
    look_at(&look, material_at(compare->sides[COMPARE_OLD].model, old),
            material_at(compare->sides[COMPARE_NEW].model, new));
    return look.count == 0;
}

void materials_compare(struct compare *compare)
{
    const struct model *old = compare->sides[COMPARE_OLD].model, *new = compare->sides[COMPARE_NEW].model;
    uint32_t count;
    struct material_use *uses = material_uses_list(compare, &count);
    for (uint32_t i = 0; i < count && !compare_is_stopped(compare); i++) {
        const struct material_use *use = &uses[i];
        const bool is_other = !use->is_most || has_name_of_another(compare, uses, count, i);
        struct material_look look = {.compare = compare, .use = use, .is_quiet = is_other};
        if (use->is_most && use->materials[COMPARE_OLD] >= 0 && use->materials[COMPARE_NEW] >= 0)
            looks_pair_materials(compare, use->materials[COMPARE_OLD], use->materials[COMPARE_NEW]);
        if (use->is_most)
            look_at_name(&look, uses, count);
        look_at(&look, material_at(old, use->materials[COMPARE_OLD]), material_at(new, use->materials[COMPARE_NEW]));
        if (is_other && look.count > 0)
            tell_moved(compare, use);
    }
    free(uses);
}
