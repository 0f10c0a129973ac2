/* news.h - which models have changed, as the server tells: a watch (protocol/tcp.md) for each, over as many connections
 * as the handles need. One thread. */
#pragma once

#include "clients/cli/server/paths.h"

struct watcher_connection;

/* A model of the last watcher_set_models(), in the order of its items. */
struct watched_model {
    char *model, *source;            /* of the item */
    struct watcher_connection *link; /* NULL: it is not watched */
    uint32_t handle;
    bool has_changed; /* the caller takes it back */
};

struct watcher {
    const struct session *session;
    struct watcher_connection **links;
    size_t connection_count;
    struct watched_model *models;
    size_t count;
};

/* From now on these models are meant, sorted by name: what is known of them is kept, the others are watched no more. */
void watcher_set_models(struct watcher *news, const struct listed_model *items, size_t count);
/* Watches model `index`. One that is no more what `hash` says (64 hex digits) has changed. What cannot be watched,
 * because it cannot be read, is left as it is. */
void watcher_watch(struct watcher *news, size_t index, const char *hash);
/* Waits until a model changes or timeout_s is over, or a signal comes. */
void watcher_wait(struct watcher *news, double timeout_s);
void watcher_close(struct watcher *news);
