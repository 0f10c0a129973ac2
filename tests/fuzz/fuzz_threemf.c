/* Any bytes as a 3MF file: a package where they begin as a zip does, else the root model part of one, so that its
 * checksums hold. Read and finished, or refused with a reason. */
#include "tests/fuzz/stored_zip.h"

#include "import/source/import.h"

#include <errno.h>
#include <stdlib.h>

static int find_nothing(const void *context, const struct import_file_request *request, struct import_file_reply *reply)
{
    (void)context;
    (void)request;
    *reply = (struct import_file_reply){.error = ENOENT};
    return -1;
}
static const struct file_client NO_FILES = {.ask = find_nothing};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_package(const uint8_t *bytes, size_t size_bytes)
{
    struct limits limits;
    struct err err = {0};
    struct bake_builder builder;
    limits_default(&limits);
    limits.value[LIMIT_BAKED_BYTES] = 4 << 20;
    limits.value[LIMIT_NODES] = 1000;
    limits.value[LIMIT_VERTICES] = 10000;
    limits.value[LIMIT_INDICES] = 50000;
    limits.value[LIMIT_TEXTURE_SIDE] = 16;
    limits.value[LIMIT_IMAGE_SIDE] = 256;
    bake_builder_init(&builder, limits.value[LIMIT_BAKED_BYTES]);
    struct import import = {.path = "fuzz.3mf",
                            .bytes = bytes,
                            .size_bytes = size_bytes,
                            .files = source_files_new(&NO_FILES, "fuzz.3mf", &limits),
                            .builder = &builder,
                            .info = bake_add_info(&builder, 1),
                            .limits = &limits};
    int rc = import_threemf(&import, &err);
    if (rc == 0)
        rc = bake_finish(&builder, &err);
    if (rc > 0 || (rc < 0 && (err.code != rc || err.message[0] == '\0')))
        abort();
    bake_builder_fini(&builder);
    source_files_free(import.files);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t PICTURE[] = "\x89PNG\r\n\x1a\n";
    const struct stored_file files[] = {{"3D/3dmodel.model", data, size}, {"3D/t.png", PICTURE, sizeof PICTURE - 1}};
    if (size >= 2 && data[0] == 'P' && data[1] == 'K') {
        read_package(data, size);
        return 0;
    }
    struct buf zip;
    buf_init(&zip, 0);
    stored_zip(&zip, files, 2);
    read_package((const uint8_t *)zip.data, zip.size_bytes);
    buf_fini(&zip);
    return 0;
}
