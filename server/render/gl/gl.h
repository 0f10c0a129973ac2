/* gl.h - a table of the GL functions.
 *
 * With its own table one binary works with OSMesa and with EGL, whichever is installed, and links neither. Types and
 * constants come from <GL/glcorearb.h>. Only on the context's thread. */
#pragma once

#include "base/err.h"

#include <GL/glcorearb.h>

struct gl {
#define X(result, name, parameters) result(APIENTRY *name) parameters;
#include "render/gl/gl_functions.def"
#undef X
};

/* Fills the table by `proc`. A context of at least GL 3.3 core must be current. OSMesa returns a stub for unknown
 * names, so the version decides. ERR_UNAVAILABLE names what is missing. */
int gl_load(struct gl *gl, void (*(*proc)(const char *name))(void), struct err *err);

/* Returns 0 when no GL error is set. Otherwise clears the errors and returns ERR_NO_MEMORY or ERR_RENDER_FAILED, naming
 * `what`. */
int gl_check(const struct gl *gl, const char *what, struct err *err);
