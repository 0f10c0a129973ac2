#include "tests/fuzz/reader_target.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void reader_limits(struct limits *limits)
{
    limits_default(limits);
    limits->value[LIMIT_BAKED_BYTES] = 4 << 20;
    limits->value[LIMIT_VERTICES] = 10000;
    limits->value[LIMIT_INDICES] = 50000;
    limits->value[LIMIT_KEYS] = 50000;
    limits->value[LIMIT_TEXTURE_SIDE] = 16;
    limits->value[LIMIT_IMAGE_SIDE] = 256;
}

uint8_t *reader_copy(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size + 1);
    if (copy == NULL)
        abort();
    if (size > 0)
        memcpy(copy, data, size);
    copy[size] = 0;
    return copy;
}

void reader_check(int rc, const struct err *err)
{
    if (rc > 0 || (rc < 0 && (err->code != rc || err->message[0] == '\0')))
        abort();
}

static int find_nothing(const void *context, const struct import_file_request *request, struct import_file_reply *reply)
{
    (void)context;
    (void)request;
    *reply = (struct import_file_reply){.error = ENOENT};
    return -1;
}

void reader_run(const char *path, int (*read)(struct import *import, struct err *err), const uint8_t *data, size_t size,
                const struct limits *limits)
{
    static const struct file_client NO_FILES = {.ask = find_nothing};
    struct err err = {0};
    struct bake_builder builder;
    bake_builder_init(&builder, limits->value[LIMIT_BAKED_BYTES]);
    uint8_t *copy = reader_copy(data, size);
    struct import import = {.path = path,
                            .bytes = copy,
                            .size_bytes = size,
                            .files = source_files_new(&NO_FILES, path, limits),
                            .builder = &builder,
                            .info = bake_add_info(&builder, 1),
                            .limits = limits};
    int rc = read(&import, &err);
    free(copy);
    if (rc == 0)
        rc = import_finish(&import, &err);
    reader_check(rc, &err);
    bake_builder_fini(&builder);
    source_files_free(import.files);
}
