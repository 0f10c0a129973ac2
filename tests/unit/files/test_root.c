#include "tests/unit/support/check.h"
#include "tests/unit/support/temp_tree.h"

#include "daemon/model/root.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

TEST(stamp_differs_with_every_field)
{
    const struct stamp stamp = {1, 2, 3, 4};
    const struct stamp others[] = {{9, 2, 3, 4}, {1, 9, 3, 4}, {1, 2, 9, 4}, {1, 2, 3, 9}};
    assert_true(stamp_equal(&stamp, &stamp));
    for (size_t i = 0; i < 4; i++)
        assert_false(stamp_equal(&stamp, &others[i]));
}

TEST(root_stat_tells_files_from_everything_else)
{
    static const struct {
        const char *path;
        int code;
        const char *word;
    } rows[] = {
        {"a/fox.glb", 0, ""},
        {"a/./fox.glb", 0, ""},
        {"a", ERR_MODEL_NOT_FOUND, "folder"},
        {"a/wolf.glb", ERR_MODEL_NOT_FOUND, "no model"},
        {"a/fox.glb/b", ERR_MODEL_NOT_FOUND, "no model"},
        {"link.glb", ERR_MODEL_NOT_FOUND, "links are not followed"},
        {"linked/fox.glb", ERR_MODEL_NOT_FOUND, "links are not followed"},
        {"pipe.glb", ERR_MODEL_NOT_FOUND, "regular"},
        {"../etc/passwd", ERR_MODEL_NOT_FOUND, "outside"},
        {"/etc/passwd", ERR_MODEL_NOT_FOUND, "outside"},
    };
    struct temp_tree tree;
    temp_tree_init(&tree);
    temp_tree_file(&tree, "a/fox.glb", "12345");
    temp_tree_link(&tree, "link.glb", "a/fox.glb");
    temp_tree_link(&tree, "linked", "a");
    assert_int_equal(mkfifoat(tree.fd, "pipe.glb", 0600), 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct stamp stamp = {0};
        struct err err = {0};
        assert_int_equal(root_stat_model(tree.fd, rows[i].path, &stamp, &err), rows[i].code);
        if (rows[i].code == 0)
            assert_int_equal(stamp.size_bytes, 5);
        else
            assert_true(strstr(err.message, rows[i].word) != NULL && strstr(err.message, rows[i].path) != NULL);
    }
    temp_tree_fini(&tree);
}

TEST(root_without_descriptors_is_overload)
{
    struct temp_tree tree;
    temp_tree_init(&tree);
    temp_tree_file(&tree, "fox.glb", "12345");
    struct stamp stamp;
    struct err err = {0};
    temp_tree_starve();
    const int rc = root_stat_model(tree.fd, "fox.glb", &stamp, &err);
    temp_tree_feed();
    assert_int_equal(rc, ERR_OVERLOADED);
    temp_tree_fini(&tree);
}

TEST(root_open_names_a_missing_folder)
{
    struct err err = {0};
    assert_int_equal(root_open("/nowhere/at/all", &err), ERR_BAD_PARAMETER);
    assert_non_null(strstr(err.message, "/nowhere/at/all"));
}
