#include "tests/unit/assimp/assimp_run.h"

#include "tests/unit/support/check.h"
#include "tests/unit/support/root_files.h"

#include <stdlib.h>
#include <string.h>

void assimp_run_init(struct assimp_run *run)
{
    *run = (struct assimp_run){0};
    temp_tree_init(&run->tree);
    limits_default(&run->limits);
    bake_builder_init(&run->builder, 1 << 26);
    pose_init(&run->pose);
}

void assimp_run_fini(struct assimp_run *run)
{
    pose_fini(&run->pose);
    free(run->block);
    bake_builder_fini(&run->builder);
    source_files_free(run->files);
    temp_tree_fini(&run->tree);
}

struct import assimp_run_start(struct assimp_run *run, const char *path)
{
    run->files = root_files_open(run->tree.fd, path, &run->limits);
    return (struct import){.path = path,
                           .files = run->files,
                           .builder = &run->builder,
                           .info = bake_add_info(&run->builder, 1),
                           .limits = &run->limits};
}

void assimp_run_finish(struct assimp_run *run)
{
    struct buf buf;
    buf_init(&buf, 0);
    run->rc = bake_finish(&run->builder, &run->err);
    if (run->rc == 0)
        run->rc = bake_encode(&run->builder, &buf, &run->err);
    if (run->rc == 0) {
        run->block = aligned_alloc(64, (buf.size_bytes + 63) / 64 * 64);
        assert_non_null(run->block);
        memcpy(run->block, buf.data, buf.size_bytes);
        run->rc = bake_decode(run->block, buf.size_bytes, &run->model, &run->err);
    }
    buf_fini(&buf);
    if (run->rc < 0)
        print_error("%s\n", run->err.message);
}

void assimp_run_import(struct assimp_run *run, const char *path)
{
    const enum reader reader = file_format_of(path)->reader;
    assimp_run_read(run, path,
                    reader == READER_COLLADA ? import_collada
                    : reader == READER_OBJ   ? import_obj
                                             : import_assimp);
}

void assimp_run_read(struct assimp_run *run, const char *path, int (*read)(struct import *import, struct err *err))
{
    struct import import = assimp_run_start(run, path);
    assert_int_equal(source_files_read_model(run->files, &import.bytes, &import.size_bytes, &run->err), 0);
    run->rc = read(&import, &run->err);
    if (run->rc == 0)
        assimp_run_finish(run);
}

void assimp_run_put_tga(const struct assimp_run *run, const char *path, const uint8_t texels[8])
{
    uint8_t bytes[18 + 8] = {[2] = 2, [12] = 2, [14] = 1, [16] = 32, [17] = 0x28};
    for (int t = 0; t < 2; t++) {
        const uint8_t bgra[4] = {texels[4 * t + 2], texels[4 * t + 1], texels[4 * t], texels[4 * t + 3]};
        memcpy(bytes + 18 + 4 * t, bgra, sizeof bgra);
    }
    temp_tree_bytes(&run->tree, path, bytes, sizeof bytes);
}

void assimp_run_repair(struct assimp_run *run, void (*write)(const struct temp_tree *tree), const char *path,
                       int (*read)(struct import *import, struct err *err))
{
    assimp_run_init(run);
    write(&run->tree);
    assimp_run_read(run, path, read);
    print_message("%s\n", path);
    if (run->rc < 0)
        fail_msg("%s", run->err.message);
    assert_true(assimp_run_warned(run, "not_finite_repaired"));
}

void assimp_run_end_one(struct assimp_run *run)
{
    if (run->rc == 0)
        run->rc = bake_finish(&run->builder, &run->err);
    assert_true(run->rc == 0 || (run->rc == run->err.code && run->err.message[0] != '\0'));
    bake_builder_fini(&run->builder);
    bake_builder_init(&run->builder, 1 << 26);
    source_files_free(run->files);
    run->files = NULL;
}

static bool is_text(const struct model *model, struct str str, const char *text)
{
    return str.offset != STR_NONE && str.size_bytes == strlen(text) &&
           memcmp(model->text + str.offset, text, str.size_bytes) == 0;
}

uint32_t assimp_run_node(const struct assimp_run *run, const char *name)
{
    for (uint32_t n = 0; n < run->model.node_count; n++)
        if (is_text(&run->model, run->model.nodes[n].name, name))
            return n;
    fail_msg("no node '%s'", name);
    return 0;
}

bool assimp_run_warned(const struct assimp_run *run, const char *code)
{
    for (uint32_t w = 0; w < run->model.warning_count; w++)
        if (is_text(&run->model, run->model.warnings[w].code, code))
            return true;
    return false;
}

void assimp_run_point(struct assimp_run *run, int32_t clip, double time_s, uint32_t n, const double p[3], double out[3])
{
    pose_evaluate(&run->pose, &run->model, clip, time_s);
    dmat4_point(&run->pose.scene_from_node[n], p, out);
}
