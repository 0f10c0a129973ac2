/* Imports glTF files as posed-import does and writes their baked models: bake_samples FOLDER FILE.glb...
 * What a test for another processor evaluates is what the importer of this one made. */
#include "tests/unit/gltf/gltf_run.h"

#include "anim/bake/bake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(const char *path, const char *why)
{
    fprintf(stderr, "bake_samples: '%s': %s\n", path, why);
    exit(1);
}

static void read_file(const char *path, struct buf *out)
{
    char bytes[65536];
    FILE *file = fopen(path, "rb");
    size_t n;
    if (file == NULL)
        fail(path, "cannot be read");
    while ((n = fread(bytes, 1, sizeof bytes, file)) > 0)
        buf_put(out, bytes, n);
    fclose(file);
}

static void write_file(const char *folder, const char *model_path, const struct buf *block)
{
    char path[4096];
    const char *slash = strrchr(model_path, '/'), *name = slash != NULL ? slash + 1 : model_path;
    snprintf(path, sizeof path, "%s/%.*s.baked", folder, (int)strcspn(name, "."), name);
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(block->data, 1, block->size_bytes, file) != block->size_bytes || fclose(file) != 0)
        fail(path, "cannot be written");
}

int main(int argc, char **argv)
{
    for (int i = 2; i < argc; i++) {
        struct gltf_run run;
        struct buf file, block;
        buf_init(&file, 0);
        buf_init(&block, 0);
        read_file(argv[i], &file);
        gltf_run_init(&run);
        gltf_run_bytes(&run, -1, file.data, file.size_bytes);
        if (run.rc < 0 || bake_encode(&run.builder, &block, &run.err) < 0)
            fail(argv[i], run.err.message);
        write_file(argv[1], argv[i], &block);
        gltf_run_fini(&run);
        buf_fini(&file);
        buf_fini(&block);
    }
    return argc > 2 ? 0 : 2;
}
