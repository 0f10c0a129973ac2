/* The kernel's events about folders, and that no change is ever missed. */
#include "tests/unit/support/check.h"
#include "tests/unit/support/temp_tree.h"

#include "daemon/model/folder_watch.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct stand {
    struct temp_tree tree;
    uv_loop_t loop;
    struct folder_watch *watch;
    int told;
};

static void on_changed(void *user) { ++*(int *)user; }

static void setup(struct stand *stand)
{
    *stand = (struct stand){0};
    temp_tree_init(&stand->tree);
    uv_loop_init(&stand->loop);
    stand->watch = folder_watch_new(&stand->loop, on_changed, &stand->told);
    assert_non_null(stand->watch);
    temp_tree_file(&stand->tree, "a/b/m.glb", "x");
    temp_tree_file(&stand->tree, "other/m.glb", "x");
}

static void teardown(struct stand *stand)
{
    folder_watch_close(stand->watch);
    folder_watch_unref(stand->watch);
    uv_run(&stand->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&stand->loop), 0);
    temp_tree_fini(&stand->tree);
}

static struct folder_watch_set *take(struct stand *stand, const char *path)
{
    struct folder_watch_set *set = folder_watch_take(stand->watch, stand->tree.fd, path, NULL);
    assert_non_null(set);
    folder_watch_drain(stand->watch);
    return set;
}

/* Whether something was counted since `*count`, which moves on. */
static bool has_changed(struct stand *stand, const struct folder_watch_set *set, uint64_t *count)
{
    folder_watch_drain(stand->watch);
    const uint64_t now = folder_watch_set_count(set);
    const bool is_changed = now != *count;
    *count = now;
    return is_changed;
}

TEST(watch_counts_changes_at_once)
{
    struct stand stand;
    setup(&stand);
    struct folder_watch_set *set = take(&stand, "a/b/m.glb");
    assert_int_equal(folder_watch_count(stand.watch), 3);
    uint64_t count = folder_watch_set_count(set);
    assert_false(has_changed(&stand, set, &count));
    temp_tree_file(&stand.tree, "a/b/m.glb", "y");
    assert_true(has_changed(&stand, set, &count));
    temp_tree_file(&stand.tree, "a/b/new.png", "y");
    assert_true(has_changed(&stand, set, &count));
    assert_int_equal(unlinkat(stand.tree.fd, "a/b/new.png", 0), 0);
    assert_true(has_changed(&stand, set, &count));
    assert_int_equal(renameat(stand.tree.fd, "other/m.glb", stand.tree.fd, "a/b/m.glb"), 0);
    assert_true(has_changed(&stand, set, &count));
    assert_int_equal(fchmodat(stand.tree.fd, "a/b/m.glb", 0600, 0), 0);
    assert_true(has_changed(&stand, set, &count));
    temp_tree_file(&stand.tree, "other/m.glb", "y"); /* in another folder */
    assert_false(has_changed(&stand, set, &count));
    assert_true(stand.told >= 5 && folder_watch_set_is_live(set));
    folder_watch_set_unref(set);
    assert_int_equal(folder_watch_count(stand.watch), 0);
    teardown(&stand);
}

TEST(watch_shares_folders)
{
    struct stand stand;
    setup(&stand);
    struct folder_watch_set *one = take(&stand, "a/b/m.glb"), *other = take(&stand, "a/n.glb");
    assert_int_equal(folder_watch_count(stand.watch), 3);
    folder_watch_set_unref(one);
    assert_int_equal(folder_watch_count(stand.watch), 2);
    uint64_t count = folder_watch_set_count(other);
    temp_tree_file(&stand.tree, "a/n.glb", "y");
    assert_true(has_changed(&stand, other, &count));
    folder_watch_set_unref(other);
    teardown(&stand);
}

TEST(watch_notices_folders_that_go_and_come)
{
    struct stand stand;
    setup(&stand);
    struct folder_watch_set *set = take(&stand, "a/b/m.glb");
    uint64_t count = folder_watch_set_count(set);
    assert_int_equal(renameat(stand.tree.fd, "a", stand.tree.fd, "z"), 0);
    assert_true(has_changed(&stand, set, &count));
    assert_false(folder_watch_set_is_live(set));

    struct folder_watch_set *moved = take(&stand, "z/b/m.glb");
    temp_tree_file(&stand.tree, "a/b/m.glb", "new");
    struct folder_watch_set *made = take(&stand, "a/b/m.glb");
    uint64_t moved_count = folder_watch_set_count(moved), made_count = folder_watch_set_count(made);
    temp_tree_file(&stand.tree, "z/b/m.glb", "y");
    assert_true(has_changed(&stand, moved, &moved_count));
    assert_false(has_changed(&stand, made, &made_count));
    temp_tree_file(&stand.tree, "a/b/m.glb", "y");
    assert_true(has_changed(&stand, made, &made_count));
    assert_true(folder_watch_set_is_live(moved) && folder_watch_set_is_live(made) && !folder_watch_set_is_live(set));
    folder_watch_set_unref(set);
    folder_watch_set_unref(moved);
    folder_watch_set_unref(made);
    teardown(&stand);
}

/* The old watch was not read yet when the folder of the same path is taken. */
TEST(watch_of_a_moved_folder_is_not_believed)
{
    struct stand stand;
    setup(&stand);
    struct folder_watch_set *set = take(&stand, "a/b/m.glb");
    assert_int_equal(renameat(stand.tree.fd, "a", stand.tree.fd, "z"), 0);
    temp_tree_file(&stand.tree, "a/b/m.glb", "new");
    struct folder_watch_set *again = folder_watch_take(stand.watch, stand.tree.fd, "a/b/m.glb", NULL);
    assert_non_null(again);
    const uint64_t count = folder_watch_set_count(again);
    folder_watch_drain(stand.watch);
    assert_true(folder_watch_set_count(again) != count && !folder_watch_set_is_live(again));
    folder_watch_set_unref(set);
    folder_watch_set_unref(again);
    teardown(&stand);
}

TEST(watch_sees_a_missing_folder_appear)
{
    struct stand stand;
    setup(&stand);
    struct sources *sources = sources_new(1);
    sources->items[0] = (struct source){.path = strdup("a/tex/deep/skin.png"), .is_missing = true};
    struct folder_watch_set *set = folder_watch_take(stand.watch, stand.tree.fd, "a/b/m.glb", sources);
    assert_non_null(set);
    uint64_t count = folder_watch_set_count(set);
    temp_tree_file(&stand.tree, "a/tex/deep/skin.png", "png");
    assert_true(has_changed(&stand, set, &count));
    folder_watch_set_unref(set);
    sources_free(sources);
    teardown(&stand);
}

TEST(watch_reset_kills_all)
{
    struct stand stand;
    setup(&stand);
    struct folder_watch_set *set = take(&stand, "a/b/m.glb");
    folder_watch_reset(stand.watch);
    assert_false(folder_watch_set_is_live(set));
    struct folder_watch_set *again = take(&stand, "a/b/m.glb");
    uint64_t count = folder_watch_set_count(again);
    temp_tree_file(&stand.tree, "a/b/m.glb", "y");
    assert_true(has_changed(&stand, again, &count));
    folder_watch_set_unref(set);
    folder_watch_set_unref(again);
    teardown(&stand);
}

TEST(watch_is_quiet_once_all_that_happened_is_counted)
{
    struct stand s;
    setup(&s);
    struct folder_watch_set *set = take(&s, "a/b/m.glb");
    const uint64_t count = folder_watch_set_count(set);
    assert_true(folder_watch_set_is_quiet(set));
    temp_tree_file(&s.tree, "a/b/m.glb", "xy");
    assert_false(folder_watch_set_is_quiet(set));
    assert_int_equal(folder_watch_set_count(set), count); /* nobody has read it */
    folder_watch_drain(s.watch);
    assert_true(folder_watch_set_is_quiet(set));
    assert_true(folder_watch_set_count(set) > count);
    folder_watch_set_unref(set);
    teardown(&s);
}

struct drainer {
    struct folder_watch *watch;
    atomic_bool is_over;
};

static void *drain_on(void *user)
{
    struct drainer *drainer = user;
    while (!atomic_load(&drainer->is_over)) {
        folder_watch_drain(drainer->watch);
        usleep(10);
    }
    return NULL;
}

/* Other loops take no lock, and do not wait for the thread that reads. */
TEST(watch_hides_no_change_from_other_threads)
{
    struct stand s;
    setup(&s);
    struct folder_watch_set *set = take(&s, "a/b/m.glb");
    struct drainer drainer = {.watch = s.watch};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, drain_on, &drainer), 0);
    for (int i = 0; i < 300; i++) {
        const uint64_t before = folder_watch_set_count(set);
        temp_tree_file(&s.tree, "a/b/m.glb", "xyz");
        const bool is_quiet = folder_watch_set_is_quiet(set);
        assert_true(!is_quiet || folder_watch_set_count(set) != before);
        while (!folder_watch_set_is_quiet(set))
            usleep(10);
    }
    atomic_store(&drainer.is_over, true);
    pthread_join(thread, NULL);
    folder_watch_set_unref(set);
    teardown(&s);
}

TEST(watch_without_descriptors_says_so)
{
    struct stand stand;
    setup(&stand);
    temp_tree_starve();
    errno = 0;
    struct folder_watch_set *set = folder_watch_take(stand.watch, stand.tree.fd, "a/b/m.glb", NULL);
    const int error = errno;
    temp_tree_feed();
    assert_null(set);
    assert_true(err_is_shortage(error));
    folder_watch_set_unref(take(&stand, "a/b/m.glb"));
    teardown(&stand);
}
