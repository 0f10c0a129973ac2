/* message_queue.h - messages from other threads to a loop, taken one after the other, in the order of each sender. */
#pragma once

#include "daemon/threads/wakeup.h"

#include <pthread.h>
#include <stdbool.h>

/* A member of what is sent, which belongs to the receiver from message_queue_post() on. */
struct message {
    void (*take)(struct message *message); /* on the receiver's loop */
    struct message *next;                  /* private to the queue */
};

struct message_queue {
    struct wakeup wakeup; /* keeps its loop running until it is closed */
    pthread_mutex_t mutex;
    struct message *first, **last;
    atomic_uint sender_count; /* threads that are about to wake the loop */
    void (*closed)(struct message_queue *queue);
};

/* Before its loop runs. */
void message_queue_init(struct message_queue *queue, uv_loop_t *loop);
/* Any thread, until message_queue_close(). */
void message_queue_post(struct message_queue *queue, struct message *message);
/* Any thread, until message_queue_close(): wakes the loop. */
void message_queue_wake(struct message_queue *queue);
/* On the receiver's loop: whether it keeps running for what may come. It does at first. */
void message_queue_set_waiting(struct message_queue *queue, bool is_waiting);
/* On the receiver's loop, when every message was taken. The queue has to stay until `closed`, which may be NULL, or
 * until its loop is empty. */
void message_queue_close(struct message_queue *queue, void (*closed)(struct message_queue *queue));
