/* The pool of importers with programs that obey the test: jobs that wait, are refused, end, or time out. */
#include "tests/unit/support/check.h"
#include "tests/unit/support/run_loop.h"
#include "tests/unit/support/stand_in.h"

#include "base/container_of.h"
#include "daemon/importer/import_pool.h"
#include "daemon/support/log.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct stand {
    uv_loop_t loop;
    struct temp_tree tree;
    struct config config;
    struct import_pool *pool;
    int done_count; /* of all jobs */
};

struct waiter {
    struct import_job job;
    struct stand *stand;
    bool is_unwanted;
    bool ends_hurry; /* those behind it have the usual time */
    int started_count, done_count;
    bool has_model;
    struct err err;
    char path[32];
};

static void begin(struct stand *stand, uint32_t workers, uint64_t queue)
{
    *stand = (struct stand){0};
    log_open(LOG_OFF);
    temp_tree_init(&stand->tree);
    stand_in_install(&stand->tree);
    assert_int_equal(uv_loop_init(&stand->loop), 0);
    limits_default(&stand->config.limits);
    stand->config.limits.value[LIMIT_IMPORT_QUEUE] = queue;
    stand->config.worker_dir = stand->tree.path;
    stand->config.import_workers = workers;
}

static void open_pool(struct stand *stand)
{
    stand->pool = import_pool_new(&stand->loop, &stand->config, stand->tree.fd);
}

static void end(struct stand *stand)
{
    import_pool_free(stand->pool);
    run_loop_fini(&stand->loop);
    temp_tree_fini(&stand->tree);
    log_open(LOG_TEXT);
}

static void on_starting(struct import_job *job) { container_of(job, struct waiter, job)->started_count++; }

static bool is_wanted(const struct import_job *job) { return !container_of(job, struct waiter, job)->is_unwanted; }

static void on_done(struct import_job *job, struct imported_model *imported, const struct err *err)
{
    struct waiter *waiter = container_of(job, struct waiter, job);
    waiter->done_count++;
    waiter->stand->done_count++;
    waiter->has_model = imported != NULL;
    if (imported == NULL)
        waiter->err = *err;
    imported_model_unref(imported);
    if (waiter->ends_hurry)
        waiter->stand->config.limits.value[LIMIT_IMPORT_TIME_MS] = LIMIT_INFO[LIMIT_IMPORT_TIME_MS].initial;
}

static int submit(struct stand *stand, struct waiter *waiter, const char *path)
{
    *waiter = (struct waiter){.stand = stand};
    strcpy(waiter->path, path);
    waiter->job =
        (struct import_job){.path = waiter->path, .starting = on_starting, .is_wanted = is_wanted, .done = on_done};
    return import_pool_submit(stand->pool, &waiter->job, &waiter->err);
}

/* What the programs wrote into a file of the tree, NUL-terminated. */
static const char *text_of(const struct stand *stand, const char *name)
{
    static char text[512];
    const int fd = openat(stand->tree.fd, name, O_RDONLY);
    const ssize_t got = fd >= 0 ? read(fd, text, sizeof text - 1) : 0;
    if (fd >= 0)
        close(fd);
    text[got > 0 ? got : 0] = '\0';
    return text;
}

TEST(import_pool_runs_a_few_and_refuses_beyond_its_queue)
{
    struct stand stand;
    struct waiter waiters[4];
    begin(&stand, 1, 2);
    open_pool(&stand);
    assert_int_equal(submit(&stand, &waiters[0], "wait"), 0);
    assert_int_equal(submit(&stand, &waiters[1], "good1"), 0);
    assert_int_equal(submit(&stand, &waiters[2], "good2"), 0);
    assert_int_equal(submit(&stand, &waiters[3], "good3"), ERR_OVERLOADED);
    assert_non_null(strstr(waiters[3].err.message, "good3: as many models as"));
    assert_int_equal(waiters[0].started_count, 1);
    run_loop_for(&stand.loop, 50);
    assert_int_equal(stand.done_count + waiters[1].started_count + waiters[2].started_count, 0);
    temp_tree_file(&stand.tree, "go", "");
    run_loop_until(&stand.loop, &stand.done_count, 3);
    for (int i = 0; i < 3; i++)
        assert_true(waiters[i].has_model && waiters[i].started_count == 1 && waiters[i].done_count == 1);
    assert_string_equal(text_of(&stand, "log"), "wait\ngood1\ngood2\n");
    end(&stand);
}

TEST(import_pool_has_several_workers)
{
    struct stand stand;
    struct waiter waiters[3];
    begin(&stand, 2, 2);
    open_pool(&stand);
    assert_int_equal(submit(&stand, &waiters[0], "wait"), 0);
    assert_int_equal(submit(&stand, &waiters[1], "good1"), 0);
    assert_int_equal(submit(&stand, &waiters[2], "good2"), 0);
    run_loop_until(&stand.loop, &stand.done_count, 2);
    assert_true(waiters[0].done_count == 0 && waiters[1].has_model && waiters[2].has_model);
    temp_tree_file(&stand.tree, "go", "");
    run_loop_until(&stand.loop, &stand.done_count, 3);
    end(&stand);
}

TEST(import_pool_goes_on_after_what_takes_too_long)
{
    struct stand stand;
    struct waiter waiters[3];
    begin(&stand, 1, 4);
    stand.config.limits.value[LIMIT_IMPORT_TIME_MS] = 2000;
    open_pool(&stand);
    assert_int_equal(submit(&stand, &waiters[0], "family"), 0);
    waiters[0].ends_hurry = true;
    assert_int_equal(submit(&stand, &waiters[1], "refuse"), 0);
    assert_int_equal(submit(&stand, &waiters[2], "good"), 0);
    run_loop_until(&stand.loop, &stand.done_count, 3);
    assert_int_equal(waiters[0].err.code, ERR_IMPORT_TIMEOUT);
    assert_int_equal(err_http_status(waiters[0].err.code), 503);
    assert_non_null(strstr(waiters[0].err.message, "--import-timeout 2000"));
    assert_string_equal(text_of(&stand, "log"), "family\nfamily\nrefuse\ngood\n");
    assert_int_equal(waiters[0].started_count, 1);
    assert_int_equal(waiters[1].err.code, ERR_IMPORT_CRASHED);
    assert_true(waiters[2].has_model);
    /* the process was killed with its child */
    const pid_t child = atoi(text_of(&stand, "child")); /* of the first try */
    assert_true(child > 0);
    for (int i = 0; kill(child, 0) == 0 && i < 1000; i++) { /* it may be a zombie until whoever got it looks */
        char path[64], stat[256] = "";
        snprintf(path, sizeof path, "/proc/%d/stat", (int)child);
        const int fd = open(path, O_RDONLY);
        const ssize_t got = fd >= 0 ? read(fd, stat, sizeof stat - 1) : 0;
        if (fd >= 0)
            close(fd);
        if (got > 0 && strstr(stat, ") Z") != NULL)
            break;
        assert_true(i < 999);
        usleep(1000);
    }
    end(&stand);
}

TEST(import_pool_gives_back_what_has_not_begun)
{
    struct stand stand;
    struct waiter waiters[3];
    begin(&stand, 1, 1);
    open_pool(&stand);
    assert_int_equal(submit(&stand, &waiters[0], "wait"), 0);
    assert_int_equal(submit(&stand, &waiters[1], "good1"), 0);
    assert_true(import_pool_drop(stand.pool, &waiters[1].job));
    assert_int_equal(submit(&stand, &waiters[2], "good2"), 0); /* there is room again */
    assert_false(import_pool_drop(stand.pool, &waiters[0].job));
    temp_tree_file(&stand.tree, "go", "");
    run_loop_until(&stand.loop, &stand.done_count, 2);
    assert_true(waiters[0].has_model && waiters[2].has_model && waiters[1].started_count + waiters[1].done_count == 0);
    end(&stand);
}

/* A job that nobody waits for goes on, until another job needs its place. */
TEST(import_pool_ends_what_nobody_waits_for)
{
    struct stand stand;
    struct waiter waiters[2];
    begin(&stand, 1, 1);
    open_pool(&stand);
    assert_int_equal(submit(&stand, &waiters[0], "hang"), 0);
    waiters[0].is_unwanted = true;
    assert_false(import_pool_drop(stand.pool, &waiters[0].job));
    run_loop_for(&stand.loop, 50);
    assert_int_equal(stand.done_count, 0);
    assert_int_equal(submit(&stand, &waiters[1], "good"), 0);
    assert_int_equal(waiters[0].done_count, 1);
    assert_int_equal(waiters[0].err.code, ERR_OVERLOADED);
    run_loop_until(&stand.loop, &stand.done_count, 2);
    assert_true(waiters[1].has_model);
    end(&stand);
}

TEST(import_pool_without_its_program)
{
    struct stand stand;
    struct waiter waiter;
    begin(&stand, 1, 1);
    stand.config.worker_dir = "/nowhere";
    open_pool(&stand);
    assert_int_equal(submit(&stand, &waiter, "good"), 0);
    assert_int_equal(waiter.done_count, 0); /* never before the submit returns */
    run_loop_until(&stand.loop, &stand.done_count, 1);
    assert_int_equal(waiter.err.code, ERR_INTERNAL);
    assert_non_null(strstr(waiter.err.message, "/nowhere/posed-import"));
    end(&stand);
}

static size_t server_count(const struct stand *stand)
{
    size_t count = 0;
    for (const char *at = text_of(stand, "servers"); (at = strchr(at, '\n')) != NULL; at++)
        count++;
    return count;
}

TEST(import_pool_has_one_fork_server_for_many_imports)
{
    struct stand stand;
    struct waiter waiters[8];
    begin(&stand, 2, 8);
    open_pool(&stand);
    for (int i = 0; i < 8; i++)
        assert_int_equal(submit(&stand, &waiters[i], i % 2 == 0 ? "good" : "refuse"), 0);
    run_loop_until(&stand.loop, &stand.done_count, 8);
    assert_int_equal(server_count(&stand), 1);
    end(&stand);
}

/* All processes of one fork server have the same addresses. Whatever a crash reveals about them is useless then. */
TEST(import_pool_has_another_fork_server_after_a_crash)
{
    struct stand stand;
    struct waiter waiters[2];
    begin(&stand, 1, 2);
    open_pool(&stand);
    assert_int_equal(submit(&stand, &waiters[0], "crash"), 0);
    assert_int_equal(submit(&stand, &waiters[1], "good"), 0);
    run_loop_until(&stand.loop, &stand.done_count, 2);
    assert_true(waiters[0].err.code == ERR_IMPORT_CRASHED && waiters[1].has_model);
    assert_int_equal(server_count(&stand), 2);
    end(&stand);
}

TEST(import_pool_has_another_fork_server_in_time)
{
    struct stand stand;
    struct waiter waiters[101];
    begin(&stand, 4, 101);
    open_pool(&stand);
    for (int i = 0; i < 101; i++)
        assert_int_equal(submit(&stand, &waiters[i], "good"), 0);
    run_loop_until(&stand.loop, &stand.done_count, 101);
    for (int i = 0; i < 101; i++)
        assert_true(waiters[i].has_model);
    assert_int_equal(server_count(&stand), 2);
    end(&stand);
}

/* No job is lost, and the model is not blamed. */
TEST(import_pool_survives_its_fork_server)
{
    struct stand stand;
    struct waiter waiters[4];
    begin(&stand, 1, 4);
    open_pool(&stand);
    temp_tree_file(&stand.tree, "dying", "");
    assert_int_equal(submit(&stand, &waiters[0], "good"), 0);
    assert_int_equal(submit(&stand, &waiters[1], "good"), 0);
    run_loop_until(&stand.loop, &stand.done_count, 2);
    assert_true(waiters[0].has_model && waiters[1].has_model);
    assert_int_equal(server_count(&stand), 2);
    temp_tree_file(&stand.tree, "poor", "");
    assert_int_equal(submit(&stand, &waiters[2], "good"), 0);
    run_loop_until(&stand.loop, &stand.done_count, 3);
    assert_int_equal(waiters[2].err.code, ERR_OVERLOADED);
    assert_int_equal(server_count(&stand), 2);
    end(&stand);
}

/* It is replaced, and its requests are sent again. */
TEST(import_pool_goes_on_when_its_fork_server_does_not)
{
    static const char *const STATES[] = {"stopped", "asleep"};
    for (size_t i = 0; i < sizeof STATES / sizeof *STATES; i++) {
        struct stand stand;
        struct waiter waiters[2];
        begin(&stand, 2, 2);
        temp_tree_file(&stand.tree, STATES[i], "");
        open_pool(&stand);
        assert_int_equal(submit(&stand, &waiters[0], "good1"), 0);
        assert_int_equal(submit(&stand, &waiters[1], "good2"), 0);
        run_loop_until(&stand.loop, &stand.done_count, 2);
        assert_true(waiters[0].has_model && waiters[1].has_model);
        assert_true(waiters[0].started_count == 1 && waiters[1].started_count == 1);
        assert_int_equal(server_count(&stand), 2);
        end(&stand);
    }
}

TEST(import_pool_gives_up_with_a_second_fork_server)
{
    struct stand stand;
    struct waiter waiter;
    begin(&stand, 1, 1);
    temp_tree_file(&stand.tree, "deaf", "");
    open_pool(&stand);
    assert_int_equal(submit(&stand, &waiter, "good"), 0);
    run_loop_until(&stand.loop, &stand.done_count, 1);
    assert_int_equal(waiter.err.code, ERR_OVERLOADED);
    assert_non_null(strstr(waiter.err.message, "good: the process that makes importers ended"));
    assert_int_equal(server_count(&stand), 2);
    end(&stand);
}

/* If nobody waits for a process before it is made, it is ended as soon as it exists. */
TEST(import_pool_ends_with_a_fork_server_that_hangs)
{
    struct stand stand;
    struct waiter waiter;
    begin(&stand, 1, 1);
    temp_tree_file(&stand.tree, "deaf", "");
    open_pool(&stand);
    assert_int_equal(submit(&stand, &waiter, "good"), 0);
    run_loop_for(&stand.loop, 20);
    end(&stand);
    assert_int_equal(stand.done_count, 0);
}

TEST(import_pool_that_ends_tells_nobody)
{
    struct stand stand;
    struct waiter waiters[2];
    begin(&stand, 1, 1);
    open_pool(&stand);
    assert_int_equal(submit(&stand, &waiters[0], "hang"), 0);
    assert_int_equal(submit(&stand, &waiters[1], "good"), 0);
    run_loop_for(&stand.loop, 20);
    end(&stand); /* does not wait for the process either */
    assert_int_equal(stand.done_count, 0);
}
