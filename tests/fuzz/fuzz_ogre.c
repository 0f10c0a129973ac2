/* Any bytes as an Ogre mesh, as a skeleton and as a material script: read and finished, or refused with a reason. No
 * companion files. */
#include "import/ogre/ogre_script.h"
#include "import/ogre/ogre_skeleton.h"
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

static void check(int rc, const struct err *err)
{
    if (rc > 0 || (rc < 0 && (err->code != rc || err->message[0] == '\0')))
        abort();
}

static void read_mesh(const uint8_t *bytes, size_t size)
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
    limits.value[LIMIT_WEIGHTS] = 1000;
    bake_builder_init(&builder, limits.value[LIMIT_BAKED_BYTES]);
    struct import import = {.path = "fuzz.mesh",
                            .bytes = bytes,
                            .size_bytes = size,
                            .files = source_files_new(&NO_FILES, "fuzz.mesh", &limits),
                            .builder = &builder,
                            .info = bake_add_info(&builder, 1),
                            .limits = &limits};
    int rc = import_ogre(&import, &err);
    if (rc == 0)
        rc = bake_finish(&builder, &err);
    check(rc, &err);
    bake_builder_fini(&builder);
    source_files_free(import.files);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size + 1);
    struct ogre_skeleton skeleton;
    struct ogre_script script = {0};
    struct err err = {0};
    if (copy == NULL)
        return 0;
    memcpy(copy, data, size);
    copy[size] = 0;
    read_mesh(copy, size);
    check(ogre_skeleton_read(&skeleton, "fuzz.skeleton", copy, size, &err), &err);
    ogre_skeleton_fini(&skeleton);
    ogre_script_read(&script, (const char *)copy, size);
    ogre_script_fini(&script);
    free(copy);
    return 0;
}
