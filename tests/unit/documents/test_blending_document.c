/* protocol/blending.md names every member of a layer, and its examples are valid requests. Run from the project's root.
 */
#include "tests/unit/support/check.h"
#include "tests/unit/support/document.h"

#include "wire/request/request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TEST(blending_document_examples_are_requests)
{
    char *text = document_read("protocol/blending.md");
    int count = 0;
    for (const char *at = text; (at = strstr(at, "\n```json\n")) != NULL; count++) {
        at += strlen("\n```json\n");
        const char *end = strstr(at, "\n```\n");
        assert_non_null(end);
        const char *path = strncmp(at, "{\"queries\"", 10) == 0 ? "/v1/query" : "/v1/palette";
        struct limits limits;
        struct request request;
        struct err err = {0};
        limits_default(&limits);
        request_init(&request);
        const struct request_head head = {.method = "POST",
                                          .target = path,
                                          .target_bytes = strlen(path),
                                          .body = at,
                                          .body_bytes = (size_t)(end - at)};
        if (request_parse(&request, &head, &limits, &err) < 0)
            fail_msg("%.*s: %s", (int)(end - at), at, err.message);
        assert_true(request.pose.layer_count > 1 || request.query_count > 0);
        for (uint32_t i = 0; i < request.query_count; i++)
            assert_int_equal(request.queries[i].err.code, 0);
        request_fini(&request);
    }
    assert_in_range(count, 4, 20);
    free(text);
}

TEST(blending_document_has_every_member)
{
    enum { FOR_READYZ = 0, FOR_MODELS = 0, FOR_MODEL = 0, FOR_PALETTE = 0, FOR_POSE = 0, FOR_MESH = 0, FOR_RENDER = 0 };
    enum { FOR_BOUNDS = 0, FOR_COMPARE = 0, FOR_TEXTURE = 0, FOR_QUERY = 0, FOR_REFERENCE = 0, FOR_LAYER = 1 };
    static const struct {
        const char *name;
        bool is_of_layers;
    } params[] = {
#define X(symbol, name, ops, how_often, parse, values, text) {name, ((ops)&FOR_LAYER) != 0},
#include "wire/request/request_params.def"
#undef X
    };
    char *text = document_read("protocol/blending.md");
    const char *section = strstr(text, "\n## A layer\n");
    assert_non_null(section);
    *strstr(section + 1, "\n## ") = '\0';
    for (size_t i = 0; i < sizeof params / sizeof *params; i++) {
        char name[40];
        snprintf(name, sizeof name, "`%s`", params[i].name);
        if (params[i].is_of_layers && strstr(section, name) == NULL)
            fail_msg("blending.md does not tell of %s", name);
    }
    free(text);
}
