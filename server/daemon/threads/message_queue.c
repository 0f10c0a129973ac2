#include "daemon/threads/message_queue.h"

#include "base/container_of.h"

#include <sched.h>

enum { MESSAGE_TURN_NS = 4000000 };

static struct message *take_all(struct message_queue *queue)
{
    pthread_mutex_lock(&queue->mutex);
    struct message *first = queue->first;
    queue->first = NULL;
    queue->last = &queue->first;
    pthread_mutex_unlock(&queue->mutex);
    return first;
}

/* The remaining messages come before newly posted ones. */
static void put_back(struct message_queue *queue, struct message *first)
{
    struct message *last = first;
    while (last->next != NULL)
        last = last->next;
    pthread_mutex_lock(&queue->mutex);
    last->next = queue->first;
    if (queue->first == NULL)
        queue->last = &last->next;
    queue->first = first;
    pthread_mutex_unlock(&queue->mutex);
    wakeup_send(&queue->wakeup);
}

/* A message may cause two milliseconds of work, so after a while the loop's other work gets its turn. */
static void on_wake(struct wakeup *wakeup)
{
    struct message_queue *queue = container_of(wakeup, struct message_queue, wakeup);
    const uint64_t end_ns = uv_hrtime() + MESSAGE_TURN_NS;
    for (struct message *message = take_all(queue), *next; message != NULL; message = next) {
        next = message->next;
        message->take(message);
        if (next != NULL && queue->wakeup.fd >= 0 && uv_hrtime() >= end_ns) {
            put_back(queue, next);
            return;
        }
    }
}

void message_queue_init(struct message_queue *queue, uv_loop_t *loop)
{
    pthread_mutex_init(&queue->mutex, NULL);
    queue->first = NULL;
    queue->last = &queue->first;
    queue->sender_count = 0;
    wakeup_init(&queue->wakeup, loop, on_wake);
}

void message_queue_post(struct message_queue *queue, struct message *message)
{
    message->next = NULL;
    queue->sender_count++;
    pthread_mutex_lock(&queue->mutex);
    *queue->last = message;
    queue->last = &message->next;
    pthread_mutex_unlock(&queue->mutex);
    wakeup_send(&queue->wakeup);
    queue->sender_count--;
}

void message_queue_wake(struct message_queue *queue)
{
    queue->sender_count++;
    wakeup_send(&queue->wakeup);
    queue->sender_count--;
}

void message_queue_set_waiting(struct message_queue *queue, bool is_waiting)
{
    uv_handle_t *handle = (uv_handle_t *)&queue->wakeup.poll;
    is_waiting ? uv_ref(handle) : uv_unref(handle);
}

static void on_closed(uv_handle_t *handle)
{
    struct message_queue *queue = container_of((uv_poll_t *)(void *)handle, struct message_queue, wakeup.poll);
    pthread_mutex_destroy(&queue->mutex);
    if (queue->closed != NULL)
        queue->closed(queue);
}

void message_queue_close(struct message_queue *queue, void (*closed)(struct message_queue *queue))
{
    while (queue->sender_count > 0) /* the loop took its message before it returned */
        sched_yield();
    queue->closed = closed;
    wakeup_close(&queue->wakeup, on_closed);
}
