#include "daemon/dispatch/mailbox.h"

static struct message *take_all(struct mailbox *mailbox)
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

void mailbox_init(struct mailbox *mailbox, uv_loop_t *loop)
{
    pthread_mutex_init(&mailbox->mutex, NULL);
    mailbox->first = NULL;
    mailbox->last = &mailbox->first;
    mailbox->async.data = mailbox;
    uv_async_init(loop, &mailbox->async, on_wake);
}

void mailbox_post(struct mailbox *mailbox, struct message *message)
{
    message->next = NULL;
    pthread_mutex_lock(&mailbox->mutex);
    *mailbox->last = message;
    mailbox->last = &message->next;
    pthread_mutex_unlock(&mailbox->mutex);
    uv_async_send(&mailbox->async);
}

void mailbox_wake(struct mailbox *mailbox) { uv_async_send(&mailbox->async); }

static void on_closed(uv_handle_t *handle)
{
    struct mailbox *mailbox = handle->data;
    pthread_mutex_destroy(&mailbox->mutex);
}

void mailbox_close(struct mailbox *mailbox) { uv_close((uv_handle_t *)&mailbox->async, on_closed); }
