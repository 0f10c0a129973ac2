#include "tests/fuzz/reader_target.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

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

static void run(const char *path, int (*read)(struct import *import, struct err *err), const uint8_t *data, size_t size,
                const struct limits *limits, const struct file_client *client)
{
    struct err err = {0};
    struct bake_builder builder;
    bake_builder_init(&builder, limits->value[LIMIT_BAKED_BYTES]);
    uint8_t *copy = reader_copy(data, size);
    struct import import = {.path = path,
                            .bytes = copy,
                            .size_bytes = size,
                            .files = source_files_new(client, path, limits),
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

void reader_run(const char *path, int (*read)(struct import *import, struct err *err), const uint8_t *data, size_t size,
                const struct limits *limits)
{
    static const struct file_client NO_FILES = {.ask = find_nothing};
    run(path, read, data, size, limits, &NO_FILES);
}

/* --- with a file beside the model --- */

struct beside {
    const char *name;
    const uint8_t *bytes;
    size_t size_bytes;
};

static int find_beside(const void *context, const struct import_file_request *request, struct import_file_reply *reply)
{
    const struct beside *beside = context;
    if (request->kind != IMPORT_FILE_OPEN || strcmp(request->path, beside->name) != 0)
        return find_nothing(context, request, reply);
    const int fd = memfd_create(beside->name, MFD_CLOEXEC);
    if (fd < 0 || write(fd, beside->bytes, beside->size_bytes) != (ssize_t)beside->size_bytes ||
        lseek(fd, 0, SEEK_SET) != 0)
        abort();
    *reply = (struct import_file_reply){.stamp = {.size_bytes = beside->size_bytes, .inode = 1}};
    return fd;
}

void reader_run_beside(const char *path, int (*read)(struct import *import, struct err *err), const char *beside,
                       const uint8_t *data, size_t size, const struct limits *limits)
{
    static const char SEPARATOR[] = "\n---\n";
    const uint8_t *parted = memmem(data, size, SEPARATOR, sizeof SEPARATOR - 1);
    const size_t model_bytes = parted != NULL ? (size_t)(parted - data) : size;
    const uint8_t *rest = parted != NULL ? parted + sizeof SEPARATOR - 1 : data + size;
    const struct beside file = {beside, rest, size - (size_t)(rest - data)};
    run(path, read, data, model_bytes, limits, &(struct file_client){.ask = find_beside, .context = &file});
}
