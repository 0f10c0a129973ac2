#include "render/gl/gl_context.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

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
    } backends[] = {{"osmesa", gl_context_open_osmesa}, {"egl", gl_context_open_egl}};
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

void gl_context_free(struct gl_context *context)
{
    if (context == NULL)
        return;
    context->close(context);
    free(context);
}
