#include "render/gl/gl.h"

#include <stdbool.h>
#include <string.h>

static int check_version(const struct gl *gl, struct err *err)
{
    GLint major = 0, minor = 0;
    gl->GetIntegerv(GL_MAJOR_VERSION, &major);
    gl->GetIntegerv(GL_MINOR_VERSION, &minor);
    if (major * 10 + minor < 33)
        return err_set(err, ERR_UNAVAILABLE, "the GL driver has version %d.%d, 3.3 is needed", major, minor);
    return 0;
}

int gl_load(struct gl *gl, void (*(*proc)(const char *name))(void), struct err *err)
{
    /* memcpy, because ISO C does not convert between function and object pointers */
    const struct {
        const char *name;
        void *place;
    } rows[] = {
#define X(result, name, parameters) {"gl" #name, &gl->name},
#include "render/gl/gl_functions.def"
#undef X
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        void (*const function)(void) = proc(rows[i].name);
        if (function == NULL)
            return err_set(err, ERR_UNAVAILABLE, "the GL driver has no %s", rows[i].name);
        memcpy(rows[i].place, &function, sizeof function);
    }
    return check_version(gl, err);
}

int gl_check(const struct gl *gl, const char *what, struct err *err)
{
    enum { ERRORS_MAX = 16 }; /* a lost context reports errors for ever */
    const GLenum first = gl->GetError();
    GLenum error = first;
    bool is_memory = false;
    for (int i = 0; i < ERRORS_MAX && error != GL_NO_ERROR; i++) {
        is_memory |= error == GL_OUT_OF_MEMORY;
        error = gl->GetError();
    }
    if (first == GL_NO_ERROR)
        return 0;
    if (is_memory)
        return err_set(err, ERR_NO_MEMORY, "the renderer has no memory for %s", what);
    return err_set(err, ERR_RENDER_FAILED, "GL error 0x%04x at %s", first, what);
}
