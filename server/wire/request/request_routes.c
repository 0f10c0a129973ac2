/* request_routes.c - which paths there are, which operation each means, and which methods it takes. */
#include "wire/http/url.h"
#include "wire/request/request_parser.h"

#include <stdio.h>
#include <string.h>

enum { TAKES_GET = 1, TAKES_POST = 2, TAKES_PUT = 4, TAKES_DELETE = 8, IN_BATCH = 16, HAS_NAME = 32 };

static const struct route {
    const char *path;
    enum op op;
    unsigned traits; /* methods; IN_BATCH: a query of a batch may be one; HAS_NAME: what follows the path is a name */
} ROUTES[] = {
    {"/", OP_GALLERY, TAKES_GET},
    {"/m/", OP_MODEL_PAGE, TAKES_GET | HAS_NAME},
    {"/embed/", OP_EMBED, TAKES_GET | HAS_NAME},
    {"/page/", OP_ASSET, TAKES_GET | HAS_NAME},
    {"/healthz", OP_HEALTHZ, TAKES_GET},
    {"/livez", OP_HEALTHZ, TAKES_GET}, /* as Kubernetes calls it now */
    {"/readyz", OP_READYZ, TAKES_GET},
    {"/metrics", OP_METRICS, TAKES_GET},
    {"/v1/version", OP_VERSION, TAKES_GET},
    {"/v1/models", OP_MODELS, TAKES_GET},
    {"/v1/model", OP_MODEL, TAKES_GET | IN_BATCH},
    {"/v1/palette", OP_PALETTE, TAKES_GET | TAKES_POST | IN_BATCH},
    {"/v1/pose", OP_POSE, TAKES_GET | TAKES_POST | IN_BATCH},
    {"/v1/mesh", OP_MESH, TAKES_GET | TAKES_POST | IN_BATCH},
    {"/v1/render", OP_RENDER, TAKES_GET | TAKES_POST},
    {"/v1/sheet", OP_SHEET, TAKES_GET | TAKES_POST},
    {"/v1/turntable", OP_TURNTABLE, TAKES_GET | TAKES_POST},
    {"/v1/bounds", OP_BOUNDS, TAKES_GET | TAKES_POST | IN_BATCH},
    {"/v1/hitboxes", OP_HITBOXES, TAKES_GET | IN_BATCH},
    {"/v1/raycast", OP_RAYCAST, TAKES_POST},
    {"/v1/keys", OP_KEYS, TAKES_GET | TAKES_POST | IN_BATCH},
    {"/v1/export", OP_EXPORT, TAKES_GET | TAKES_POST},
    {"/v1/compare", OP_COMPARE, TAKES_GET},
    {"/v1/texture", OP_TEXTURE, TAKES_GET},
    {"/v1/environment", OP_ENVIRONMENT, TAKES_GET},
    {"/v1/formats", OP_FORMATS, TAKES_GET},
    {"/v1/query", OP_QUERY, TAKES_POST},
    {"/v1/crowd", OP_CROWD, TAKES_POST},
    {"/v1/stats", OP_STATS, TAKES_GET},
    {"/v1/stream", OP_STREAM, TAKES_GET},
    {"/v1/models/", OP_FILE, TAKES_PUT | TAKES_DELETE | HAS_NAME},
};
enum { ROUTE_COUNT = sizeof ROUTES / sizeof *ROUTES };

bool request_has_name(enum op op)
{
    for (int i = 0; i < ROUTE_COUNT; i++)
        if (ROUTES[i].op == op && (ROUTES[i].traits & HAS_NAME) != 0)
            return true;
    return false;
}

const char *request_path(enum op op)
{
    for (int i = 0; i < ROUTE_COUNT; i++)
        if (ROUTES[i].op == op)
            return ROUTES[i].path;
    return op == OP_LAYER ? "a layer" : op == OP_ENTITY ? "an entity" : "a reference";
}

const char *request_op_name(enum op op)
{
    static const char VERSION[] = "/v1/";
    static const char *const OTHERS[] = {[OP_GALLERY] = "gallery", [OP_MODEL_PAGE] = "model_page",
                                         [OP_EMBED] = "embed",     [OP_ASSET] = "asset",
                                         [OP_FILE] = "file",       [OP_OPEN] = "open",
                                         [OP_FIND] = "find"};
    const char *path = request_path(op);
    if (OTHERS[op] != NULL)
        return OTHERS[op];
    return path + (strncmp(path, VERSION, sizeof VERSION - 1) == 0 ? sizeof VERSION - 1 : 1);
}

static unsigned methods_of(enum op op)
{
    unsigned methods = 0;
    for (int i = 0; i < ROUTE_COUNT; i++)
        methods |= ROUTES[i].op == op ? ROUTES[i].traits : 0;
    return methods & (TAKES_GET | TAKES_POST | TAKES_PUT | TAKES_DELETE);
}

const char *request_methods(enum op op)
{
    static const char *const METHODS[] = {
        [TAKES_GET] = "GET, HEAD",
        [TAKES_POST] = "POST",
        [TAKES_GET | TAKES_POST] = "GET, HEAD, POST",
        [TAKES_PUT | TAKES_DELETE] = "PUT, DELETE",
    };
    return METHODS[methods_of(op)];
}

int request_find_op(const char *name, enum op *op, struct err *err)
{
    static const char VERSION[] = "/v1/";
    char list[128] = "";
    size_t at = 0;
    for (int i = 0; i < ROUTE_COUNT; i++) {
        if ((ROUTES[i].traits & IN_BATCH) == 0)
            continue;
        const char *own = ROUTES[i].path + sizeof VERSION - 1;
        *op = ROUTES[i].op;
        if (strcmp(own, name) == 0)
            return 0;
        at += (size_t)snprintf(list + at, at < sizeof list ? sizeof list - at : 0, "%s%s", at == 0 ? "" : ", ", own);
    }
    return err_set(err, ERR_BAD_PARAMETER, "parameter 'op' is '%.80s'; it must be one of %s", name, list);
}

int request_find_route(const char *path, size_t path_bytes, enum op *op, size_t *name_bytes, struct err *err)
{
    for (int i = 0; i < ROUTE_COUNT; i++) {
        const size_t bytes = strlen(ROUTES[i].path);
        const bool has_name = (ROUTES[i].traits & HAS_NAME) != 0 && path_bytes > bytes;
        if ((path_bytes == bytes || has_name) && memcmp(ROUTES[i].path, path, bytes) == 0) {
            *op = ROUTES[i].op;
            *name_bytes = path_bytes - bytes;
            return 0;
        }
    }
    char asked[64];
    const size_t asked_bytes = path_bytes < sizeof asked ? path_bytes : sizeof asked - 1;
    memcpy(asked, path, asked_bytes);
    asked[asked_bytes] = '\0';
    const char *names[ROUTE_COUNT];
    for (int i = 0; i < ROUTE_COUNT; i++)
        names[i] = ROUTES[i].path;
    const char *nearest = nearest_name(asked, names, ROUTE_COUNT);
    if (nearest != NULL)
        return err_set(err, ERR_NOT_FOUND, "no resource '%s'; did you mean '%s'?", asked, nearest);
    return err_set(err, ERR_NOT_FOUND, "no resource '%s'", asked);
}

int request_check_method(const struct request *request, const char *method, bool *is_post, struct err *err)
{
    const unsigned methods = methods_of(request->op);
    *is_post = strcmp(method, "POST") == 0;
    const bool is_get = request->is_head || strcmp(method, "GET") == 0;
    const unsigned asked = is_get                          ? TAKES_GET
                           : *is_post                      ? TAKES_POST
                           : strcmp(method, "PUT") == 0    ? TAKES_PUT
                           : strcmp(method, "DELETE") == 0 ? TAKES_DELETE
                                                           : 0;
    if ((methods & asked) != 0)
        return 0;
    return err_set(err, ERR_METHOD_NOT_ALLOWED, "%s takes %s, not %.32s", request_path(request->op),
                   request_methods(request->op), method);
}
