/* Any bytes as a PLY file: read and finished, or refused with a reason. */
#include "import/source/import.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int find_nothing(const void *context, const struct import_file_request *request, struct import_file_reply *reply)
{
    (void)context;
    (void)request;
    *reply = (struct import_file_reply){.error = ENOENT};
    return -1;
}
static const struct file_client NO_FILES = {.ask = find_nothing};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct limits limits;
    struct err err = {0};
    struct bake_builder builder;
    limits_default(&limits);
    /* Small, so that what a limit stops costs little. */
    limits.value[LIMIT_BAKED_BYTES] = 4 << 20;
    limits.value[LIMIT_VERTICES] = 10000;
    limits.value[LIMIT_INDICES] = 50000;
    limits.value[LIMIT_KEYS] = 50000;
    limits.value[LIMIT_TEXTURE_SIDE] = 16;
    limits.value[LIMIT_IMAGE_SIDE] = 256;
    bake_builder_init(&builder, limits.value[LIMIT_BAKED_BYTES]);
    uint8_t *copy = malloc(size + 1);
    if (copy == NULL)
        return 0;
    memcpy(copy, data, size);
    copy[size] = 0;
    struct import import = {.path = "fuzz.ply",
                            .bytes = copy,
                            .size_bytes = size,
                            .files = source_files_new(&NO_FILES, "fuzz.ply", &limits),
                            .builder = &builder,
                            .info = bake_add_info(&builder, 1),
                            .limits = &limits};
    int rc = import_ply(&import, &err);
    free(copy);
    if (rc == 0)
        rc = bake_finish(&builder, &err);
    if (rc > 0 || (rc < 0 && (err.code != rc || err.message[0] == '\0')))
        abort();
    bake_builder_fini(&builder);
    source_files_free(import.files);
    return 0;
}
