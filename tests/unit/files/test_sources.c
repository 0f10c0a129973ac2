/* The files that a model was made from: by stamps, and by content. */
#include "tests/unit/support/check.h"
#include "tests/unit/support/temp_tree.h"

#include "daemon/model/sources.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static struct source_file recorded(const struct temp_tree *tree, const char *path, struct str place,
                                   enum source_role role)
{
    struct stat stat = {0};
    const bool is_there = root_lstat(tree->fd, path, &stat) == 0;
    const struct stamp stamp = is_there ? stamp_of(&stat) : (struct stamp){0};
    return (struct source_file){
        .path = place,
        .role = role,
        .is_missing = !is_there,
        .size_bytes = stamp.size_bytes,
        .mtime_ns = stamp.mtime_ns,
        .ctime_ns = stamp.ctime_ns,
        .inode = stamp.inode,
    };
}

TEST(sources_see_changed_removed_and_new_companions)
{
    static const char text[] = "a.gltfb.binc.png";
    struct temp_tree tree;
    temp_tree_init(&tree);
    temp_tree_file(&tree, "a.gltf", "{}");
    temp_tree_file(&tree, "b.bin", "xx");
    const struct source_file files[] = {
        recorded(&tree, "b.bin", (struct str){6, 5}, SOURCE_COMPANION),
        recorded(&tree, "a.gltf", (struct str){0, 6}, SOURCE_MODEL),
        recorded(&tree, "c.png", (struct str){11, 5}, SOURCE_TEXTURE),
    };
    const struct model model = {.text = text, .source_files = files, .source_file_count = 3};
    struct sources *sources = sources_of_model(&model);
    assert_int_equal(sources->count, 3);
    assert_string_equal(sources_find_model(sources)->path, "a.gltf");
    assert_true(sources->items[2].is_missing);
    assert_true(sources_are_unchanged(tree.fd, sources));

    temp_tree_file(&tree, "c.png", "appears");
    assert_false(sources_are_unchanged(tree.fd, sources));
    temp_tree_starve(); /* nobody can know whether it is there */
    const bool is_unchanged = sources_are_unchanged(tree.fd, sources);
    temp_tree_feed();
    assert_false(is_unchanged);
    assert_int_equal(unlinkat(tree.fd, "c.png", 0), 0);
    assert_true(sources_are_unchanged(tree.fd, sources));

    temp_tree_file(&tree, "b.bin", "longer");
    assert_false(sources_are_unchanged(tree.fd, sources));
    assert_int_equal(unlinkat(tree.fd, "b.bin", 0), 0);
    assert_false(sources_are_unchanged(tree.fd, sources));
    sources_free(sources);
    temp_tree_fini(&tree);
}

/* Of a folder in which names were searched, only these count: parts of the requested paths, in any case, and the
 * folders in which names are searched. */
TEST(sources_of_a_searched_folder)
{
    static const char text[] = "art/a.gltfart/Body/Skin.pngart";
    static const struct {
        const char *name;
        bool counts;
    } ROWS[] = {
        {"art/thumbnail.png", false}, {"art/skin.png.txt", false}, {"art/kin.png", false}, {"art/sub/skin.png", false},
        {"art/skin.png", true},       {"art/SKIN.PNG", true},      {"art/body/x", true},   {"art/TEX/x", true},
        {"art/textures/x", true},     {"art/A.GLTF", true},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        struct temp_tree tree;
        temp_tree_init(&tree);
        temp_tree_file(&tree, "art/a.gltf", "{}");
        temp_tree_file(&tree, "art/other.png", "");
        const struct source_file files[] = {
            recorded(&tree, "art/a.gltf", (struct str){0, 10}, SOURCE_MODEL),
            recorded(&tree, "art/Body/Skin.png", (struct str){10, 17}, SOURCE_TEXTURE),
            recorded(&tree, "art", (struct str){27, 3}, SOURCE_SEARCHED),
        };
        const struct model model = {.text = text, .source_files = files, .source_file_count = 3};
        struct sources *unknown = sources_of_model(&model), *sources = sources_of_model(&model);
        sources_look_into(tree.fd, sources);
        assert_int_equal(sources->items[2].kind, SOURCE_NAMES);
        assert_true(sources_are_unchanged(tree.fd, sources));
        temp_tree_file(&tree, ROWS[i].name, "x");
        const bool is_unchanged = sources_are_unchanged(tree.fd, sources);
        if (is_unchanged == ROWS[i].counts)
            print_error("%s: %s\n", ROWS[i].name, is_unchanged ? "no change" : "a change");
        assert_int_equal(is_unchanged, !ROWS[i].counts);
        assert_false(sources_are_unchanged(tree.fd, unknown)); /* its stamp alone is known */
        sources_look_into(tree.fd, unknown);                   /* and differs from the present stamp */
        assert_int_equal(unknown->items[2].kind, SOURCE_NONE);
        sources_free(unknown);
        sources_free(sources);
        temp_tree_fini(&tree);
    }
}

TEST(sources_refuse_a_path_that_is_none)
{
    const struct source_file file = {.path = {.offset = STR_NONE}};
    const struct model model = {.text = "", .source_files = &file, .source_file_count = 1};
    assert_null(sources_of_model(&model));
}

static struct source read_one(const struct temp_tree *tree, const char *path, bool is_right)
{
    struct source source = {.path = (char *)(uintptr_t)path};
    assert_int_equal(source_read(tree->fd, 10, NULL, &source), is_right);
    return source;
}

TEST(source_read_tells_the_kinds)
{
    /* printf abc | sha256sum; printf 'a\0b\0' | sha256sum is that of the folder's names */
    static const uint8_t ABC[] = {0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea};
    static const uint8_t zeros[SOURCE_HASH_SIZE];
    struct temp_tree tree;
    temp_tree_init(&tree);
    temp_tree_file(&tree, "abc", "abc");
    temp_tree_file(&tree, "ten", "0123456789");
    temp_tree_file(&tree, "eleven", "01234567890");
    temp_tree_link(&tree, "link", "abc");
    temp_tree_link(&tree, "linked", "folder");
    temp_tree_file(&tree, "folder/a", "x");
    assert_int_equal(mkfifoat(tree.fd, "pipe", 0600), 0);

    struct source abc = read_one(&tree, "abc", true);
    assert_int_equal(abc.kind, SOURCE_BYTES);
    assert_memory_equal(abc.hash, ABC, sizeof ABC);
    assert_int_equal(abc.stamp.size_bytes, 3);
    assert_false(abc.is_missing);
    assert_int_equal(read_one(&tree, "ten", true).kind, SOURCE_BYTES);
    const struct source large = read_one(&tree, "eleven", true);
    assert_int_equal(large.kind, SOURCE_TOO_LARGE);
    assert_memory_equal(large.hash, zeros, sizeof zeros);
    assert_int_equal(read_one(&tree, "link", true).kind, SOURCE_OTHER);
    assert_int_equal(read_one(&tree, "pipe", true).kind, SOURCE_OTHER);
    assert_int_equal(read_one(&tree, "linked/a", true).kind, SOURCE_NONE);
    assert_int_equal(read_one(&tree, "nothing", true).kind, SOURCE_NONE);
    assert_true(read_one(&tree, "../etc/passwd", true).is_missing);

    const struct source before = read_one(&tree, "folder", true);
    assert_int_equal(before.kind, SOURCE_NAMES);
    temp_tree_file(&tree, "folder/a", "other bytes");
    assert_memory_equal(read_one(&tree, "folder", true).hash, before.hash, SOURCE_HASH_SIZE);
    temp_tree_file(&tree, "folder/b", "x");
    assert_memory_not_equal(read_one(&tree, "folder", true).hash, before.hash, SOURCE_HASH_SIZE);
    temp_tree_fini(&tree);
}

/* Size and times as before, but other bytes: only content tells. */
TEST(source_read_sees_what_stamps_hide)
{
    struct temp_tree tree;
    temp_tree_init(&tree);
    temp_tree_file(&tree, "a", "one");
    const struct source before = read_one(&tree, "a", true);
    temp_tree_file(&tree, "a", "two");
    const struct source after = read_one(&tree, "a", true);
    assert_int_equal(before.stamp.size_bytes, after.stamp.size_bytes);
    assert_memory_not_equal(before.hash, after.hash, SOURCE_HASH_SIZE);
    temp_tree_file(&tree, "a", "one");
    assert_memory_equal(read_one(&tree, "a", true).hash, before.hash, SOURCE_HASH_SIZE);
    temp_tree_fini(&tree);
}
