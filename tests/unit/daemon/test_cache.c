/* The cache over real files and a fake importer: the results for waiting requests, and when a model is imported again.
 */
#include "daemon/threads/work.h"
#include "daemon/cache/cache.h"
#include "base/container_of.h"
#include "tests/unit/support/check.h"
#include "tests/unit/support/fake_imports.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct client {
    struct cache_waiter waiter;
    struct imported_model *imported; /* a reference, or NULL */
    int code, answers;
};

static struct stand {
    struct temp_tree root;
    uv_loop_t loop;
    uv_async_t keep_alive; /* a loop without it takes no turn when the cache waits for events alone */
    struct config config;
    struct cache *cache;
    struct cache_listener listener;
    int changed, invalidated;
} stand;

static void on_changed(struct cache_listener *listener, const char *path)
{
    (void)path;
    container_of(listener, struct stand, listener)->changed++;
}

static void on_invalidated(struct cache_listener *listener, struct shared_model *shared)
{
    (void)shared;
    container_of(listener, struct stand, listener)->invalidated++;
}

/* Old enough that nobody looks for a process that writes it. */
static void write_file(const char *path, const char *text, int age_s)
{
    struct timespec times[2];
    clock_gettime(CLOCK_REALTIME, &times[0]);
    times[0].tv_sec -= age_s;
    times[1] = times[0];
    temp_tree_file(&stand.root, path, text);
    assert_int_equal(utimensat(stand.root.fd, path, times, 0), 0);
}

static void setup(enum watch_mode watch)
{
    stand = (struct stand){.listener = {.changed = on_changed, .invalidated = on_invalidated}};
    temp_tree_init(&stand.root);
    uv_loop_init(&stand.loop);
    uv_async_init(&stand.loop, &stand.keep_alive, NULL);
    limits_default(&stand.config.limits);
    stand.config.limits.value[LIMIT_SETTLE_TIME_MS] = 2000;
    stand.config.root = stand.root.path;
    stand.config.watch = watch;
    stand.config.cache_bytes = 1 << 30;
    stand.config.models_max = 100;
    stand.cache = cache_new(&stand.loop, &stand.config, fake_imports(&stand.root), stand.root.fd, NULL);
    cache_listen(stand.cache, &stand.listener);
    for (const char *name = "abc"; *name != '\0'; name++)
        write_file((char[]){*name, '.', 'g', 'l', 'b', '\0'}, "model", 3600);
}

static void teardown(void)
{
    cache_free(stand.cache);
    uv_close((uv_handle_t *)&stand.keep_alive, NULL);
    uv_run(&stand.loop, UV_RUN_DEFAULT);
    work_loop_close(&stand.loop);
    assert_int_equal(uv_loop_close(&stand.loop), 0);
    temp_tree_fini(&stand.root);
}

static void on_ready(struct cache_waiter *waiter, struct imported_model *imported, const struct err *err)
{
    struct client *client = container_of(waiter, struct client, waiter);
    client->answers++;
    client->imported = imported == NULL ? NULL : imported_model_ref(imported);
    client->code = imported == NULL ? err->code : 0;
}

/* Returns true if the answer was there at once. */
static bool ask(struct client *client, const char *path)
{
    struct err err = {0};
    *client = (struct client){.waiter.ready = on_ready};
    cache_next_tick(stand.cache);
    const int rc = cache_get(stand.cache, path, &client->waiter, &client->imported, &err);
    client->answers = rc != 0;
    client->code = rc < 0 ? rc : 0;
    return rc != 0;
}

static void end(struct client *client)
{
    imported_model_unref(client->imported);
    client->imported = NULL;
}

static void turn(void)
{
    cache_next_tick(stand.cache);
    uv_run(&stand.loop, UV_RUN_NOWAIT);
    usleep(1000);
}

#define UNTIL(condition)                                                                                               \
    do {                                                                                                               \
        for (int turns = 0; turns < 5000 && !(condition); turns++)                                                     \
            turn();                                                                                                    \
        assert_true(condition);                                                                                        \
    } while (0)

/* Brings a model into memory. */
static void fill(const char *path)
{
    struct client client;
    const uint32_t before = fake.submitted;
    assert_false(ask(&client, path));
    UNTIL(fake.submitted > before);
    fake_end_well();
    UNTIL(client.answers == 1);
    assert_non_null(client.imported);
    end(&client);
}

static enum cache_state state_of(const char *path)
{
    struct stat file;
    assert_int_equal(fstatat(stand.root.fd, path, &file, 0), 0);
    const struct stamp stamp = stamp_of(&file);
    return cache_describe(stand.cache, path, &stamp).state;
}

TEST(cache_shares_one_import_between_waiters)
{
    struct client first, second, third, fourth;
    setup(WATCH_AUTO);
    assert_false(ask(&first, "a.glb"));
    assert_false(ask(&second, "a.glb"));
    UNTIL(fake.submitted == 1);
    assert_int_equal(state_of("a.glb"), CACHE_IMPORTING);
    fake_begin();
    assert_false(ask(&third, "a.glb")); /* too late for this import: it may have read the file already */
    fake_end_well();
    UNTIL(third.answers == 1);
    assert_int_equal(fake.submitted, 1);
    assert_true(first.answers == 1 && second.answers == 1);
    assert_ptr_equal(first.imported, second.imported);
    assert_ptr_equal(first.imported, third.imported);
    assert_int_equal(first.waiter.origin, MODEL_IMPORTED);
    assert_true(first.waiter.waited_to_ns > 0);
    assert_int_equal(third.waiter.origin, MODEL_IN_MEMORY);
    assert_true(ask(&fourth, "a.glb"));
    assert_ptr_equal(fourth.imported, first.imported);
    assert_int_equal(state_of("a.glb"), CACHE_READY);
    end(&first), end(&second), end(&third), end(&fourth);
    teardown();
}

TEST(cache_remembers_a_failure_until_the_file_changes)
{
    struct client client;
    setup(WATCH_AUTO);
    assert_false(ask(&client, "a.glb"));
    UNTIL(fake.submitted == 1);
    fake_end_badly(ERR_BAD_MODEL);
    UNTIL(client.answers == 1);
    assert_int_equal(client.code, ERR_BAD_MODEL);
    for (int i = 0; i < 3; i++) {
        assert_true(ask(&client, "a.glb"));
        assert_int_equal(client.code, ERR_BAD_MODEL);
    }
    assert_int_equal(state_of("a.glb"), CACHE_FAILED);
    usleep(300000); /* FAILED_REST_MS */
    write_file("a.glb", "another model", 3600);
    assert_false(ask(&client, "a.glb"));
    UNTIL(fake.submitted == 2);
    fake_end_well();
    UNTIL(client.answers == 1);
    assert_non_null(client.imported);
    end(&client);
    teardown();
}

TEST(cache_forgets_failures_that_are_not_about_the_model)
{
    struct client client;
    setup(WATCH_AUTO);
    for (uint32_t count = 1; count <= 2; count++) {
        assert_false(ask(&client, "a.glb"));
        UNTIL(fake.submitted == count);
        fake_end_badly(ERR_OVERLOADED);
        UNTIL(client.answers == 1);
        assert_int_equal(client.code, ERR_OVERLOADED);
        assert_int_equal(state_of("a.glb"), CACHE_NEW);
    }
    fake.is_full = true;
    assert_false(ask(&client, "a.glb"));
    UNTIL(client.answers == 1);
    assert_int_equal(client.code, ERR_OVERLOADED);
    assert_int_equal(state_of("a.glb"), CACHE_NEW);
    teardown();
}

TEST(cache_imports_again_what_changed_during_the_import)
{
    struct client before, after;
    setup(WATCH_AUTO);
    assert_false(ask(&before, "a.glb"));
    UNTIL(fake.submitted == 1);
    fake_begin();
    write_file("a.glb", "another model", 3600);
    assert_false(ask(&after, "a.glb"));
    fake_end_well();
    UNTIL(before.answers == 1);
    assert_int_equal(after.answers, 0);
    UNTIL(fake.submitted == 2); /* for the request that came after the change */
    fake_end_well();
    UNTIL(after.answers == 1);
    assert_ptr_not_equal(before.imported, after.imported);
    assert_int_equal(before.imported->ref_count, 1);
    end(&before), end(&after);
    teardown();
}

TEST(cache_tries_again_when_the_file_changed_during_a_failing_import)
{
    struct client client;
    setup(WATCH_AUTO);
    assert_false(ask(&client, "a.glb"));
    UNTIL(fake.submitted == 1);
    fake_begin();
    write_file("a.glb", "a whole model", 3600);
    fake_end_badly(ERR_BAD_MODEL);
    UNTIL(fake.submitted == 2);
    assert_int_equal(client.answers, 0);
    fake_end_well();
    UNTIL(client.answers == 1);
    assert_non_null(client.imported);
    end(&client);
    teardown();
}

TEST(cache_waits_for_the_writer_of_a_file)
{
    struct client client, late;
    setup(WATCH_AUTO);
    write_file("a.glb", "half a mod", 0);
    const int fd = openat(stand.root.fd, "a.glb", O_WRONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_false(ask(&client, "a.glb"));
    for (int i = 0; i < 100; i++)
        turn();
    assert_int_equal(fake.submitted, 0);
    assert_int_equal(state_of("a.glb"), CACHE_IMPORTING);
    close(fd);
    UNTIL(fake.submitted == 1);
    fake_end_well();
    UNTIL(client.answers == 1);
    end(&client);
    /* the model is answered while its next version is written, and the change is noticed without a request */
    const int next = openat(stand.root.fd, "a.glb", O_WRONLY | O_CLOEXEC);
    assert_int_equal(write(next, "model 2", 7), 7);
    assert_false(ask(&late, "a.glb"));
    UNTIL(late.answers == 1);
    assert_non_null(late.imported);
    end(&late);
    close(next);
    UNTIL(stand.changed == 1);
    assert_int_equal(fake.submitted, 1);
    /* for ever is too long */
    write_file("b.glb", "half a mod", 0);
    const int never = openat(stand.root.fd, "b.glb", O_WRONLY | O_CLOEXEC);
    stand.config.limits.value[LIMIT_SETTLE_TIME_MS] = 300;
    assert_false(ask(&client, "b.glb"));
    UNTIL(client.answers == 1);
    assert_int_equal(client.code, ERR_MODEL_CHANGING);
    close(never);
    teardown();
}

/* The event of its close comes before the file counts as closed. Here it does not come at all: it is for the folder of
 * the name by which the writer has opened the file. */
TEST(cache_looks_for_the_writer_at_each_request)
{
    struct client client;
    struct temp_tree elsewhere;
    setup(WATCH_AUTO);
    temp_tree_init(&elsewhere);
    fill("a.glb");
    assert_int_equal(linkat(stand.root.fd, "a.glb", elsewhere.fd, "a.glb", 0), 0);
    const int fd = openat(elsewhere.fd, "a.glb", O_WRONLY | O_CLOEXEC);
    assert_int_equal(write(fd, "model 2", 7), 7);
    assert_int_equal(fchmodat(stand.root.fd, "a.glb", 0600, 0), 0); /* an event */
    for (int i = 0; i < 2; i++) {
        assert_false(ask(&client, "a.glb"));
        UNTIL(client.answers == 1);
        assert_non_null(client.imported);
        end(&client);
    }
    assert_int_equal(fake.submitted, 1);
    close(fd);
    assert_false(ask(&client, "a.glb"));
    UNTIL(fake.submitted == 2);
    fake_end_well();
    UNTIL(client.answers == 1);
    end(&client);
    temp_tree_fini(&elsewhere);
    teardown();
}

TEST(cache_evicts_the_least_recently_used)
{
    struct client client;
    setup(WATCH_AUTO);
    stand.config.models_max = 2;
    fill("a.glb");
    fill("b.glb");
    assert_true(ask(&client, "a.glb"));
    end(&client);
    fill("c.glb");
    assert_int_equal(state_of("a.glb"), CACHE_READY);
    assert_int_equal(state_of("b.glb"), CACHE_NEW);
    assert_int_equal(state_of("c.glb"), CACHE_READY);
    teardown();
}

TEST(cache_sees_what_other_threads_use)
{
    setup(WATCH_AUTO);
    stand.config.models_max = 2;
    fill("a.glb");
    fill("b.glb");
    struct shared_model *a = cache_share(stand.cache, "a.glb"), *b = cache_share(stand.cache, "b.glb");
    assert_true(a != NULL && b != NULL);
    shared_model_touch(b, cache_now_ms());
    shared_model_touch(a, cache_now_ms() + 1);
    fill("c.glb");
    assert_int_equal(state_of("a.glb"), CACHE_READY);
    assert_int_equal(state_of("b.glb"), CACHE_NEW);
    assert_int_equal(stand.invalidated, 1);
    assert_true(shared_model_is_current(a, cache_now_ms()));
    assert_false(shared_model_is_current(b, cache_now_ms()));
    shared_model_unref(a);
    shared_model_unref(b);
    teardown();
}

TEST(cache_invalidates_what_others_hold)
{
    struct client client, again;
    setup(WATCH_AUTO);
    fill("a.glb");
    struct shared_model *shared = cache_share(stand.cache, "a.glb"), *same = cache_share(stand.cache, "a.glb");
    assert_non_null(shared);
    assert_ptr_equal(shared, same);
    shared_model_unref(same);
    assert_true(shared_model_is_current(shared, cache_now_ms()));
    write_file("a.glb", "another model", 3600);
    assert_false(ask(&client, "a.glb")); /* reads the events */
    assert_false(shared_model_is_current(shared, cache_now_ms()));
    assert_null(cache_share(stand.cache, "a.glb"));
    UNTIL(fake.submitted == 2);
    assert_true(stand.changed == 1 && stand.invalidated == 1);
    assert_int_equal(shared->imported->ref_count, 1); /* the holder's alone: still there, and still readable */
    assert_int_equal(shared->imported->model.node_count, 1);
    fake_end_well();
    UNTIL(client.answers == 1);
    assert_true(ask(&again, "a.glb"));
    assert_ptr_not_equal(again.imported, shared->imported);
    shared_model_unref(shared);
    end(&client), end(&again);
    teardown();
}

TEST(cache_notices_changes_without_a_request)
{
    setup(WATCH_AUTO);
    fill("a.glb");
    write_file("b.glb", "beside it", 3600);
    write_file("a.glb", "another model", 3600);
    UNTIL(stand.changed == 1);
    assert_int_equal(state_of("a.glb"), CACHE_NEW);
    assert_int_equal(unlinkat(stand.root.fd, "a.glb", 0), 0);
    fill("b.glb");
    assert_int_equal(unlinkat(stand.root.fd, "b.glb", 0), 0);
    UNTIL(stand.changed == 2);
    teardown();
}

TEST(cache_has_a_model_whose_files_are_checked)
{
    struct client client;
    setup(WATCH_AUTO);
    assert_false(cache_has(stand.cache, "a.glb"));
    fill("a.glb");
    stand.config.limits.value[LIMIT_WATCH_TIME_MS] = 0;
    assert_true(ask(&client, "a.glb")); /* and begins a look */
    assert_true(cache_has(stand.cache, "a.glb"));
    end(&client);
    teardown();
}

TEST(cache_without_events_looks_when_asked)
{
    struct client client;
    setup(WATCH_POLL);
    stand.config.limits.value[LIMIT_WATCH_TIME_MS] = 1000000;
    fill("a.glb");
    assert_true(ask(&client, "a.glb"));
    end(&client);
    stand.config.limits.value[LIMIT_WATCH_TIME_MS] = 0;
    assert_null(cache_share(stand.cache, "a.glb"));
    assert_false(ask(&client, "a.glb"));
    assert_true(cache_has(stand.cache, "a.glb")); /* while a work thread looks at the file, too */
    UNTIL(client.answers == 1);
    assert_int_equal(fake.submitted, 1);
    end(&client);
    assert_int_equal(unlinkat(stand.root.fd, "a.glb", 0), 0);
    assert_false(ask(&client, "a.glb"));
    UNTIL(client.answers == 1);
    assert_int_equal(client.code, ERR_MODEL_NOT_FOUND);
    assert_int_equal(stand.changed, 1);
    teardown();
}

TEST(cache_drops_an_import_without_waiters)
{
    struct client first, second;
    setup(WATCH_AUTO);
    assert_false(ask(&first, "a.glb"));
    assert_false(ask(&second, "a.glb"));
    UNTIL(fake.submitted == 1);
    cache_cancel(&first.waiter);
    assert_int_equal(fake.dropped, 0);
    cache_cancel(&second.waiter);
    assert_int_equal(fake.dropped, 1);
    assert_int_equal(state_of("a.glb"), CACHE_NEW);
    /* a running one goes on, because its result is kept */
    assert_false(ask(&first, "a.glb"));
    UNTIL(fake.submitted == 2);
    fake_begin();
    assert_true(fake.jobs[1]->is_wanted(fake.jobs[1]));
    cache_cancel(&first.waiter);
    assert_false(fake.jobs[1]->is_wanted(fake.jobs[1]));
    fake_end_well();
    UNTIL(state_of("a.glb") == CACHE_READY);
    assert_true(first.answers == 0 && second.answers == 0);
    assert_true(ask(&first, "a.glb"));
    end(&first);
    teardown();
}

TEST(cache_takes_an_offered_model_instead_of_an_import)
{
    struct client client;
    setup(WATCH_AUTO);
    fill("a.glb");
    assert_true(ask(&client, "a.glb"));
    struct imported_model *offered = client.imported;
    /* the same file under another name would need another import; under its own name it needs none after a while */
    cache_free(stand.cache);
    stand.cache = cache_new(&stand.loop, &stand.config, fake_imports(&stand.root), stand.root.fd, NULL);
    cache_offer(stand.cache, "a.glb", offered);
    assert_false(ask(&client, "a.glb"));
    UNTIL(client.answers == 1);
    assert_int_equal(fake.submitted, 0);
    assert_ptr_equal(client.imported, offered);
    end(&client);
    /* an offer of outdated content goes unused */
    write_file("a.glb", "another model", 3600);
    cache_offer(stand.cache, "a.glb", offered);
    assert_false(ask(&client, "a.glb"));
    UNTIL(fake.submitted == 1);
    fake_end_well();
    UNTIL(client.answers == 1);
    assert_ptr_not_equal(client.imported, offered);
    end(&client);
    cache_free(stand.cache);
    stand.cache = NULL;
    assert_int_equal(offered->ref_count, 1);
    imported_model_unref(offered);
    teardown();
}

TEST(cache_ends_while_work_is_under_way)
{
    struct client looking, importing;
    setup(WATCH_AUTO);
    assert_false(ask(&importing, "a.glb"));
    UNTIL(fake.submitted == 1);
    assert_false(ask(&looking, "b.glb"));
    teardown();
    assert_true(looking.answers == 0 && importing.answers == 0);
}

TEST(shared_model_is_current_for_a_time)
{
    struct shared_model shared = {.good_until_ms = 100};
    assert_true(shared_model_is_current(&shared, 0));
    assert_true(shared_model_is_current(&shared, 99));
    assert_false(shared_model_is_current(&shared, 100));
    shared.good_until_ms = 0; /* it is invalid */
    assert_false(shared_model_is_current(&shared, 0));
}
