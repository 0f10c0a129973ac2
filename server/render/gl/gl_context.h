/* gl_context.h - an off-screen GL 3.3 core context, by OSMesa or by EGL surfaceless.
 *
 * The libraries are opened at run time, so one binary works where either is installed. A context is current on the
 * thread that made it. It has no usable surface: draw into framebuffer objects. Mesa's LP_NUM_THREADS is set to 0,
 * because a worker is one of several processes, and for small pictures llvmpipe's threads cost more than they gain. */
#pragma once

#include "base/err.h"
#include "render/gl/gl.h"

struct gl_context;

/* kind: "auto" (OSMesa, else EGL), "osmesa" or "egl". Returns 0 with the context and *gl filled, or ERR_UNAVAILABLE
 * with the reason why each attempt failed. */
int gl_context_new(const char *kind, struct gl_context **out, struct gl *gl, struct err *err);
/* "OSMesa" or "EGL"; static. */
const char *gl_context_kind(const struct gl_context *context);
