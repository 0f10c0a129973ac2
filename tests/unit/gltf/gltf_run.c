#include "tests/unit/gltf/gltf_run.h"

#include "base/mem.h"
#include "tests/unit/support/root_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void gltf_run_init(struct gltf_run *run)
{
    *run = (struct gltf_run){0};
    limits_default(&run->limits);
}

void gltf_run_fini(struct gltf_run *run)
{
    bake_builder_fini(&run->builder);
    source_files_free(run->files);
    run->files = NULL;
}

void gltf_run_bytes(struct gltf_run *run, int root_fd, const void *bytes, size_t size_bytes)
{
    gltf_run_fini(run);
    run->err = (struct err){0};
    bake_builder_init(&run->builder, run->limits.value[LIMIT_BAKED_BYTES]);
    run->files = root_files_open(root_fd, "model.gltf", &run->limits);
    /* Exactly as long as the contract says, so that ASan sees a read past the end. */
    char *copy = mem_strndup(bytes, size_bytes);
    struct import import = {.path = "model.gltf",
                            .bytes = (const uint8_t *)copy,
                            .size_bytes = size_bytes,
                            .files = run->files,
                            .builder = &run->builder,
                            .info = bake_add_info(&run->builder, 1),
                            .limits = &run->limits};
    run->rc = import_gltf(&import, &run->err);
    free(copy);
    if (run->rc == 0)
        run->rc = bake_finish(&run->builder, &run->err);
}

static char *quoted(const char *json)
{
    char *text = mem_strdup(json);
    for (char *c = text; *c != '\0'; c++)
        if (*c == '\'')
            *c = '"';
    return text;
}

void gltf_run_json(struct gltf_run *run, const char *json)
{
    char *text = quoted(json);
    gltf_run_bytes(run, -1, text, strlen(text));
    free(text);
}

size_t gltf_make_glb(const char *json, const void *bin, size_t bin_bytes, uint8_t **out)
{
    char *text = quoted(json);
    const size_t json_bytes = (strlen(text) + 3) / 4 * 4, padded = (bin_bytes + 3) / 4 * 4;
    struct buf buf;
    buf_init(&buf, 0);
    buf_put(&buf, "glTF", 4);
    buf_put_u32(&buf, 2);
    buf_put_u32(&buf, (uint32_t)(12 + 8 + json_bytes + (bin == NULL ? 0 : 8 + padded)));
    buf_put_u32(&buf, (uint32_t)json_bytes);
    buf_put(&buf, "JSON", 4);
    buf_put_text(&buf, text);
    while (buf.size_bytes % 4 != 0)
        buf_put_char(&buf, ' ');
    if (bin != NULL) {
        buf_put_u32(&buf, (uint32_t)padded);
        buf_put(&buf, "BIN\0", 4);
        buf_put(&buf, bin, bin_bytes);
        buf_align(&buf, 4);
    }
    free(text);
    *out = (uint8_t *)buf.data;
    return buf.size_bytes;
}

void gltf_run_glb(struct gltf_run *run, const char *json, const void *bin, size_t bin_bytes)
{
    uint8_t *bytes;
    const size_t size = gltf_make_glb(json, bin, bin_bytes, &bytes);
    gltf_run_bytes(run, -1, bytes, size);
    free(bytes);
}

bool gltf_failed(const struct gltf_run *run, int code, const char *part)
{
    if (run->rc == code && strstr(run->err.message, part) != NULL)
        return true;
    fprintf(stderr, "expected %s with '%s', have %s '%s'\n", err_name(code), part,
            run->rc == 0 ? "success" : err_name(run->rc), run->err.message);
    return false;
}

bool gltf_succeeded(const struct gltf_run *run)
{
    if (run->rc == 0)
        return true;
    fprintf(stderr, "expected success, have %s '%s'\n", err_name(run->rc), run->err.message);
    return false;
}

bool gltf_str_is(const struct gltf_run *run, struct str str, const char *text)
{
    if (text == NULL || str.offset == STR_NONE)
        return text == NULL && str.offset == STR_NONE;
    return str.size_bytes == strlen(text) && memcmp(run->builder.text + str.offset, text, str.size_bytes) == 0;
}

bool gltf_warned(const struct gltf_run *run, const char *code)
{
    for (uint32_t i = 0; i < run->builder.warning_count; i++)
        if (gltf_str_is(run, run->builder.warnings[i].code, code))
            return true;
    return false;
}
