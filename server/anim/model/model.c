#include "anim/model/model.h"

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
    .textures = {NO_TEXTURE, NO_TEXTURE, NO_TEXTURE, NO_TEXTURE, NO_TEXTURE},
};
