/* watcher.h - finds out which models have changed. The server reports it through a watch (protocol/tcp.md) for each
 * model. There are as many connections as the handles need. One thread. */
#pragma once

#include "clients/cli/server/model_list.h"

struct watcher_connection;

/* A model of the last watcher_set_models(), in the order of the list. */
struct watched_model {
    char *model, *source;                  /* owned by the list */
    struct watcher_connection *connection; /* NULL: the model is not watched */
    uint32_t handle;
    bool has_changed; /* the caller resets it */
};

struct watcher {
    const struct session *session;
    struct watcher_connection **connections;
    size_t connection_count;
    struct watched_model *models;
    size_t count;
};

/* Replaces the models. Those that stay keep their watches, the others lose them. */
void watcher_set_models(struct watcher *watcher, const struct model_list *list);
/* Watches model `index`. The model counts as changed if its content hash is not `hash` (64 hex digits). A model that
 * cannot be read is not watched. */
void watcher_watch(struct watcher *watcher, size_t index, const char *hash);
/* Waits until a model changes, timeout_s is over, or a signal arrives. */
void watcher_wait(struct watcher *watcher, double timeout_s);
void watcher_close(struct watcher *watcher);
