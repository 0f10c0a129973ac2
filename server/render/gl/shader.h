/* shader.h - texts of shaders to a linked program. The context's thread only. */
#pragma once

#include "render/gl/gl.h"

struct shader_source {
    const char *text; /* NULL: the program has no such stage */
    const char *name; /* of its file, for messages */
    const char *more; /* text behind the first, or NULL */
};

struct shader_sources {
    struct shader_source vertex, geometry, fragment;
    const char *define; /* a line to go behind the first of each text, which is its #version; or NULL */
};

/* Compiles and links; *program is the caller's to delete, 0 after a failure. ERR_RENDER_FAILED has the driver's words.
 */
int shader_link(const struct gl *gl, const struct shader_sources *sources, GLuint *program, struct err *err);
