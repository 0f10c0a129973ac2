/* visibility.h - draws which surface each pixel shows, at one sample a pixel: the centre of the pixel. Only on the
 * context's thread.
 *
 * Surfaces hide each other as in pictures: culled alike, and cut out alike (alpha MASK). A blended surface hides what
 * is behind it where its alpha is 1/2 or more, and is absent elsewhere; one that lets light through (transmission)
 * hides it too. OpenGL rasterizes all meshes, also those that render/gather/ rasterizes for lit pictures: so there is
 * one answer for an edge between two triangles. */
#pragma once

#include "render/draw/draw.h"

/* What a pixel shows. */
struct visible {
    uint32_t number;  /* 0: nothing; otherwise 1 + an index in posed->draws, or 1 for bones */
    uint32_t element; /* which triangle, line or point of the draw, in the order of its indices */
};

/* What a program can do, as bits: surfaces with holes or of some transparency, whose texture may have the second
 * coordinates; points. */
enum { VISIBILITY_CUT = 1, VISIBILITY_FULL = 2, VISIBILITY_POINTS = 4, VISIBILITY_PROGRAMS = 8 };

/* The programs and the target. A program is made on first use; the target has the size of the last picture.
 * Zero-initialise. */
struct visibility {
    struct visibility_program {
        struct program base; /* name is 0 until the program is made */
        GLint number;
    } programs[VISIBILITY_PROGRAMS]; /* by VISIBILITY_ bits */
    GLuint framebuffer, color, depth;
    uint32_t width, height; /* of the target; 0: there is none */
};

/* Draws the posed model, whose camera is set, and reads what each pixel shows into out[width * height], rows from the
 * top. Sorts posed->draws by their draws. Returns 0, ERR_NO_MEMORY or ERR_RENDER_FAILED. Afterwards the GL state is
 * that of drawing_init(), without a bound framebuffer of the picture. */
int visibility_draw(struct visibility *visibility, struct drawing *drawing, const struct loaded_model *loaded,
                    struct posed_model *posed, uint32_t width, uint32_t height, struct visible *out, struct err *err);

/* Frees the target of a large picture. */
void visibility_trim(struct visibility *visibility, const struct gl *gl);
