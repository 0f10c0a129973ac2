#include "wire/request/operation.h"

#include "base/nearest.h"

#include <stdio.h>
#include <string.h>

enum { GET = METHOD_GET, POST = METHOD_POST, PUT = METHOD_PUT, DELETE = METHOD_DELETE };

const struct op_info OP_INFO[] = {
#define OPERATION(symbol, name, path, noun, methods, traits, form, ...)                                                \
    {name, path, noun, methods, traits, FORM_##form},
#include "wire/operations/operations.def"
};

/* Another path of an operation. */
static const char LIVEZ[] = "/livez"; /* Kubernetes' name for /healthz since version 1.16 */

const char *op_methods(enum op op)
{
    static const char *const METHODS[] = {
        [GET] = "GET, HEAD", [POST] = "POST", [GET | POST] = "GET, HEAD, POST", [PUT | DELETE] = "PUT, DELETE"};
    return METHODS[OP_INFO[op].methods];
}

int op_check_method(enum op op, const char *method, struct err *err)
{
    static const struct {
        const char *name;
        unsigned method;
    } METHODS[] = {{"GET", GET}, {"HEAD", GET}, {"POST", POST}, {"PUT", PUT}, {"DELETE", DELETE}};
    for (size_t i = 0; i < sizeof METHODS / sizeof *METHODS; i++)
        if ((METHODS[i].method & OP_INFO[op].methods) != 0 && strcmp(METHODS[i].name, method) == 0)
            return 0;
    return err_set(err, ERR_METHOD_NOT_ALLOWED, "%s takes %s, not %.32s", OP_INFO[op].path, op_methods(op), method);
}

int op_find_name(const char *name, enum op *op, struct err *err)
{
    char list[128] = "";
    size_t at = 0;
    for (int i = 0; i < OP_COUNT; i++) {
        if (!op_has((enum op)i, OP_IN_BATCH))
            continue;
        *op = (enum op)i;
        if (strcmp(OP_INFO[i].name, name) == 0)
            return 0;
        at += (size_t)snprintf(list + at, at < sizeof list ? sizeof list - at : 0, "%s%s", at == 0 ? "" : ", ",
                               OP_INFO[i].name);
    }
    return err_set(err, ERR_BAD_PARAMETER, "parameter 'op' is '%.80s'; it must be one of %s", name, list);
}

/* Makes an error that names the requested path. */
static int no_such_path(const char *path, size_t path_bytes, struct err *err)
{
    char asked[64];
    struct nearest nearest = NEAREST_NONE;
    snprintf(asked, sizeof asked, "%.*s", (int)(path_bytes < sizeof asked ? path_bytes : sizeof asked - 1), path);
    for (int i = 0; i < OP_COUNT; i++)
        nearest_consider(&nearest, OP_INFO[i].path, asked, strlen(asked));
    nearest_consider(&nearest, LIVEZ, asked, strlen(asked));
    if (nearest.name == NULL)
        return err_set(err, ERR_NOT_FOUND, "no resource '%s'", asked);
    return err_set(err, ERR_NOT_FOUND, "no resource '%s'; did you mean '%s'?", asked, nearest.name);
}

int op_find_path(const char *path, size_t path_bytes, enum op *op, size_t *name_bytes, struct err *err)
{
    *name_bytes = 0;
    if (path_bytes == sizeof LIVEZ - 1 && memcmp(path, LIVEZ, path_bytes) == 0) {
        *op = OP_HEALTHZ;
        return 0;
    }
    for (int i = 0; i < OP_COUNT; i++) {
        const size_t bytes = strlen(OP_INFO[i].path);
        const bool has_name = OP_INFO[i].noun != NULL && path_bytes > bytes;
        if ((path_bytes != bytes && !has_name) || memcmp(OP_INFO[i].path, path, bytes) != 0)
            continue;
        *op = (enum op)i;
        *name_bytes = path_bytes - bytes;
        return 0;
    }
    return no_such_path(path, path_bytes, err);
}
