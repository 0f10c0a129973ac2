/* What threads send to a loop. */
#include "tests/unit/support/check.h"

#include "daemon/dispatch/message_queue.h"
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
        message_queue_close(&stand->mailbox);
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
        message_queue_close(&letter->stand->mailbox);
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
