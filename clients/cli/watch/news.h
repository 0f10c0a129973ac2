/* news.h - which models have changed, as the server tells: a watch (protocol/tcp.md) for each, over as many connections
 * as the handles need. One thread. */
#pragma once

#include "clients/cli/server/places.h"

struct news_link;

/* A model of the last news_align(), in the order of its items. */
struct news_model {
    char *model, *source;   /* of the item */
    struct news_link *link; /* NULL: it is not watched */
    uint32_t handle;
    bool has_changed; /* the caller takes it back */
};

struct news {
    const struct session *session;
    struct news_link **links;
    size_t link_count;
    struct news_model *models;
    size_t count;
};

/* From now on these models are meant, sorted by name: what is known of them is kept, the others are watched no more. */
void news_align(struct news *news, const struct item *items, size_t count);
/* Watches model `index`. One that is no more what `hash` says (64 hex digits) has changed. What cannot be watched,
 * because it cannot be read, is left as it is. */
void news_watch(struct news *news, size_t index, const char *hash);
/* Waits until a model changes or timeout_s is over, or a signal comes. */
void news_wait(struct news *news, double timeout_s);
void news_end(struct news *news);
