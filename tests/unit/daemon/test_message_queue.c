/* What threads send to a loop. */
#include "tests/unit/support/check.h"

#include "daemon/threads/message_queue.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { SENDERS = 3, LETTERS = 5000 };

struct letter {
    struct message message;
    struct stand *stand;
    int sender, number;
};

struct stand {
    uv_loop_t loop;
    struct message_queue mailbox;
    int next[SENDERS], count;
};

struct sender {
    struct stand *stand;
    int number;
    struct letter letters[LETTERS];
};

static void take(struct message *message)
{
    const struct letter *letter = (struct letter *)message;
    struct stand *stand = letter->stand;
    assert_int_equal(letter->number, stand->next[letter->sender]++);
    if (++stand->count == SENDERS * LETTERS)
        message_queue_close(&stand->mailbox, NULL);
}

static void *send_all(void *user)
{
    struct sender *sender = user;
    for (int i = 0; i < LETTERS; i++) {
        sender->letters[i] = (struct letter){{.take = take}, sender->stand, sender->number, i};
        message_queue_post(&sender->stand->mailbox, &sender->letters[i].message);
    }
    return NULL;
}

TEST(message_queue_gives_each_sender_s_messages_in_order)
{
    struct stand stand = {0};
    struct sender *senders = mem_zalloc(SENDERS, sizeof *senders);
    pthread_t threads[SENDERS];
    uv_loop_init(&stand.loop);
    message_queue_init(&stand.mailbox, &stand.loop);
    for (int i = 0; i < SENDERS; i++) {
        senders[i].stand = &stand;
        senders[i].number = i;
        assert_int_equal(pthread_create(&threads[i], NULL, send_all, &senders[i]), 0);
    }
    uv_run(&stand.loop, UV_RUN_DEFAULT);
    for (int i = 0; i < SENDERS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(stand.count, SENDERS * LETTERS);
    assert_int_equal(uv_loop_close(&stand.loop), 0);
    free(senders);
}

static void answer(struct message *message)
{
    struct letter *letter = (struct letter *)message;
    letter->number++;
    if (letter->number < 3)
        message_queue_post(&letter->stand->mailbox, message); /* may be sent again from within */
    else
        message_queue_close(&letter->stand->mailbox, NULL);
}

TEST(message_queue_takes_messages_while_it_gives_some)
{
    struct stand stand = {0};
    struct letter letter = {{.take = answer}, &stand, 0, 0};
    uv_loop_init(&stand.loop);
    message_queue_init(&stand.mailbox, &stand.loop);
    message_queue_post(&stand.mailbox, &letter.message);
    uv_run(&stand.loop, UV_RUN_DEFAULT);
    assert_int_equal(letter.number, 3);
    assert_int_equal(uv_loop_close(&stand.loop), 0);
}

/* --- messages that are much work --- */

enum { SLOW_LETTERS = 12, SLOW_NS = 2000000 };

static struct {
    struct message letters[SLOW_LETTERS], late;
    struct message_queue mailbox;
    uv_prepare_t prepare;
    int taken[SLOW_LETTERS + 1], taken_count, turns;
} slow;

static void take_slowly(struct message *message)
{
    for (const uint64_t end_ns = uv_hrtime() + SLOW_NS; uv_hrtime() < end_ns;)
        continue;
    if (slow.taken_count == 0) { /* sent while the others wait: it comes after them */
        slow.late.take = take_slowly;
        message_queue_post(&slow.mailbox, &slow.late);
    }
    slow.taken[slow.taken_count++] = message == &slow.late ? SLOW_LETTERS : (int)(message - slow.letters);
    if (slow.taken_count == SLOW_LETTERS + 1) {
        message_queue_close(&slow.mailbox, NULL);
        uv_close((uv_handle_t *)&slow.prepare, NULL);
    }
}

static void count_turn(uv_prepare_t *prepare __attribute__((unused))) { slow.turns++; }

TEST(message_queue_gives_others_their_turn_and_keeps_the_order)
{
    uv_loop_t loop;
    memset(&slow, 0, sizeof slow);
    assert_int_equal(uv_loop_init(&loop), 0);
    message_queue_init(&slow.mailbox, &loop);
    uv_prepare_init(&loop, &slow.prepare);
    uv_prepare_start(&slow.prepare, count_turn);
    for (int i = 0; i < SLOW_LETTERS; i++) {
        slow.letters[i].take = take_slowly;
        message_queue_post(&slow.mailbox, &slow.letters[i]);
    }
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&loop), 0);
    for (int i = 0; i <= SLOW_LETTERS; i++)
        assert_int_equal(slow.taken[i], i);
    assert_true(slow.turns >= 4); /* two messages, of two milliseconds each, are a turn's share */
}
