/* program.h - the one shader program of a context, its uniforms and its attribute places. It lives as long as the
 * context: llvmpipe compiles again for each new program. The context's thread only. */
#pragma once

#include "gl.h"

enum attribute {
    ATTRIBUTE_POSITION,
    ATTRIBUTE_NORMAL,
    ATTRIBUTE_TEXCOORD,
    ATTRIBUTE_COLOR,
    ATTRIBUTE_INFLUENCE_RANGE,
    ATTRIBUTE_COUNT
};

enum texture_unit { UNIT_BASE_COLOR, UNIT_PALETTE, UNIT_INFLUENCES, UNIT_IDS };

struct program {
    GLuint name;
    GLint joint_first, clip_from_view, uv_from_texcoord, base_color, alpha_range, is_blended, is_unlit, is_flat,
        texture_filter;
};

/* Compiles, links and uses the program, and ties its samplers to the units. ERR_RENDER_FAILED with the driver's words.
 */
int program_init(struct program *program, const struct gl *gl, struct err *err);
void program_fini(struct program *program, const struct gl *gl);
