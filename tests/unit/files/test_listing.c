/* The contents of a listing, and when it is no longer current. */
#include "tests/unit/support/check.h"
#include "tests/unit/support/temp_tree.h"

#include "daemon/model/listing.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void plant(struct temp_tree *tree)
{
    temp_tree_init(tree);
    temp_tree_file(tree, "a-1/x.glb", "12");
    temp_tree_file(tree, "a/b/deep.glb", "123");
    temp_tree_file(tree, "a/z.glb", "1");
    temp_tree_file(tree, "a0.glb", "");
    temp_tree_file(tree, "c/d/e.glb", "1234");
    temp_tree_folder(tree, "empty");
}

/* "path:own/total/bytes", joined by spaces. */
static const char *folders_of(const struct listing *listing)
{
    static char text[1024];
    size_t size = 0;
    for (size_t i = 0; i < listing->folder_count; i++) {
        const struct listed_folder *folder = &listing->folders[i];
        size += (size_t)snprintf(text + size, sizeof text - size, "%s%s:%d/%d/%d", i > 0 ? " " : "", folder->path,
                                 (int)folder->model_count, (int)folder->total_count, (int)folder->size_bytes);
    }
    return text;
}

TEST(a_listing_counts_the_models_of_folders)
{
    struct temp_tree tree;
    plant(&tree);
    struct listing *listing = listing_make(tree.fd, NULL);
    assert_int_equal(listing->page.count, 5);
    assert_string_equal(folders_of(listing), ":1/5/0 a-1/:1/1/2 a/:1/2/1 a/b/:1/1/3 c/:0/1/0 c/d/:1/1/4");
    assert_int_equal(listing_first_file(listing, "", ""), 0);
    assert_int_equal(listing_first_file(listing, "a/", ""), 1);
    assert_int_equal(listing_first_file(listing, "", "a/z.glb"), 3);
    assert_int_equal(listing_first_file(listing, "zz", ""), 5);
    assert_int_equal(listing_first_folder(listing, "", NULL), 0);
    assert_int_equal(listing_first_folder(listing, "", ""), 1);
    assert_int_equal(listing_first_folder(listing, "c/", NULL), 4);
    listing_unref(listing);
    temp_tree_fini(&tree);
}

TEST(a_folder_has_another_version_when_its_own_files_change)
{
    struct temp_tree tree;
    plant(&tree);
    struct listing *before = listing_make(tree.fd, NULL), *same = listing_make(tree.fd, NULL);
    assert_true(before->version == same->version);
    temp_tree_file(&tree, "a/b/deep.glb", "1234");
    struct listing *after = listing_make(tree.fd, NULL);
    assert_true(before->version != after->version);
    for (size_t i = 0; i < before->folder_count; i++)
        assert_int_equal(before->folders[i].version == after->folders[i].version,
                         strcmp(before->folders[i].path, "a/b/") != 0);
    listing_unref(before);
    listing_unref(same);
    listing_unref(after);
    temp_tree_fini(&tree);
}

static void on_changed(void *user __attribute__((unused))) {}

TEST(a_listing_is_current_until_a_folder_has_an_event)
{
    struct temp_tree tree;
    uv_loop_t loop;
    plant(&tree);
    uv_loop_init(&loop);
    struct folder_watch *watch = folder_watch_new(&loop, on_changed, NULL);
    static const char *const CHANGED[] = {"new.glb", "a/b/deep.glb", "empty/new.glb"};
    for (size_t i = 0; i < sizeof CHANGED / sizeof *CHANGED; i++) {
        struct listing *listing = listing_make(tree.fd, listing_watch(watch));
        assert_non_null(listing->set);
        folder_watch_drain(watch);
        assert_true(listing_is_current(listing, 0));
        temp_tree_file(&tree, CHANGED[i], "other");
        folder_watch_drain(watch);
        assert_false(listing_is_current(listing, 0));
        listing_unref(listing);
    }
    assert_int_equal(folder_watch_count(watch), 0);
    folder_watch_close(watch);
    folder_watch_unref(watch);
    uv_run(&loop, UV_RUN_DEFAULT);
    uv_loop_close(&loop);
    temp_tree_fini(&tree);
}

TEST(without_events_a_listing_is_current_for_some_time)
{
    struct temp_tree tree;
    plant(&tree);
    struct listing *listing = listing_make(tree.fd, NULL);
    assert_true(listing_is_current(listing, UINT64_MAX));
    listing->made_ms = listing->begun_ms;
    assert_false(listing_is_current(listing, 0));
    listing->begun_ms -= 100;
    listing->made_ms = listing->begun_ms + 50; /* such a walk is not repeated so soon */
    assert_true(listing_is_current(listing, 0));
    listing->page.is_starved = true;
    assert_false(listing_is_current(listing, UINT64_MAX));
    listing_unref(listing);
    temp_tree_fini(&tree);
}
