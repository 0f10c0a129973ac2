/* The pool of renderers with programs that obey the test: requests that share a picture, wait, are refused, are
 * retried, end, or time out. */
#include "tests/unit/support/check.h"
#include "tests/unit/support/fixture.h"
#include "tests/unit/support/run_loop.h"
#include "tests/unit/support/stand_in.h"

#include "base/container_of.h"
#include "daemon/renderer/render_pool.h"
#include "daemon/support/log.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct stand {
    uv_loop_t loop;
    struct temp_tree tree;
    struct config config;
    struct budget budget;
    struct imported_model *imported;
    struct render_pool *pool;
    int done_count; /* of all who wait */
};

struct waiter {
    struct render_waiter wait;
    struct stand *stand;
    int done_count;
    size_t size_bytes; /* of the picture */
    struct err err;
};

static struct imported_model *small_model(void)
{
    struct fixture fixture;
    struct imported_model *imported;
    struct err err;
    fixture_init(&fixture);
    fixture_root(&fixture, fixture_node(&fixture, -1, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE));
    fixture_finish(&fixture);
    const int fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    assert_int_equal(write(fd, fixture.block, fixture.size_bytes), fixture.size_bytes);
    assert_int_equal(imported_model_open(fd, 1, &imported, &err), 0);
    fixture_fini(&fixture);
    return imported;
}

static void begin(struct stand *stand, uint32_t workers, uint64_t queue)
{
    *stand = (struct stand){.budget = {.max_bytes = 1 << 20}};
    log_open(LOG_OFF);
    temp_tree_init(&stand->tree);
    stand_in_install(&stand->tree);
    stand->imported = small_model();
    assert_int_equal(uv_loop_init(&stand->loop), 0);
    limits_default(&stand->config.limits);
    stand->config.limits.value[LIMIT_RENDER_QUEUE] = queue;
    stand->config.worker_dir = stand->tree.path;
    stand->config.cache_dir = "none";
    stand->config.gl = "auto";
    stand->config.render_workers = workers;
}

static void open_pool(struct stand *stand)
{
    stand->pool = render_pool_new(&stand->loop, &stand->config, &stand->budget);
}

static void end(struct stand *stand)
{
    render_pool_free(stand->pool);
    run_loop_fini(&stand->loop);
    imported_model_unref(stand->imported);
    temp_tree_fini(&stand->tree);
    log_open(LOG_TEXT);
    assert_int_equal(stand->budget.used_bytes, 0);
}

static void on_done(struct render_waiter *wait, struct blob *png,
                    const struct render_notes *notes __attribute__((unused)), const struct err *err)
{
    struct waiter *waiter = container_of(wait, struct waiter, wait);
    waiter->done_count++;
    waiter->stand->done_count++;
    waiter->size_bytes = png != NULL ? png->size_bytes : 0;
    if (png == NULL)
        waiter->err = *err;
}

/* Pictures of another height are other pictures. */
static int submit(struct stand *stand, struct waiter *waiter, enum stand_in_width width, uint32_t height)
{
    struct render_cell cell;
    memset(&cell, 0, sizeof cell);
    const struct render_job job = {.picture = {.width = width, .height = height},
                                   .width = width,
                                   .height = height,
                                   .cell_count = 1,
                                   .drawn_count = 1,
                                   .format = SHEET_PNG};
    const struct render_spec spec = {.job = &job, .cells = &cell, .imported = stand->imported};
    *waiter = (struct waiter){.wait = {.done = on_done}, .stand = stand};
    return render_pool_submit(stand->pool, &spec, &waiter->wait, &waiter->err);
}

/* How many pictures the programs have begun. */
static int begun(const struct stand *stand)
{
    char text[512];
    const int fd = openat(stand->tree.fd, "log", O_RDONLY);
    const ssize_t got = fd >= 0 ? read(fd, text, sizeof text) : 0;
    int count = 0;
    for (ssize_t i = 0; i < got; i++)
        count += text[i] == '\n';
    if (fd >= 0)
        close(fd);
    return count;
}

static void wait_for_begun(struct stand *stand, int count)
{
    for (int i = 0; begun(stand) < count; i++) {
        assert_true(i < 1000);
        run_loop_for(&stand->loop, 20);
    }
}

TEST(render_pool_shares_a_picture_and_refuses_beyond_its_queue)
{
    struct stand stand;
    struct waiter waiters[6];
    begin(&stand, 1, 2);
    open_pool(&stand);
    assert_int_equal(submit(&stand, &waiters[0], STAND_IN_WAIT, 1), 0);
    wait_for_begun(&stand, 1);
    assert_string_equal(render_pool_renderer(stand.pool), "stand-in");
    assert_int_equal(submit(&stand, &waiters[1], STAND_IN_DRAW, 1), 0);
    assert_int_equal(submit(&stand, &waiters[2], STAND_IN_EMPTY, 1), 0);
    assert_int_equal(submit(&stand, &waiters[3], STAND_IN_DRAW, 2), ERR_OVERLOADED);
    assert_non_null(strstr(waiters[3].err.message, "as many pictures as"));
    assert_int_equal(submit(&stand, &waiters[4], STAND_IN_DRAW, 1), 0); /* the same as one that waits */
    assert_int_equal(submit(&stand, &waiters[5], STAND_IN_WAIT, 1), 0); /* the same as the one being drawn */
    assert_int_equal(stand.done_count, 0);
    temp_tree_file(&stand.tree, "go", "");
    run_loop_until(&stand.loop, &stand.done_count, 5);
    assert_true(waiters[0].size_bytes > 0 && waiters[1].size_bytes > 0 && waiters[4].size_bytes > 0 &&
                waiters[5].size_bytes > 0);
    assert_int_equal(waiters[2].err.code, ERR_NOTHING_TO_DRAW);
    assert_int_equal(begun(&stand), 3);
    end(&stand);
}

TEST(render_pool_tries_a_picture_twice)
{
    struct stand stand;
    struct waiter waiters[3];
    begin(&stand, 1, 4);
    open_pool(&stand);
    assert_int_equal(submit(&stand, &waiters[0], STAND_IN_DIE, 1), 0);
    assert_int_equal(submit(&stand, &waiters[1], STAND_IN_WRONG, 1), 0);
    assert_int_equal(submit(&stand, &waiters[2], STAND_IN_DRAW, 1), 0);
    run_loop_until(&stand.loop, &stand.done_count, 3);
    assert_int_equal(waiters[0].err.code, ERR_RENDER_FAILED);
    assert_non_null(strstr(waiters[0].err.message, "died 2 times"));
    assert_non_null(strstr(waiters[0].err.message, "last words"));
    assert_int_equal(waiters[1].err.code, ERR_RENDER_FAILED);
    assert_non_null(strstr(waiters[1].err.message, "sent a picture that is none"));
    assert_true(waiters[2].size_bytes > 0);
    assert_int_equal(begun(&stand), 5);
    end(&stand);
}

TEST(render_pool_replaces_what_takes_too_long)
{
    struct stand stand;
    struct waiter waiters[3];
    begin(&stand, 1, 4);
    stand.config.limits.value[LIMIT_RENDER_TIME_MS] = 1500;
    open_pool(&stand);
    assert_int_equal(submit(&stand, &waiters[0], STAND_IN_HANG, 1), 0);
    run_loop_until(&stand.loop, &stand.done_count, 1);
    assert_int_equal(waiters[0].err.code, ERR_RENDER_TIMEOUT);
    assert_int_equal(err_http_status(waiters[0].err.code), 503);
    assert_non_null(strstr(waiters[0].err.message, "within 1500 ms"));
    assert_non_null(strstr(waiters[0].err.message, "--render-timeout 1500"));
    assert_int_equal(begun(&stand), 2);
    assert_int_equal(submit(&stand, &waiters[1], STAND_IN_HANG_ONCE, 1), 0);
    run_loop_until(&stand.loop, &stand.done_count, 2);
    assert_true(waiters[1].size_bytes > 0);
    assert_int_equal(begun(&stand), 4);
    /* one that closes its socket and ignores a kind word is killed long before that time */
    stand.config.limits.value[LIMIT_RENDER_TIME_MS] = 60000;
    assert_int_equal(submit(&stand, &waiters[2], STAND_IN_LEAVE, 1), 0);
    run_loop_until(&stand.loop, &stand.done_count, 3);
    assert_int_equal(waiters[2].err.code, ERR_RENDER_FAILED);
    assert_non_null(strstr(waiters[2].err.message, "closed its socket, lived on"));
    end(&stand);
}

/* Only the processor time of a picture counts. A renderer that only waits is not ended. */
TEST(render_pool_limits_the_processor_time_of_a_picture)
{
    struct stand stand;
    struct waiter waiters[3];
    begin(&stand, 1, 4);
    stand.config.limits.value[LIMIT_RENDER_CPU_S] = 1;
    open_pool(&stand);
    assert_int_equal(submit(&stand, &waiters[0], STAND_IN_WAIT, 1), 0);
    wait_for_begun(&stand, 1);
    run_loop_for(&stand.loop, 1500);
    temp_tree_file(&stand.tree, "go", "");
    run_loop_until(&stand.loop, &stand.done_count, 1);
    assert_true(waiters[0].size_bytes > 0);
    assert_int_equal(begun(&stand), 1);
    assert_int_equal(submit(&stand, &waiters[1], STAND_IN_COMPUTE, 1), 0);
    assert_int_equal(submit(&stand, &waiters[2], STAND_IN_DRAW, 1), 0);
    run_loop_until(&stand.loop, &stand.done_count, 3);
    assert_int_equal(waiters[1].err.code, ERR_RENDER_CPU);
    assert_string_equal(waiters[1].err.message, "the picture took more than 1 s of processor time; see --render-cpu 1");
    assert_true(waiters[2].size_bytes > 0);
    assert_int_equal(begun(&stand), 3); /* it is not tried again */
    end(&stand);
}

TEST(render_pool_cancels_what_nobody_waits_for)
{
    struct stand stand;
    struct waiter waiters[4];
    begin(&stand, 1, 4);
    open_pool(&stand);
    assert_int_equal(submit(&stand, &waiters[0], STAND_IN_HANG, 1), 0);
    assert_int_equal(submit(&stand, &waiters[1], STAND_IN_DRAW, 1), 0);
    wait_for_begun(&stand, 1);
    render_pool_cancel(stand.pool, &waiters[1].wait); /* leaves the queue at once */
    render_pool_cancel(stand.pool, &waiters[0].wait); /* goes on as long as nobody waits for the worker */
    run_loop_for(&stand.loop, 700);
    assert_int_equal(submit(&stand, &waiters[2], STAND_IN_HANG, 1), 0); /* somebody waits for it again */
    assert_int_equal(submit(&stand, &waiters[3], STAND_IN_DRAW, 2), 0);
    run_loop_for(&stand.loop, 100);
    assert_int_equal(stand.done_count, 0);
    render_pool_cancel(stand.pool, &waiters[2].wait);
    run_loop_until(&stand.loop, &stand.done_count, 1);
    assert_true(waiters[3].size_bytes > 0);
    assert_int_equal(begun(&stand), 2);
    assert_int_equal(waiters[0].done_count + waiters[1].done_count + waiters[2].done_count, 0);
    end(&stand);
}

TEST(render_pool_answers_while_no_renderer_starts)
{
    struct stand stand;
    struct waiter waiters[3];
    begin(&stand, 1, 4);
    temp_tree_file(&stand.tree, "broken", "");
    open_pool(&stand);
    assert_int_equal(submit(&stand, &waiters[0], STAND_IN_DRAW, 1), 0); /* it may start yet */
    run_loop_until(&stand.loop, &stand.done_count, 1);
    assert_int_equal(waiters[0].err.code, ERR_UNAVAILABLE);
    assert_non_null(strstr(waiters[0].err.message, "ended with status 7"));
    assert_int_equal(submit(&stand, &waiters[1], STAND_IN_DRAW, 1), ERR_UNAVAILABLE);
    assert_int_equal(unlinkat(stand.tree.fd, "broken", 0), 0);
    int rc = ERR_UNAVAILABLE;
    for (int i = 0; rc < 0 && i < 100; i++) { /* it is started again and again */
        run_loop_for(&stand.loop, 100);
        rc = submit(&stand, &waiters[2], STAND_IN_DRAW, 1);
    }
    run_loop_until(&stand.loop, &stand.done_count, 2);
    assert_true(waiters[2].size_bytes > 0);
    end(&stand);
}

TEST(render_pool_waits_for_room_in_the_budget)
{
    struct stand stand;
    struct waiter waiters[2];
    begin(&stand, 1, 1);
    open_pool(&stand);
    stand.budget.used_bytes = stand.budget.max_bytes + 1;
    assert_int_equal(submit(&stand, &waiters[0], STAND_IN_DRAW, 1), 0);
    assert_int_equal(submit(&stand, &waiters[1], STAND_IN_DRAW, 2), ERR_OVERLOADED);
    run_loop_for(&stand.loop, 300);
    assert_int_equal(begun(&stand), 0);
    stand.budget.used_bytes = 0;
    render_pool_resume(stand.pool);
    run_loop_until(&stand.loop, &stand.done_count, 1);
    end(&stand);
}

TEST(render_pool_without_renderers)
{
    struct stand stand;
    struct waiter waiter;
    begin(&stand, 0, 1);
    open_pool(&stand);
    assert_int_equal(submit(&stand, &waiter, STAND_IN_DRAW, 1), ERR_UNAVAILABLE);
    assert_non_null(strstr(waiter.err.message, "--render-workers 0"));
    end(&stand);
}

TEST(render_pool_that_ends_tells_nobody)
{
    struct stand stand;
    struct waiter waiters[2];
    begin(&stand, 1, 4);
    open_pool(&stand);
    assert_int_equal(submit(&stand, &waiters[0], STAND_IN_HANG, 1), 0);
    assert_int_equal(submit(&stand, &waiters[1], STAND_IN_DRAW, 1), 0);
    wait_for_begun(&stand, 1);
    end(&stand);
    assert_int_equal(stand.done_count, 0);
}
