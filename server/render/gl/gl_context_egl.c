/* EGL surfaceless (EGL_MESA_platform_surfaceless, EGL_KHR_surfaceless_context, EGL_KHR_no_config_context): a context
 * without window, display server or configuration; software here, and the way to a GPU. */
#include "render/gl/gl_context.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>

#include <dlfcn.h>
#include <string.h>

static struct {
    PFNEGLGETPROCADDRESSPROC proc;
    PFNEGLGETPLATFORMDISPLAYPROC get_display;
    PFNEGLINITIALIZEPROC initialize;
    PFNEGLTERMINATEPROC terminate;
    PFNEGLBINDAPIPROC bind_api;
    PFNEGLCREATECONTEXTPROC create;
    PFNEGLDESTROYCONTEXTPROC destroy;
    PFNEGLMAKECURRENTPROC make_current;
} egl;

static int load(struct err *err)
{
    void *library = dlopen("libEGL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return err_set(err, ERR_UNAVAILABLE, "%s", dlerror());
    const struct {
        const char *name;
        void *place;
    } rows[] = {
        {"eglGetPlatformDisplay", &egl.get_display},
        {"eglInitialize", &egl.initialize},
        {"eglTerminate", &egl.terminate},
        {"eglBindAPI", &egl.bind_api},
        {"eglCreateContext", &egl.create},
        {"eglDestroyContext", &egl.destroy},
        {"eglMakeCurrent", &egl.make_current},
        {"eglGetProcAddress", &egl.proc},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        void *symbol = dlsym(library, rows[i].name);
        if (symbol == NULL) {
            egl.proc = NULL;
            return err_set(err, ERR_UNAVAILABLE, "libEGL has no %s: it is older than EGL 1.5", rows[i].name);
        }
        memcpy(rows[i].place, &symbol, sizeof symbol);
    }
    return 0;
}

static void (*get_proc(const char *name))(void) { return egl.proc(name); }

static void close_context(struct gl_context *context)
{
    EGLDisplay display = context->handles[0];
    egl.make_current(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    if (context->handles[1] != EGL_NO_CONTEXT)
        egl.destroy(display, context->handles[1]);
    egl.terminate(display);
}

static EGLContext make_context(EGLDisplay display)
{
    static const EGLint attributes[] = {
        EGL_CONTEXT_MAJOR_VERSION,           3,       EGL_CONTEXT_MINOR_VERSION, 3, EGL_CONTEXT_OPENGL_PROFILE_MASK,
        EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE};
    if (!egl.bind_api(EGL_OPENGL_API))
        return EGL_NO_CONTEXT;
    return egl.create(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, attributes);
}

int gl_context_open_egl(struct gl_context *context, struct err *err)
{
    if (egl.proc == NULL && load(err) < 0)
        return err->code;
    EGLDisplay display = egl.get_display(EGL_PLATFORM_SURFACELESS_MESA, (void *)EGL_DEFAULT_DISPLAY, NULL);
    if (display == EGL_NO_DISPLAY || !egl.initialize(display, NULL, NULL))
        return err_set(err, ERR_UNAVAILABLE, "EGL has no surfaceless display; is libgl1-mesa-dri installed?");
    context->kind = "EGL";
    context->proc = get_proc;
    context->close = close_context;
    context->handles[0] = display;
    context->handles[1] = make_context(display);
    if (context->handles[1] == EGL_NO_CONTEXT ||
        !egl.make_current(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context->handles[1])) {
        close_context(context);
        return err_set(err, ERR_UNAVAILABLE, "EGL makes no GL 3.3 core context");
    }
    return 0;
}
