/* gl.h - the GL functions as a table of our own.
 *
 * Our own, because one binary works with OSMesa and with EGL, whichever is installed, and neither is linked.
 * Types and constants are those of <GL/glcorearb.h>. One thread: the context's. */
#pragma once

#include "base/err.h"

#include <GL/glcorearb.h>

struct gl {
#define X(result, name, parameters) result(APIENTRY *name) parameters;
#include "render/gl/gl_functions.def"
#undef X
};

/* Fills the table by `proc`; a context of at least GL 3.3 core must be current. OSMesa returns a stub for names it
 * does not have, so the version is what counts. ERR_UNAVAILABLE names what is missing. */
int gl_load(struct gl *gl, void (*(*proc)(const char *name))(void), struct err *err);

/* 0 when no GL error is set; else clears them and returns ERR_NO_MEMORY or ERR_RENDER_FAILED, naming `what`. */
int gl_check(const struct gl *gl, const char *what, struct err *err);
