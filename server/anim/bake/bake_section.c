#include "anim/bake/bake_section.h"

#include "anim/bake/bake.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "a baked model is little-endian and used in place");
_Static_assert(sizeof(float) == 4 && sizeof(double) == 8, "IEEE 754 numbers");

/* The format's sizes: a change of one is a change of the format (BAKE_VERSION). */
_Static_assert(sizeof(struct bake_header) == 32, "layout");
_Static_assert(sizeof(struct bake_section) == 24, "layout");
_Static_assert(sizeof(struct model_info) == 108, "layout");
_Static_assert(sizeof(struct node) == 76, "layout");
_Static_assert(sizeof(struct skin) == 24, "layout");
_Static_assert(sizeof(struct joint) == 80, "layout");
_Static_assert(sizeof(struct mesh) == 16, "layout");
_Static_assert(sizeof(struct primitive) == 40, "layout");
_Static_assert(sizeof(struct influence) == 8, "layout");
_Static_assert(sizeof(struct morph_target) == 16, "layout");
_Static_assert(sizeof(struct draw) == 16, "layout");
_Static_assert(sizeof(struct clip) == 32, "layout");
_Static_assert(sizeof(struct channel) == 32, "layout");
_Static_assert(sizeof(struct material) == 224, "layout");
_Static_assert(sizeof(struct texture) == 64, "layout");
_Static_assert(sizeof(struct warning) == 16, "layout");
_Static_assert(sizeof(struct source_file) == 48, "layout");
_Static_assert(sizeof(struct extra) == 16, "layout");
_Static_assert(sizeof(struct marker) == 32, "layout");
_Static_assert(sizeof(struct model_camera) == 32, "layout");
_Static_assert(sizeof(struct rig_node) == 8, "layout");
_Static_assert(sizeof(struct rig_skin) == 8, "layout");
_Static_assert(sizeof(struct rig_output) == 56, "layout");
_Static_assert(sizeof(struct compiled_clip) == 56, "layout");
_Static_assert(sizeof(struct lane_block) == 80, "layout");
_Static_assert(sizeof(struct still_node) == 52, "layout");
_Static_assert(sizeof(struct sampled_node) == 16, "layout");

const struct bake_section_kind BAKE_SECTION_KINDS[BAKE_SECTION_COUNT] = {
#define X(id, singular, plural, type)                                                                                  \
    {id, sizeof(type), #plural, offsetof(struct model, plural), offsetof(struct model, singular##_count)},
#include "anim/model/model_sections.def"
#undef X
};
