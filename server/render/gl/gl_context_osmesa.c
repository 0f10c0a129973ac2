/* OSMesa: llvmpipe without window system, in one library. Dropped by Mesa 25.1; EGL is the successor. */
#include "render/gl/gl_context.h"

#include <GL/osmesa.h>

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

static struct {
    OSMesaContext(GLAPIENTRY *create)(const int *attributes, OSMesaContext share);
    GLboolean(GLAPIENTRY *make_current)(OSMesaContext context, void *buffer, GLenum type, GLsizei width,
                                        GLsizei height);
    void(GLAPIENTRY *destroy)(OSMesaContext context);
    void (*(GLAPIENTRY *proc)(const char *name))(void);
} osmesa;

static bool find(void *library, const char *name, void *place)
{
    void *symbol = dlsym(library, name);
    memcpy(place, &symbol, sizeof symbol);
    return symbol != NULL;
}

static int load(struct err *err)
{
    static const char *const names[] = {"libOSMesa.so.8", "libOSMesa.so.6"};
    void *library = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && library == NULL; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return err_set(err, ERR_UNAVAILABLE, "%s", dlerror());
    if (!find(library, "OSMesaCreateContextAttribs", &osmesa.create) ||
        !find(library, "OSMesaMakeCurrent", &osmesa.make_current) ||
        !find(library, "OSMesaDestroyContext", &osmesa.destroy) || !find(library, "OSMesaGetProcAddress", &osmesa.proc))
        return err_set(err, ERR_UNAVAILABLE, "libOSMesa is too old for GL 3.3");
    return 0;
}

static void (*get_proc(const char *name))(void) { return osmesa.proc(name); }

static void close_context(struct gl_context *context) { osmesa.destroy(context->handles[0]); }

int gl_context_open_osmesa(struct gl_context *context, struct err *err)
{
    static const int attributes[] = {OSMESA_FORMAT,
                                     OSMESA_RGBA,
                                     OSMESA_PROFILE,
                                     OSMESA_CORE_PROFILE,
                                     OSMESA_CONTEXT_MAJOR_VERSION,
                                     3,
                                     OSMESA_CONTEXT_MINOR_VERSION,
                                     3,
                                     0};
    if (osmesa.proc == NULL && load(err) < 0)
        return err->code;
    const OSMesaContext made = osmesa.create(attributes, NULL);
    if (made == NULL)
        return err_set(err, ERR_UNAVAILABLE, "OSMesa makes no GL 3.3 core context");
    if (!osmesa.make_current(made, context->dummy, GL_UNSIGNED_BYTE, 1, 1)) {
        osmesa.destroy(made);
        return err_set(err, ERR_UNAVAILABLE, "OSMesa's context cannot be made current");
    }
    context->kind = "OSMesa";
    context->proc = get_proc;
    context->close = close_context;
    context->handles[0] = made;
    return 0;
}
