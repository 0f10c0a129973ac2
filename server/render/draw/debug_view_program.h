/* debug_view_program.h - the shader programs of the views that are not lit, and their uniforms. The context's thread
 * only. */
#pragma once

#include "render/gl/program.h"

/* What view.frag paints; it has the same numbers. */
enum debug_view_paint {
    PAINT_HEAT,   /* the red of the vertices as a weight */
    PAINT_COLORS, /* the colours of the vertices, sRGB, lightly shaded */
    PAINT_BONES,  /* the same, linear, strongly shaded */
    PAINT_NORMAL,
    PAINT_DEPTH,
    PAINT_ID,    /* of UNIT_IDS, as they are */
    PAINT_GHOST, /* premultiplied glass */
    PAINT_LINE
};

/* Uniforms that a program does not have are -1, which GL ignores. */
struct debug_view_program {
    struct program base; /* its name is 0 until it is made */
    GLint has_surface, paint, depth_range, scale;
};

/* Skinned surfaces, lines and points in one of the paints. is_full: of materials with more textures than base colour.
 * ERR_RENDER_FAILED. */
int debug_view_program_init(struct debug_view_program *program, const struct gl *gl, bool is_full, struct err *err);
/* Triangles with their edges. ERR_RENDER_FAILED. */
int debug_view_program_init_wire(struct debug_view_program *program, const struct gl *gl, bool is_full,
                                 struct err *err);
/* Nothing where it was never made. */
void debug_view_program_fini(struct debug_view_program *program, const struct gl *gl);
