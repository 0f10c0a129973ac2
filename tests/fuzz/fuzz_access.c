/* Lists of hosts and origins, token files and headers. The input is five texts separated by NULs. No crash; a Host that
 * is a loopback name is always answered; without a known token an edit is refused. */
#include "wire/http/access.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { TEXTS = 5 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *copy = malloc(size + TEXTS);
    if (copy == NULL)
        abort();
    if (size > 0)
        memcpy(copy, data, size);
    memset(copy + size, 0, TEXTS);
    const char *texts[TEXTS];
    const char *at = copy;
    for (int i = 0; i < TEXTS; i++) {
        texts[i] = at;
        at = at + strlen(at) < copy + size ? at + strlen(at) + 1 : copy + size;
    }
    struct access access;
    struct err err;
    access_init(&access);
    (void)access_allow_hosts(&access, texts[0], &err);
    (void)access_allow_origins(&access, texts[1], &err);
    access.scope =
        access_add_tokens(&access, texts[2], strlen(texts[2]), &err) == 0 ? ACCESS_TOKEN_EDITS : ACCESS_TOKEN_NONE;
    struct http_request request = {
        .method = "GET", .target = "/v1/models", .host = texts[3], .origin = texts[4], .authorization = texts[4]};
    const int rc = access_check(&access, &request, &err);
    if (access_is_loopback(texts[3]) && rc != 0)
        abort();
    (void)access_cors_origin(&access, texts[4]);
    request.method = "PUT";
    request.authorization = NULL;
    if (access.scope == ACCESS_TOKEN_EDITS && access_check(&access, &request, &err) == 0)
        abort();
    access_fini(&access);
    free(copy);
    return 0;
}
