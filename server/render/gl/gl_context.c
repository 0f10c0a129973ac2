/* gl_context.c - the two kinds of off-screen contexts, and the choice between them. */
#include "render/gl/gl_context.h"

#include "base/mem.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/osmesa.h>

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

struct gl_context {
    const char *kind;
    void (*(*proc)(const char *name))(void);
    void (*close)(struct gl_context *context);
    void *handles[2];           /* the backend's own */
    unsigned char dummy[4 * 4]; /* OSMesa requires a buffer, which nobody draws to */
};

struct symbol {
    const char *name;
    void *place; /* of the function pointer */
};

/* Opens a library and finds its functions. `hint`: why one may be missing. */
static int load(const char *library_name, const struct symbol *symbols, size_t count, const char *hint, struct err *err)
{
    void *library = dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return err_set(err, ERR_UNAVAILABLE, "%s", dlerror());
    for (size_t i = 0; i < count; i++) {
        void *symbol = dlsym(library, symbols[i].name);
        if (symbol == NULL)
            return err_set(err, ERR_UNAVAILABLE, "%s has no %s: %s", library_name, symbols[i].name, hint);
        memcpy(symbols[i].place, &symbol, sizeof symbol);
    }
    return 0;
}

/* --- OSMesa: llvmpipe without a window system, in one library. Mesa 25.1 dropped it; EGL is the successor. --- */

static struct {
    OSMesaContext(GLAPIENTRY *create)(const int *attributes, OSMesaContext share);
    GLboolean(GLAPIENTRY *make_current)(OSMesaContext context, void *buffer, GLenum type, GLsizei width,
                                        GLsizei height);
    void(GLAPIENTRY *destroy)(OSMesaContext context);
    void (*(GLAPIENTRY *proc)(const char *name))(void);
} osmesa;

/* The last function also tells whether the library is loaded. */
static int load_osmesa(struct err *err)
{
    static const char *const NAMES[] = {"libOSMesa.so.8", "libOSMesa.so.6"};
    const struct symbol symbols[] = {
        {"OSMesaCreateContextAttribs", &osmesa.create},
        {"OSMesaMakeCurrent", &osmesa.make_current},
        {"OSMesaDestroyContext", &osmesa.destroy},
        {"OSMesaGetProcAddress", &osmesa.proc},
    };
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        if (load(NAMES[i], symbols, sizeof symbols / sizeof *symbols, "it is too old for GL 3.3", err) == 0)
            return 0;
    return err->code;
}

static void osmesa_close_context(struct gl_context *context) { osmesa.destroy(context->handles[0]); }

static int open_osmesa(struct gl_context *context, struct err *err)
{
    static const int attributes[][2] = {{OSMESA_FORMAT, OSMESA_RGBA},
                                        {OSMESA_PROFILE, OSMESA_CORE_PROFILE},
                                        {OSMESA_CONTEXT_MAJOR_VERSION, 3},
                                        {OSMESA_CONTEXT_MINOR_VERSION, 3},
                                        {0}};
    if (osmesa.proc == NULL && load_osmesa(err) < 0)
        return err->code;
    const OSMesaContext made = osmesa.create(attributes[0], NULL);
    if (made == NULL)
        return err_set(err, ERR_UNAVAILABLE, "OSMesa makes no GL 3.3 core context");
    if (!osmesa.make_current(made, context->dummy, GL_UNSIGNED_BYTE, 1, 1)) {
        osmesa.destroy(made);
        return err_set(err, ERR_UNAVAILABLE, "OSMesa's context cannot be made current");
    }
    context->kind = "OSMesa";
    context->proc = osmesa.proc;
    context->close = osmesa_close_context;
    context->handles[0] = made;
    return 0;
}

/* --- EGL surfaceless (EGL_MESA_platform_surfaceless, EGL_KHR_surfaceless_context, EGL_KHR_no_config_context): a
 * context without a window, display server or configuration; in software here, and a possible way to a GPU --- */

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

static int load_egl(struct err *err)
{
    const struct symbol symbols[] = {
        {"eglGetPlatformDisplay", &egl.get_display},
        {"eglInitialize", &egl.initialize},
        {"eglTerminate", &egl.terminate},
        {"eglBindAPI", &egl.bind_api},
        {"eglCreateContext", &egl.create},
        {"eglDestroyContext", &egl.destroy},
        {"eglMakeCurrent", &egl.make_current},
        {"eglGetProcAddress", &egl.proc},
    };
    return load("libEGL.so.1", symbols, sizeof symbols / sizeof *symbols, "it is older than EGL 1.5", err);
}

static void egl_close_context(struct gl_context *context)
{
    EGLDisplay display = context->handles[0];
    egl.make_current(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    if (context->handles[1] != EGL_NO_CONTEXT)
        egl.destroy(display, context->handles[1]);
    egl.terminate(display);
}

static EGLContext egl_make_context(EGLDisplay display)
{
    static const EGLint attributes[] = {
        EGL_CONTEXT_MAJOR_VERSION,           3,       EGL_CONTEXT_MINOR_VERSION, 3, EGL_CONTEXT_OPENGL_PROFILE_MASK,
        EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE};
    if (!egl.bind_api(EGL_OPENGL_API))
        return EGL_NO_CONTEXT;
    return egl.create(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, attributes);
}

static int open_egl(struct gl_context *context, struct err *err)
{
    if (egl.proc == NULL && load_egl(err) < 0)
        return err->code;
    EGLDisplay display = egl.get_display(EGL_PLATFORM_SURFACELESS_MESA, (void *)EGL_DEFAULT_DISPLAY, NULL);
    if (display == EGL_NO_DISPLAY || !egl.initialize(display, NULL, NULL))
        return err_set(err, ERR_UNAVAILABLE, "EGL has no surfaceless display; is libgl1-mesa-dri installed?");
    context->kind = "EGL";
    context->proc = egl.proc;
    context->close = egl_close_context;
    context->handles[0] = display;
    context->handles[1] = egl_make_context(display);
    if (context->handles[1] == EGL_NO_CONTEXT ||
        !egl.make_current(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context->handles[1])) {
        egl_close_context(context);
        return err_set(err, ERR_UNAVAILABLE, "EGL makes no GL 3.3 core context");
    }
    return 0;
}

/* --- both --- */

typedef int open_function(struct gl_context *context, struct err *err);

static int try_open(open_function *open, struct gl_context *context, struct gl *gl, struct err *err)
{
    *context = (struct gl_context){0};
    if (open(context, err) < 0)
        return err->code;
    if (gl_load(gl, context->proc, err) < 0) {
        context->close(context);
        return err->code;
    }
    return 0;
}

int gl_context_new(const char *kind, struct gl_context **out, struct gl *gl, struct err *err)
{
    static const struct {
        const char *kind;
        open_function *open;
    } backends[] = {{"osmesa", open_osmesa}, {"egl", open_egl}};
    struct err why[2] = {{0}};
    struct gl_context *context = mem_zalloc(1, sizeof *context);
    setenv("LP_NUM_THREADS", "0", 1);
    *out = NULL;
    int tried = 0;
    for (size_t i = 0; i < sizeof backends / sizeof *backends; i++) {
        if (strcmp(kind, "auto") != 0 && strcmp(kind, backends[i].kind) != 0)
            continue;
        if (try_open(backends[i].open, context, gl, &why[tried++]) == 0) {
            *out = context;
            return 0;
        }
    }
    free(context);
    if (tried == 0)
        return err_set(err, ERR_BAD_PARAMETER, "no such GL backend: '%s'", kind);
    return err_set(err, ERR_UNAVAILABLE, "nothing to draw with: %s%s%s", why[0].message, tried > 1 ? "; " : "",
                   tried > 1 ? why[1].message : "");
}

const char *gl_context_kind(const struct gl_context *context) { return context->kind; }
