#include "daemon/dispatch/message_queue.h"

static struct message *take_all(struct message_queue *queue)
{
    pthread_mutex_lock(&queue->mutex);
    struct message *first = queue->first;
    queue->first = NULL;
    queue->last = &queue->first;
    pthread_mutex_unlock(&queue->mutex);
    return first;
}

static void on_wake(uv_async_t *async)
{
    for (struct message *message = take_all(async->data), *next; message != NULL; message = next) {
        next = message->next;
        message->take(message);
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
