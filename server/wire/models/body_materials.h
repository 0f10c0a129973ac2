/* body_materials.h - the parts of /v1/model about materials and textures. */
#pragma once

#include "anim/model/model.h"
#include "base/buf.h"

/* Write the object of a material, with its textures and layers, and that of a texture. */
void body_list_material(struct buf *out, const struct model *model, uint32_t index);
void body_list_texture(struct buf *out, const struct model *model, uint32_t index);
