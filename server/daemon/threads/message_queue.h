/* message_queue.h - passes messages from other threads to a loop, which takes them one by one, in the order of each
 * sender. */
#pragma once

#include "daemon/threads/wakeup.h"

#include <pthread.h>
#include <stdbool.h>

/* A member of the sent object, which belongs to the receiver from message_queue_post() on. */
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

/* Initializes the queue before its loop runs. */
void message_queue_init(struct message_queue *queue, uv_loop_t *loop);
/* Sends a message. Any thread, until message_queue_close(). */
void message_queue_post(struct message_queue *queue, struct message *message);
/* Wakes the loop. Any thread, until message_queue_close(). */
void message_queue_wake(struct message_queue *queue);
/* Sets whether the loop keeps running for further messages; true at first. On the receiver's loop. */
void message_queue_set_waiting(struct message_queue *queue, bool is_waiting);
/* Closes the queue, after all messages were taken. The queue must exist until `closed`, which may be NULL, or until its
 * loop is empty. On the receiver's loop. */
void message_queue_close(struct message_queue *queue, void (*closed)(struct message_queue *queue));
