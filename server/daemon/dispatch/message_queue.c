#include "daemon/dispatch/message_queue.h"

static struct message *take_all(struct message_queue *mailbox)
{
    pthread_mutex_lock(&mailbox->mutex);
    struct message *first = mailbox->first;
    mailbox->first = NULL;
    mailbox->last = &mailbox->first;
    pthread_mutex_unlock(&mailbox->mutex);
    return first;
}

static void on_wake(uv_async_t *async)
{
    for (struct message *message = take_all(async->data), *next; message != NULL; message = next) {
        next = message->next;
        message->take(message);
    }
}

void message_queue_init(struct message_queue *mailbox, uv_loop_t *loop)
{
    pthread_mutex_init(&mailbox->mutex, NULL);
    mailbox->first = NULL;
    mailbox->last = &mailbox->first;
    mailbox->async.data = mailbox;
    uv_async_init(loop, &mailbox->async, on_wake);
}

void message_queue_post(struct message_queue *mailbox, struct message *message)
{
    message->next = NULL;
    pthread_mutex_lock(&mailbox->mutex);
    *mailbox->last = message;
    mailbox->last = &message->next;
    pthread_mutex_unlock(&mailbox->mutex);
    uv_async_send(&mailbox->async);
}

void message_queue_wake(struct message_queue *mailbox) { uv_async_send(&mailbox->async); }

static void on_closed(uv_handle_t *handle)
{
    struct message_queue *mailbox = handle->data;
    pthread_mutex_destroy(&mailbox->mutex);
}

void message_queue_close(struct message_queue *mailbox) { uv_close((uv_handle_t *)&mailbox->async, on_closed); }
