/* gltf_buffer.c - finds the bytes of buffers and views. */
#include "import/gltf/gltf_buffer.h"

#include "import/source/source_parts.h"
#include "import/source/source_search.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

struct gltf_buffer {
    const uint8_t *bytes; /* NULL until read */
    uint8_t *owned;       /* the same when it was decoded here */
    uint64_t size_bytes;  /* byteLength; the file may have more */
};

/* `json` is a view, or a view's extension that locates its compressed bytes. */
static int check_range(const struct gltf *gltf, uint32_t index, const cJSON *json, struct err *err)
{
    const uint32_t buffer = (uint32_t)json_index(json, "buffer");
    const uint64_t have = json_count(gltf_item(gltf, GLTF_BUFFERS, buffer), "byteLength", 0);
    /* Each at most 2^53, so the sum cannot overflow. */
    const uint64_t end = json_count(json, "byteOffset", 0) + json_count(json, "byteLength", 0);
    if (end > have)
        return err_set(err, ERR_BAD_MODEL, "bufferViews[%u] ends at byte %llu, but buffers[%u] has %llu bytes", index,
                       (unsigned long long)end, buffer, (unsigned long long)have);
    return 0;
}

/* Checks all views, used or not, against the sizes that the file declares; reads no buffer. */
static int check_views(const struct gltf *gltf, struct err *err)
{
    for (uint32_t i = 0; i < gltf->lists[GLTF_BUFFER_VIEWS].count; i++) {
        const cJSON *view = gltf_item(gltf, GLTF_BUFFER_VIEWS, i), *compressed = gltf_meshopt_of(view);
        if (check_range(gltf, i, view, err) < 0 || (compressed != NULL && check_range(gltf, i, compressed, err) < 0))
            return err->code;
    }
    return 0;
}

int gltf_buffers_new(struct gltf *gltf, struct err *err)
{
    if (check_views(gltf, err) < 0)
        return err->code;
    gltf->buffers = mem_zalloc(gltf->lists[GLTF_BUFFERS].count, sizeof *gltf->buffers);
    gltf->decoded_views = mem_zalloc(gltf->lists[GLTF_BUFFER_VIEWS].count, sizeof *gltf->decoded_views);
    return 0;
}

void gltf_buffers_free(struct gltf *gltf)
{
    for (uint32_t i = 0; gltf->buffers != NULL && i < gltf->lists[GLTF_BUFFERS].count; i++) {
        source_parts_end(gltf->import->files, gltf->buffers[i].owned);
        free(gltf->buffers[i].owned);
    }
    for (uint32_t i = 0; gltf->decoded_views != NULL && i < gltf->lists[GLTF_BUFFER_VIEWS].count; i++)
        free(gltf->decoded_views[i]);
    free(gltf->buffers);
    free(gltf->decoded_views);
}

int gltf_companion_path(struct gltf *gltf, const char *uri, enum source_role role, char **out, struct err *err)
{
    enum { WHOLE = 1, PLAIN = 3, CHOICES };
    char *choices[CHOICES] = {[WHOLE] = mem_strndup(uri, strlen(uri)), [PLAIN] = mem_strndup(uri, strcspn(uri, "?#"))};
    int rc = 0;
    for (int i = WHOLE; i < CHOICES && rc == 0; i += 2)
        rc = uri_decode(choices[i], &choices[i - 1], err);
    const bool has_choice = rc == 0 && strpbrk(uri, "%?#") != NULL;
    const size_t best = has_choice ? source_search_best(gltf->import, (const char *const *)choices, CHOICES, role) : 0;
    *out = rc == 0 ? choices[best] : NULL;
    for (size_t i = 0; i < CHOICES; i++)
        if (choices[i] != *out)
            free(choices[i]);
    return rc;
}

int gltf_data_uri(struct gltf *gltf, const char *uri, const char *list, uint32_t index, struct data_uri *out,
                  struct err *err)
{
    if (uri_read_data(uri, out, err) < 0)
        return err->code;
    if (out->has_blanks)
        bake_warn(gltf->builder, "data_uri_blanks",
                  "%s[%u]: its data URI has blanks or line breaks, which do not count", list, index);
    if (out->base64 != NULL)
        source_parts_begin(gltf->import->files, out->bytes, out->size_bytes, out->base64, strlen(out->base64));
    return 0;
}

static int read_companion(struct gltf *gltf, const char *uri, const uint8_t **bytes, size_t *size_bytes,
                          struct err *err)
{
    char *path;
    if (gltf_companion_path(gltf, uri, SOURCE_COMPANION, &path, err) < 0)
        return err->code;
    struct source_bytes found;
    const int rc = source_search(gltf->import, path, SOURCE_COMPANION, &found, err);
    *bytes = found.bytes;
    *size_bytes = found.size_bytes;
    free(path);
    return rc;
}

/* The bytes that a buffer contains, which may be more or fewer than its byteLength. */
static int find_bytes(struct gltf *gltf, uint32_t index, const char *uri, struct gltf_buffer *buffer,
                      size_t *size_bytes, struct err *err)
{
    int rc = 0;
    if (uri != NULL && uri_is_data(uri)) {
        struct data_uri data;
        rc = gltf_data_uri(gltf, uri, "buffers", index, &data, err);
        buffer->bytes = buffer->owned = data.bytes;
        *size_bytes = data.size_bytes;
    } else if (uri != NULL) {
        rc = read_companion(gltf, uri, &buffer->bytes, size_bytes, err);
    } else if (index == 0 && gltf->bin != NULL) {
        buffer->bytes = gltf->bin;
        *size_bytes = gltf->bin_bytes;
    } else {
        return err_set(err, ERR_BAD_MODEL, "buffers[%u] has no uri and no binary chunk", index);
    }
    return rc < 0 ? err_prefix(err, "buffers[%u]", index) : 0;
}

static int read_buffer(struct gltf *gltf, uint32_t index, struct err *err)
{
    struct gltf_buffer *buffer = &gltf->buffers[index];
    if (buffer->bytes != NULL)
        return 0;
    const cJSON *json = gltf_item(gltf, GLTF_BUFFERS, index);
    const char *uri = json_text(json, "uri");
    size_t size_bytes = 0;
    if (find_bytes(gltf, index, uri, buffer, &size_bytes, err) < 0)
        return err->code;
    buffer->size_bytes = json_count(json, "byteLength", 0);
    if (buffer->size_bytes > size_bytes) {
        const char *source = uri == NULL ? "the binary chunk" : uri_is_data(uri) ? "its data URI" : uri;
        return err_set(err, ERR_BAD_MODEL, "buffers[%u] says %llu bytes, but %.100s has %zu", index,
                       (unsigned long long)buffer->size_bytes, source, size_bytes);
    }
    return 0;
}

/* The bytes to which a view, or its extension, refers. */
static int find_range(struct gltf *gltf, const cJSON *json, const uint8_t **bytes, struct err *err)
{
    const uint32_t buffer = (uint32_t)json_index(json, "buffer");
    if (read_buffer(gltf, buffer, err) < 0)
        return err->code;
    *bytes = gltf->buffers[buffer].bytes + json_count(json, "byteOffset", 0);
    return 0;
}

/* Decompresses a view on first use. The file size limit bounds the total of all views, as it would bound the
 * uncompressed file. */
static int decode_view(struct gltf *gltf, uint32_t index, struct err *err)
{
    const cJSON *view = gltf_item(gltf, GLTF_BUFFER_VIEWS, index), *compressed = gltf_meshopt_of(view);
    const uint8_t *bytes;
    if (gltf->decoded_views[index] != NULL)
        return 0;
    if (find_range(gltf, compressed, &bytes, err) < 0)
        return err->code;
    const uint64_t left = gltf->import->limits->value[LIMIT_FILE_BYTES] - gltf->decoded_bytes;
    if (gltf_meshopt_decode(view, bytes, json_count(compressed, "byteLength", 0), left, &gltf->decoded_views[index],
                            err) < 0)
        return err_prefix(err, "bufferViews[%u]", index);
    gltf->decoded_bytes += json_count(view, "byteLength", 0);
    return 0;
}

int gltf_view(struct gltf *gltf, uint32_t index, struct gltf_view *view, struct err *err)
{
    const cJSON *json = gltf_item(gltf, GLTF_BUFFER_VIEWS, index);
    *view = (struct gltf_view){.size_bytes = json_count(json, "byteLength", 0),
                               .stride = json_count(json, "byteStride", 0)};
    if (gltf_meshopt_of(json) == NULL)
        return find_range(gltf, json, &view->bytes, err);
    /* The view's own buffer is a fallback that need not exist. */
    if (decode_view(gltf, index, err) < 0)
        return err->code;
    view->bytes = gltf->decoded_views[index];
    return 0;
}
