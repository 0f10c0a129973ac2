/* model_types.h - the number and text types of the baked model (model.h). */
#pragma once

#include <stdint.h>

struct vec2 {
    float x, y;
};
struct vec3 {
    float x, y, z;
};
struct vec4 {
    float x, y, z, w;
};
struct rgba8 {
    uint8_t r, g, b, a;
};
struct rgba16 {
    uint16_t r, g, b, a;
};
struct mat4 {
    float m[16];
};

/* Text in model->text, UTF-8 without NUL bytes, not terminated. A missing name has offset STR_NONE
 * (JSON null); an empty one has size 0 (JSON ""). */
#define STR_NONE UINT32_MAX
struct str {
    uint32_t offset, size_bytes;
};
