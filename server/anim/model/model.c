#include "anim/model/model.h"

#include <string.h>

#define NO_TEXTURE                                                                                                     \
    {                                                                                                                  \
        .texture = -1, .uv_from_texcoord = { 1, 0, 0, 0, 1, 0 }                                                        \
    }

const struct material MATERIAL_PLAIN = {
    .name = {.offset = STR_NONE},
    .base_color = {1, 1, 1, 1},
    .roughness = 1,
    .normal_scale = 1,
    .occlusion_strength = 1,
    .alpha_cutoff = 0.5f,
    .layers = -1,
    .textures = {NO_TEXTURE, NO_TEXTURE, NO_TEXTURE, NO_TEXTURE, NO_TEXTURE},
};

bool texture_name_is_procedural(const char *name, size_t size_bytes)
{
    static const char *const STARTS[] = {"Procedural,num=", "Procedural%2Cnum%3D" /* in a URI */};
    const char *slash = memrchr(name, '/', size_bytes), *base = slash == NULL ? name : slash + 1;
    const size_t base_bytes = size_bytes - (size_t)(base - name);
    for (size_t i = 0; i < sizeof STARTS / sizeof *STARTS; i++)
        if (base_bytes > strlen(STARTS[i]) && memcmp(base, STARTS[i], strlen(STARTS[i])) == 0)
            return true;
    return false;
}

uint32_t model_strongest_joint(const struct model *model, const struct skin *skin, uint32_t vertex)
{
    uint32_t joint = 0;
    float most = 0;
    for (uint32_t i = model->influence_firsts[vertex]; i < model->influence_firsts[vertex + 1]; i++)
        if (model->influences[i].weight > most) {
            most = model->influences[i].weight;
            joint = model->influences[i].joint;
        }
    return skin->joint_first + joint;
}

struct str model_target_name(const struct model *model, const struct mesh *mesh, uint32_t target)
{
    static const struct str NONE = {.offset = STR_NONE};
    for (uint32_t p = mesh->primitive_first; p < mesh->primitive_first + mesh->primitive_count; p++)
        if (target < model->primitives[p].morph_target_count)
            return model->morph_targets[model->primitives[p].morph_target_first + target].name;
    return NONE;
}

const char *short_name(const struct model *model, struct str name, char out[SHORT_NAME_SIZE])
{
    const size_t size_bytes = name.offset == STR_NONE             ? 0
                              : name.size_bytes < SHORT_NAME_SIZE ? name.size_bytes
                                                                  : SHORT_NAME_SIZE - 1;
    if (size_bytes > 0)
        memcpy(out, model->text + name.offset, size_bytes);
    out[size_bytes] = '\0';
    return out;
}

int32_t model_material(const struct model *model, uint32_t primitive, uint32_t variant)
{
    uint32_t low = 0, high = variant > 0 ? model->variant_material_count : 0;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const struct variant_material *at = &model->variant_materials[middle];
        if (at->primitive == primitive && at->variant == variant - 1)
            return at->material;
        if (at->primitive < primitive || (at->primitive == primitive && at->variant < variant - 1))
            low = middle + 1;
        else
            high = middle;
    }
    return model->primitives[primitive].material;
}

const struct carried *model_carried(const struct model *model, enum carry_owner owner, uint32_t index, uint32_t *count)
{
    uint32_t low = 0, high = model->carried_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const struct carried *at = &model->carried_members[middle];
        if (at->owner < owner || (at->owner == owner && at->index < index))
            low = middle + 1;
        else
            high = middle;
    }
    *count = 0;
    while (low + *count < model->carried_count && model->carried_members[low + *count].owner == owner &&
           model->carried_members[low + *count].index == index)
        ++*count;
    return *count > 0 ? &model->carried_members[low] : NULL;
}
