/* Work that loops give to threads. */
#include "tests/unit/support/check.h"
#include "tests/unit/support/run_loop.h"

#include "daemon/threads/work.h"

#include <string.h>

enum { PIECES = 300, THREADS = 4 /* the default */ };

struct piece {
    struct work work;
    struct crew *crew;
    pthread_t ran_on;
    int status;
};

struct crew {
    uv_loop_t loop;
    struct piece pieces[PIECES];
    int done_count;
    pthread_t thread; /* of the loop */
};

static void run(struct work *work) { ((struct piece *)work->data)->ran_on = pthread_self(); }

static void on_done(struct work *work, int status)
{
    struct piece *piece = work->data;
    piece->status = status;
    piece->crew->done_count++;
    assert_true(pthread_equal(pthread_self(), piece->crew->thread));
}

static void *run_crew(void *user)
{
    struct crew *crew = user;
    crew->thread = pthread_self();
    for (int i = 0; i < PIECES; i++) {
        struct piece *piece = &crew->pieces[i];
        *piece = (struct piece){.work.data = piece, .crew = crew, .status = 1};
        work_start(&crew->loop, i % 2 == 0 ? WORK_FILES : WORK_COMPUTES, &piece->work, run, on_done);
    }
    uv_run(&crew->loop, UV_RUN_DEFAULT); /* until all is done: nothing else keeps it running */
    return NULL;
}

TEST(work_is_done_by_threads_and_told_on_its_own_loop)
{
    static struct crew crews[2];
    pthread_t other;
    memset(crews, 0, sizeof crews);
    for (int c = 0; c < 2; c++)
        assert_int_equal(uv_loop_init(&crews[c].loop), 0);
    assert_int_equal(pthread_create(&other, NULL, run_crew, &crews[1]), 0);
    run_crew(&crews[0]);
    pthread_join(other, NULL);
    for (int c = 0; c < 2; c++) {
        assert_int_equal(crews[c].done_count, PIECES);
        for (int i = 0; i < PIECES; i++) {
            assert_int_equal(crews[c].pieces[i].status, 0);
            assert_false(pthread_equal(crews[c].pieces[i].ran_on, crews[c].thread));
        }
        run_loop_fini(&crews[c].loop);
    }
}

/* --- work that starts more --- */

static struct {
    struct work work;
    uv_loop_t loop;
    int left;
} chain;

static void do_nothing(struct work *work) { (void)work; }

static void on_link(struct work *work, int status)
{
    assert_int_equal(status, 0);
    if (--chain.left > 0)
        work_start(&chain.loop, WORK_COMPUTES, work, do_nothing, on_link);
}

TEST(work_may_start_again_when_it_has_ended)
{
    memset(&chain, 0, sizeof chain);
    chain.left = 1000;
    assert_int_equal(uv_loop_init(&chain.loop), 0);
    work_start(&chain.loop, WORK_COMPUTES, &chain.work, do_nothing, on_link);
    run_loop_fini(&chain.loop);
    assert_int_equal(chain.left, 0);
}

/* --- cancelled --- */

static struct {
    uv_sem_t begun, may_end;
    struct work busy[THREADS], waiting[3], other;
    int ran[3], status[3], done_count;
} queue;

static void wait_to_end(struct work *work)
{
    (void)work;
    uv_sem_post(&queue.begun);
    uv_sem_wait(&queue.may_end);
}

static void on_ended(struct work *work, int status)
{
    (void)work;
    assert_int_equal(status, 0);
    queue.done_count++;
}

static void run_waiting(struct work *work) { queue.ran[work - queue.waiting]++; }

static void on_waited(struct work *work, int status)
{
    queue.status[work - queue.waiting] = status;
    queue.done_count++;
}

/* The last in the queue, or one between others. */
static void cancel_one(int which)
{
    uv_loop_t loop = {0};
    memset(&queue, 0, sizeof queue);
    assert_int_equal(uv_loop_init(&loop), 0);
    uv_sem_init(&queue.begun, 0);
    uv_sem_init(&queue.may_end, 0);
    for (int i = 0; i < THREADS; i++)
        work_start(&loop, WORK_FILES, &queue.busy[i], wait_to_end, on_ended);
    for (int i = 0; i < THREADS; i++)
        uv_sem_wait(&queue.begun);
    for (int i = 0; i < 3; i++)
        work_start(&loop, WORK_FILES, &queue.waiting[i], run_waiting, on_waited);
    work_cancel(&queue.busy[0]); /* a thread has it: nothing */
    work_cancel(&queue.waiting[which]);
    run_loop_until(&loop, &queue.done_count, 1); /* it is told at once, while all threads of the kind are busy */
    assert_int_equal(queue.done_count, 1);
    queue.done_count = 0;
    work_start(&loop, WORK_COMPUTES, &queue.other, do_nothing, on_ended);
    run_loop_until(&loop, &queue.done_count, 1); /* the others are not */
    assert_int_equal(queue.status[which], UV_ECANCELED);
    for (int i = 0; i < THREADS; i++)
        uv_sem_post(&queue.may_end);
    run_loop_fini(&loop);
    assert_int_equal(queue.done_count, THREADS + 3);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(queue.ran[i], i == which ? 0 : 1);
        assert_int_equal(queue.status[i], i == which ? UV_ECANCELED : 0);
    }
    work_cancel(&queue.waiting[0]); /* it has ended: nothing */
    uv_sem_destroy(&queue.begun);
    uv_sem_destroy(&queue.may_end);
}

TEST(work_that_no_thread_has_taken_can_be_cancelled)
{
    for (int which = 0; which < 3; which++)
        cancel_one(which);
}
