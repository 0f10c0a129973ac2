#include "tests/unit/support/check.h"
#include "tests/unit/support/temp_tree.h"

#include "daemon/model/walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Joined by spaces. */
static const char *walk(const struct temp_tree *tree, struct walk_filter query, bool *has_more)
{
    static char text[4096];
    struct walk_page page;
    query.prefix = query.prefix != NULL ? query.prefix : "";
    query.after = query.after != NULL ? query.after : "";
    query.limit = query.limit != 0 ? query.limit : 1000;
    walk_models(tree->fd, &query, &page);
    size_t size = 0;
    text[0] = '\0';
    for (size_t i = 0; i < page.count; i++)
        size += (size_t)snprintf(text + size, sizeof text - size, "%s%s", i > 0 ? " " : "", page.files[i].path);
    assert_false(page.is_cut);
    if (has_more != NULL)
        *has_more = page.has_more;
    else
        assert_false(page.has_more);
    walk_page_fini(&page);
    return text;
}

static void plant(struct temp_tree *tree)
{
    temp_tree_init(tree);
    /* '-' and '.' come before '/', '0' after it: the order of whole paths is not that of the folders' names */
    temp_tree_file(tree, "a/z.glb", "");
    temp_tree_file(tree, "a/b/deep.glb", "");
    temp_tree_file(tree, "a-1.glb", "");
    temp_tree_file(tree, "a.glb", "");
    temp_tree_file(tree, "a0.glb", "");
    temp_tree_file(tree, "b/bob.md5mesh", "");
    temp_tree_file(tree, "b/bob.md5anim", "");
    temp_tree_file(tree, "b/alone.md5anim", "");
    temp_tree_file(tree, "\xc3\xa4.glb", "");
    temp_tree_file(tree, "readme.txt", "");
    temp_tree_file(tree, ".hidden.glb", "");
    temp_tree_file(tree, ".hidden/x.glb", "");
    temp_tree_file(tree, "bad\xff.glb", "");
    temp_tree_folder(tree, "folder.glb");
    temp_tree_link(tree, "link.glb", "a.glb");
    temp_tree_link(tree, "loop", ".");
}

#define ALL "a-1.glb a.glb a/b/deep.glb a/z.glb a0.glb b/alone.md5anim b/bob.md5mesh \xc3\xa4.glb"

TEST(walk_lists_models_by_path)
{
    struct temp_tree tree;
    plant(&tree);
    assert_string_equal(walk(&tree, (struct walk_filter){0}, NULL), ALL);
    assert_string_equal(walk(&tree, (struct walk_filter){.prefix = "a/"}, NULL), "a/b/deep.glb a/z.glb");
    assert_string_equal(walk(&tree, (struct walk_filter){.prefix = "a/b/de"}, NULL), "a/b/deep.glb");
    assert_string_equal(walk(&tree, (struct walk_filter){.prefix = "b/bob."}, NULL), "b/bob.md5mesh");
    assert_string_equal(walk(&tree, (struct walk_filter){.prefix = "nothing"}, NULL), "");
    assert_string_equal(walk(&tree, (struct walk_filter){.after = "a/c"}, NULL),
                        "a/z.glb a0.glb b/alone.md5anim b/bob.md5mesh \xc3\xa4.glb");
    assert_string_equal(walk(&tree, (struct walk_filter){.after = "\xc3\xa4.glb"}, NULL), "");
    temp_tree_fini(&tree);
}

/* Pages of every size put together are the whole list, and the last one says that it is. */
TEST(walk_pages_join_to_the_whole)
{
    struct temp_tree tree;
    plant(&tree);
    for (size_t limit = 1; limit <= 9; limit++) {
        char joined[1024] = "", after[256] = "";
        for (bool has_more = true; has_more;) {
            const char *page = walk(&tree, (struct walk_filter){.after = after, .limit = limit}, &has_more);
            if (joined[0] != '\0')
                strcat(joined, " ");
            strcat(joined, page);
            const char *last = strrchr(page, ' ');
            snprintf(after, sizeof after, "%s", last != NULL ? last + 1 : page);
        }
        assert_string_equal(joined, ALL);
    }
    temp_tree_fini(&tree);
}

TEST(walk_without_descriptors_is_no_page)
{
    struct temp_tree tree;
    struct walk_page page;
    plant(&tree);
    temp_tree_starve();
    walk_models(tree.fd, &(struct walk_filter){.prefix = "", .after = "", .limit = 9}, &page);
    temp_tree_feed();
    assert_true(page.is_starved);
    walk_page_fini(&page);
    walk_models(tree.fd, &(struct walk_filter){.prefix = "", .after = "", .limit = 9}, &page);
    assert_false(page.is_starved);
    assert_int_equal(page.count, 8);
    walk_page_fini(&page);
    temp_tree_fini(&tree);
}

/* Sixty-four folders are walked; what lies deeper is left out, and said. */
TEST(walk_ends_at_a_depth)
{
    struct temp_tree tree;
    struct walk_page page;
    const struct walk_filter query = {.prefix = "", .after = "", .limit = 10};
    char path[256] = "";
    temp_tree_init(&tree);
    for (int i = 0; i < 64; i++)
        strcat(path, "d/");
    strcat(path, "a.glb");
    temp_tree_file(&tree, path, "");
    walk_models(tree.fd, &query, &page);
    assert_int_equal(page.count, 1);
    assert_string_equal(page.files[0].path, path);
    assert_null(page.deep);
    walk_page_fini(&page);
    strcpy(strrchr(path, '/'), "/d/a.glb");
    temp_tree_file(&tree, path, "");
    walk_models(tree.fd, &query, &page);
    assert_int_equal(page.count, 1);
    assert_false(page.is_cut);
    *(strrchr(path, '/') + 1) = '\0';
    assert_string_equal(page.deep, path);
    walk_page_fini(&page);
    temp_tree_fini(&tree);
}

static void check_nearest(const struct temp_tree *tree, const char *path, const char *expected)
{
    char *found = walk_nearest(tree->fd, path);
    if (expected == NULL && found != NULL)
        fail_msg("'%s' for '%s'", found, path);
    if (expected != NULL)
        assert_string_equal(found == NULL ? "none" : found, expected);
    free(found);
}

TEST(walk_nearest_is_what_a_typo_meant)
{
    struct temp_tree tree;
    plant(&tree);
    temp_tree_file(&tree, "rigs/Soldier_Idle.fbx", "");
    temp_tree_file(&tree, "rigs/soldier_idle2.fbx", "");
    check_nearest(&tree, "rigs/soldier_idel.fbx", "rigs/Soldier_Idle.fbx");
    check_nearest(&tree, "rigs/SOLDIER_IDLE", "rigs/Soldier_Idle.fbx");
    check_nearest(&tree, "rigs/soldier_idle.glb", "rigs/Soldier_Idle.fbx");
    check_nearest(&tree, "a", "a.glb");
    check_nearest(&tree, "rigs/dragon.fbx", NULL);
    check_nearest(&tree, "rigs/", NULL);
    check_nearest(&tree, "rgis/Soldier_Idle.fbx", NULL);
    temp_tree_fini(&tree);
}

/* It tells no name that the list of models lacks. */
TEST(walk_nearest_is_in_the_list)
{
    struct temp_tree tree;
    plant(&tree);
    check_nearest(&tree, "b/bob.md5anm", "b/bob.md5mesh");
    check_nearest(&tree, "readme.txd", NULL);
    check_nearest(&tree, "hidden.glb", NULL);
    check_nearest(&tree, ".hidden/y.glb", NULL);
    check_nearest(&tree, "a/.hidden/y.glb", NULL);
    check_nearest(&tree, "loop/a1.glb", NULL);
    check_nearest(&tree, "lnik.glb", NULL);
    check_nearest(&tree, "floder.glb", NULL);
    temp_tree_fini(&tree);
}

TEST(walk_nearest_without_descriptors_is_none)
{
    struct temp_tree tree;
    plant(&tree);
    temp_tree_starve();
    char *found = walk_nearest(tree.fd, "a2.glb");
    temp_tree_feed();
    assert_null(found);
    temp_tree_fini(&tree);
}
