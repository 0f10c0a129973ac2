/* mailbox.h - what other threads have for a loop: messages, taken one after the other, in the order of each sender. */
#pragma once

#include <pthread.h>
#include <uv.h>

/* Part of what is sent; the receiver's from message_queue_post() on. */
struct message {
    void (*take)(struct message *message); /* on the receiver's loop */
    struct message *next;                  /* private to the mailbox */
};

struct message_queue {
    uv_async_t async; /* keeps its loop running until it is closed */
    pthread_mutex_t mutex;
    struct message *first, **last;
};

/* Before its loop runs. */
void message_queue_init(struct message_queue *mailbox, uv_loop_t *loop);
/* Any thread, until message_queue_close(). */
void message_queue_post(struct message_queue *mailbox, struct message *message);
/* Any thread, until message_queue_close(): the loop takes a turn, if only for that. */
void message_queue_wake(struct message_queue *mailbox);
/* The receiver's loop: nobody posts any more, and everything was taken. The mailbox has to stay until its loop is
 * empty.
 */
void message_queue_close(struct message_queue *mailbox);
