#include "daemon/dispatch/message_queue.h"

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

/* Those that are left come before what was posted meanwhile. */
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
    uv_async_send(&queue->async);
}

/* What messages ask for may be two milliseconds of work each: after a while the loop's other work has its turn. */
static void on_wake(uv_async_t *async)
{
    struct message_queue *queue = async->data;
    const uint64_t end_ns = uv_hrtime() + MESSAGE_TURN_NS;
    for (struct message *message = take_all(queue), *next; message != NULL; message = next) {
        next = message->next;
        message->take(message);
        if (next != NULL && !uv_is_closing((uv_handle_t *)async) && uv_hrtime() >= end_ns) {
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
    queue->async.data = queue;
    uv_async_init(loop, &queue->async, on_wake);
}

void message_queue_post(struct message_queue *queue, struct message *message)
{
    message->next = NULL;
    pthread_mutex_lock(&queue->mutex);
    *queue->last = message;
    queue->last = &message->next;
    pthread_mutex_unlock(&queue->mutex);
    uv_async_send(&queue->async);
}

void message_queue_wake(struct message_queue *queue) { uv_async_send(&queue->async); }

static void on_closed(uv_handle_t *handle)
{
    struct message_queue *queue = handle->data;
    pthread_mutex_destroy(&queue->mutex);
}

void message_queue_close(struct message_queue *queue) { uv_close((uv_handle_t *)&queue->async, on_closed); }
