#include "anim/entity/entity_looks.h"

#include <math.h>
#include <stdlib.h>

enum { BASE_COLOR, EMISSIVE, STRENGTH, TRANSFORMS, TRANSFORM_VALUES = 5 };

struct looks_part looks_part(uint32_t part)
{
    static const struct looks_part OWN[] = {[BASE_COLOR] = {PROPERTY_BASE_COLOR, 0, 4, 0},
                                            [EMISSIVE] = {PROPERTY_EMISSIVE, 4, 3, 1},
                                            [STRENGTH] = {PROPERTY_EMISSIVE_STRENGTH, 7, 1, 1}};
    static const uint32_t FIRSTS[] = {[TRANSFORM_OFFSET] = 0, [TRANSFORM_SCALE] = 2, [TRANSFORM_ROTATION] = 4};
    if (part < TRANSFORMS)
        return OWN[part];
    const uint32_t place = part - TRANSFORMS, slot = place / TRANSFORM_PARTS, of = place % TRANSFORM_PARTS;
    return (struct looks_part){.property = PROPERTY_TRANSFORMS + place,
                               .first = 8 + slot * TRANSFORM_VALUES + FIRSTS[of],
                               .count = of == TRANSFORM_ROTATION ? 1 : 2,
                               .group = 2 + slot};
}

static int by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

int entity_looks_init(struct entity_looks *looks, const struct entity *entity, struct err *err)
{
    size_t all = 0;
    uint32_t kept = 0;
    *looks = (struct entity_looks){.count = 0};
    for (uint32_t i = 0; i < entity->layer_count; i++)
        all += entity->layers[i].given != NULL ? entity->layers[i].given->material_count : 0;
    looks->materials = malloc((all + 1) * sizeof *looks->materials);
    if (looks->materials == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for %zu materials of given poses", all);
    for (uint32_t i = 0; i < entity->layer_count; i++) {
        const struct given_pose *given = entity->layers[i].given;
        for (uint32_t m = 0; given != NULL && m < given->material_count; m++)
            looks->materials[looks->count++] = given->materials[m].material;
    }
    qsort(looks->materials, looks->count, sizeof *looks->materials, by_number);
    for (uint32_t i = 0; i < looks->count; i++)
        if (kept == 0 || looks->materials[i] != looks->materials[kept - 1])
            looks->materials[kept++] = looks->materials[i];
    looks->count = kept;
    return 0;
}

void entity_looks_fini(struct entity_looks *looks)
{
    free(looks->materials);
    appearance_fini(&looks->appearance);
}

/* Emission above 1 is a factor within 0 to 1 and its strength. */
static void put_material(const struct material *material, float out[LOOKS_VALUES])
{
    float strength = 1;
    for (int i = 0; i < 3; i++)
        strength = fmaxf(strength, material->emissive[i]);
    for (int i = 0; i < 4; i++)
        out[looks_part(BASE_COLOR).first + (uint32_t)i] = material->base_color[i];
    for (int i = 0; i < 3; i++)
        out[looks_part(EMISSIVE).first + (uint32_t)i] = material->emissive[i] / strength;
    out[looks_part(STRENGTH).first] = strength;
    for (uint32_t slot = 0; slot < TEXTURE_SLOT_COUNT; slot++) {
        float *at = out + looks_part(TRANSFORMS + slot * TRANSFORM_PARTS).first;
        double offset[2], scale[2], rotation;
        texture_transform_parts(material->textures[slot].uv_from_texcoord, offset, scale, &rotation);
        for (int i = 0; i < 2; i++) {
            at[i] = (float)offset[i];
            at[2 + i] = (float)scale[i];
        }
        at[4] = (float)rotation;
    }
}

void entity_looks_rest(const struct entity_looks *looks, const struct model *model, float *out)
{
    for (uint32_t i = 0; i < looks->count; i++)
        put_material(&model->materials[looks->materials[i]], out + (size_t)LOOKS_VALUES * i);
}

int entity_looks_put(struct entity_looks *looks, const struct entity *entity, int32_t shown, const struct pose *pose,
                     float *out, struct err *err)
{
    const double shown_s = entity->layer_count > 0 ? entity->layers[0].clip_time_s : 0;
    if (looks->count == 0)
        return 0;
    if (appearance_evaluate(&looks->appearance, entity->model, shown, shown_s, err) < 0)
        return err->code;
    for (uint32_t i = 0; i < entity->layer_count; i++) {
        const struct blend_layer *layer = &entity->layers[i];
        const struct give give = {.given = layer->given, .time_s = layer->clip_time_s, .weight = layer->weight};
        if (layer->given != NULL &&
            appearance_give(&looks->appearance, entity->model, &give, pose->scene_from_node, err) < 0)
            return err->code;
    }
    const struct model view = appearance_view(&looks->appearance, entity->model);
    entity_looks_rest(looks, &view, out);
    return 0;
}
