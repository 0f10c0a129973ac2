#include "tests/unit/support/check.h"
#include "tests/unit/support/root_files.h"
#include "tests/unit/support/temp_tree.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

struct opened {
    struct temp_tree tree;
    struct limits limits;
    struct source_files *files;
    const uint8_t *bytes;
    size_t size_bytes;
    struct err err;
};

static void setup(struct opened *o)
{
    *o = (struct opened){0};
    temp_tree_init(&o->tree);
    limits_default(&o->limits);
    temp_tree_file(&o->tree, "models/walk.md5mesh", "MD5Version 10\n");
    temp_tree_file(&o->tree, "models/walk.md5anim", "clip");
    temp_tree_file(&o->tree, "models/tex/skin.png", "pixels");
    temp_tree_file(&o->tree, "shared/skin.png", "shared pixels");
    temp_tree_file(&o->tree, "secret", "secret");
    o->files = root_files_open(o->tree.fd, "models/walk.md5mesh", &o->limits);
}

static void teardown(struct opened *o)
{
    source_files_free(o->files);
    temp_tree_fini(&o->tree);
}

static int read_uri(struct opened *o, const char *uri)
{
    o->err = (struct err){0};
    return source_files_read(o->files, uri, SOURCE_TEXTURE, &o->bytes, &o->size_bytes, &o->err);
}

static void expect(struct opened *o, const char *uri, const char *content)
{
    assert_int_equal(read_uri(o, uri), 0);
    assert_int_equal(o->size_bytes, strlen(content));
    assert_memory_equal(o->bytes, content, strlen(content) + 1); /* with the NUL behind it */
}

static void expect_error(struct opened *o, const char *uri, int code, const char *part)
{
    const int rc = read_uri(o, uri);
    if (rc != code || strstr(o->err.message, part) == NULL)
        print_error("'%s': %d '%s', expected %d with '%s'\n", uri, rc, o->err.message, code, part);
    assert_int_equal(rc, code);
    assert_non_null(strstr(o->err.message, part));
    assert_null(o->bytes);
}

TEST(source_files_reads_beside_and_below_the_model)
{
    struct opened o;
    setup(&o);
    assert_int_equal(source_files_read_model(o.files, &o.bytes, &o.size_bytes, &o.err), 0);
    assert_memory_equal(o.bytes, "MD5Version 10\n", 15);
    expect(&o, "walk.md5anim", "clip");
    expect(&o, "./tex//skin.png", "pixels");
    expect(&o, "tex\\skin.png", "pixels");
    expect(&o, "../shared/skin.png", "shared pixels");
    expect(&o, "tex/../../shared/./skin.png", "shared pixels");
    teardown(&o);
}

TEST(source_files_refuses_what_lies_outside_the_root)
{
    struct opened o;
    setup(&o);
    expect(&o, "../secret", "secret"); /* inside the root, above the model's folder */
    expect_error(&o, "../../secret", ERR_COMPANION_MISSING, "outside the model root");
    expect_error(&o, "tex/../../../etc/passwd", ERR_COMPANION_MISSING, "outside the model root");
    expect_error(&o, "..\\..\\secret", ERR_COMPANION_MISSING, "outside the model root");
    expect_error(&o, "/etc/passwd", ERR_COMPANION_MISSING, "absolute");
    expect_error(&o, "C:\\art\\skin.png", ERR_COMPANION_MISSING, "absolute");
    expect_error(&o, "", ERR_COMPANION_MISSING, "names no file");
    expect_error(&o, "..", ERR_COMPANION_MISSING, "names no file");
    teardown(&o);
}

TEST(source_files_follows_no_link_and_reads_only_regular_files)
{
    struct opened o;
    setup(&o);
    char fifo[128];
    temp_tree_link(&o.tree, "models/link.png", "../secret");
    temp_tree_link(&o.tree, "models/linked", "../shared");
    temp_tree_link(&o.tree, "models/proc.png", "/proc/self/environ");
    snprintf(fifo, sizeof fifo, "%s/models/fifo.png", o.tree.path);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    expect_error(&o, "link.png", ERR_COMPANION_MISSING, "models/link.png");
    expect_error(&o, "linked/skin.png", ERR_COMPANION_MISSING, "symbolic link");
    expect_error(&o, "proc.png", ERR_COMPANION_MISSING, "symbolic link");
    expect_error(&o, "fifo.png", ERR_COMPANION_MISSING, "not a regular file"); /* and does not wait for a writer */
    expect_error(&o, "tex", ERR_COMPANION_MISSING, "not a regular file");
    expect_error(&o, "none.png", ERR_COMPANION_MISSING, "there is no file 'models/none.png'");
    expect_error(&o, "walk.md5anim/x", ERR_COMPANION_MISSING, "there is no file");
    teardown(&o);
}

TEST(source_files_keeps_its_limits)
{
    struct opened o;
    setup(&o);
    o.limits.value[LIMIT_FILE_BYTES] = 5;
    expect(&o, "walk.md5anim", "clip");
    expect_error(&o, "tex/skin.png", ERR_MODEL_LIMIT, "'models/tex/skin.png' has 6 bytes");
    o.limits.value[LIMIT_SOURCE_FILES] = 2;
    expect(&o, "walk.md5anim", "clip"); /* known already */
    expect_error(&o, "../secret", ERR_MODEL_LIMIT, "more files than --max-source-files 2");
    teardown(&o);
}

TEST(source_files_says_when_the_model_is_not_there)
{
    struct opened o;
    setup(&o);
    struct source_files *other = root_files_open(o.tree.fd, "models/run.md5mesh", &o.limits);
    assert_int_equal(source_files_read_model(other, &o.bytes, &o.size_bytes, &o.err), ERR_MODEL_NOT_FOUND);
    assert_non_null(strstr(o.err.message, "models/run.md5mesh"));
    source_files_free(other);
    teardown(&o);
}

/* The daemon looked at the file of exactly this name; another must not be read in its place. */
TEST(source_files_takes_the_model_path_as_it_stands)
{
    static const char *const NAMES[] = {"models/a\\b.glb", "C:x.glb", "\\x.glb"};
    struct opened o;
    setup(&o);
    temp_tree_file(&o.tree, "models/a/b.glb", "another");
    for (int i = 0; i < 3; i++) {
        temp_tree_file(&o.tree, NAMES[i], NAMES[i]);
        source_files_free(o.files);
        o.files = root_files_open(o.tree.fd, NAMES[i], &o.limits);
        assert_int_equal(source_files_read_model(o.files, &o.bytes, &o.size_bytes, &o.err), 0);
        assert_string_equal((const char *)o.bytes, NAMES[i]);
    }
    source_files_free(o.files);
    o.files = root_files_open(o.tree.fd, NAMES[0], &o.limits);
    expect(&o, "tex\\skin.png", "pixels"); /* but what a model names may come from Windows */
    teardown(&o);
}

TEST(source_files_reads_each_file_once)
{
    struct opened o;
    setup(&o);
    expect(&o, "walk.md5anim", "clip");
    const uint8_t *first = o.bytes;
    temp_tree_file(&o.tree, "models/walk.md5anim", "changed meanwhile");
    expect(&o, "./walk.md5anim", "clip");
    assert_ptr_equal(o.bytes, first);
    teardown(&o);
}

TEST(source_files_lists_the_models_folder)
{
    struct opened o;
    setup(&o);
    temp_tree_file(&o.tree, "models/jump.MD5ANIM", "");
    temp_tree_file(&o.tree, "models/.hidden.md5anim", "");
    const char *const *names;
    size_t count;
    assert_int_equal(source_files_list(o.files, ".md5anim", &names, &count, &o.err), 0);
    assert_int_equal(count, 2);
    assert_string_equal(names[0], "jump.MD5ANIM");
    assert_string_equal(names[1], "walk.md5anim");
    struct source_files *top = root_files_open(o.tree.fd, "secret", &o.limits);
    assert_int_equal(source_files_list(top, "cret", &names, &count, &o.err), 0);
    assert_int_equal(count, 1);
    source_files_free(top);
    teardown(&o);
}

TEST(source_files_refuse_companions_that_are_pointers)
{
    static const char POINTER[] = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n";
    struct opened o;
    setup(&o);
    struct bake_builder builder;
    bake_builder_init(&builder, 1 << 20);
    temp_tree_file(&o.tree, "models/data.bin", POINTER);
    temp_tree_file(&o.tree, "models/tex/pointer.png", POINTER);
    assert_int_equal(source_files_read(o.files, "data.bin", SOURCE_COMPANION, &o.bytes, &o.size_bytes, &o.err),
                     ERR_LFS_POINTER);
    assert_non_null(strstr(o.err.message, "'models/data.bin' is a Git LFS pointer"));
    assert_null(o.bytes);
    /* whose decoder says it */
    assert_int_equal(source_files_read(o.files, "tex/pointer.png", SOURCE_TEXTURE, &o.bytes, &o.size_bytes, &o.err), 0);
    source_files_warn(o.files, &builder);
    assert_int_equal(builder.warning_count, 1);
    bake_builder_fini(&builder);
    teardown(&o);
}

TEST(source_files_records_files)
{
    struct opened o;
    setup(&o);
    struct bake_builder builder;
    bake_builder_init(&builder, 1 << 20);
    source_files_read_model(o.files, &o.bytes, &o.size_bytes, &o.err);
    read_uri(&o, "none.png");
    read_uri(&o, "tex/skin.png");
    const char *const *names;
    size_t count;
    assert_int_equal(source_files_list(o.files, ".md5anim", &names, &count, &o.err), 0);
    source_files_record(o.files, &builder);
    assert_int_equal(builder.source_file_count, 4);
    const struct source_file *files = builder.source_files;
    assert_int_equal(files[3].role, SOURCE_FOLDER);
    assert_int_equal(files[3].is_missing, 0);
    assert_memory_equal(builder.text + files[3].path.offset, "models", 6);
    assert_int_equal(files[0].role, SOURCE_MODEL);
    assert_int_equal(files[0].size_bytes, 14);
    assert_true(files[0].mtime_ns > 0 && files[0].inode > 0);
    assert_int_equal(files[1].is_missing, 1);
    assert_int_equal(files[2].role, SOURCE_TEXTURE);
    assert_int_equal(files[2].path.size_bytes, 19);
    assert_memory_equal(builder.text + files[2].path.offset, "models/tex/skin.png", 19);
    bake_builder_fini(&builder);
    teardown(&o);
}
