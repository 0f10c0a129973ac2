#include "clients/cli/watch/watcher.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct watcher_connection {
    struct connection link;
    struct watcher *news;
    size_t handle_count;
};

/* Also called from within posed_open() and the like, for what comes before their answer. */
static void on_event(void *context, const struct posed_packet *packet)
{
    struct watcher_connection *link = context;
    struct watcher *news = link->news;
    for (size_t i = 0; packet->kind == POSED_CHANGED && i < news->count; i++)
        if (news->models[i].link == link && news->models[i].handle == packet->model)
            news->models[i].has_changed = true;
}

/* --- links --- */

/* Its models are to be watched anew, and may have changed meanwhile. */
static void drop_link(struct watcher *news, struct watcher_connection *link)
{
    for (size_t i = 0; i < news->count; i++)
        if (news->models[i].link == link) {
            news->models[i].link = NULL;
            news->models[i].has_changed = true;
        }
    for (size_t i = 0; i < news->connection_count; i++)
        if (news->links[i] == link)
            news->links[i] = news->links[--news->connection_count];
    connection_close(&link->link);
    free(link);
}

/* One with room for another handle; NULL after complaining. */
static struct watcher_connection *find_link(struct watcher *news)
{
    for (size_t i = 0; i < news->connection_count; i++)
        if (news->links[i]->handle_count < news->links[i]->link.posed.hello.models_max)
            return news->links[i];
    struct watcher_connection *link = must_alloc(sizeof *link);
    link->news = news;
    if (connection_open_for_events(&link->link, news->session, on_event, link) < 0) {
        free(link);
        return NULL;
    }
    news->links = must_grow(news->links, (news->connection_count + 1) * sizeof(struct watcher_connection *));
    news->links[news->connection_count++] = link;
    return link;
}

/* Takes all packets that have come. */
static void read_link(struct watcher *news, struct watcher_connection *link)
{
    struct posed_packet packet;
    int rc;
    while ((rc = posed_next(&link->link.posed, 0, &packet)) == 1)
        on_event(link, &packet);
    if (rc < 0)
        drop_link(news, link);
}

static bool has_any(const struct watcher *news)
{
    for (size_t i = 0; i < news->count; i++)
        if (news->models[i].has_changed)
            return true;
    return false;
}

static void read_links(struct watcher *news)
{
    for (size_t i = news->connection_count; i-- > 0;) /* a link that breaks is replaced by the last one */
        read_link(news, news->links[i]);
}

void watcher_wait(struct watcher *news, double timeout_s)
{
    read_links(news); /* what came with the answer to something else makes no socket readable */
    struct pollfd *sockets = must_alloc((news->connection_count + 1) * sizeof *sockets);
    for (size_t i = 0; i < news->connection_count; i++)
        sockets[i] = (struct pollfd){.fd = news->links[i]->link.posed.fd, .events = POLLIN};
    if (!has_any(news) && poll(sockets, (nfds_t)news->connection_count, (int)(timeout_s * 1000 + 0.5)) > 0)
        read_links(news);
    free(sockets);
}

/* --- models --- */

static void close_handle(struct watcher *news, struct watcher_connection *link, uint32_t handle)
{
    struct posed_model model = {.handle = handle};
    if (posed_close(&link->link.posed, &model) < 0 && link->link.posed.error.status != POSED_E_SERVER)
        drop_link(news, link);
    else
        link->handle_count--;
}

/* Whether the link is there still: another one's end may have been seen meanwhile. */
static bool has_link(const struct watcher *news, const struct watcher_connection *link)
{
    for (size_t i = 0; i < news->connection_count; i++)
        if (news->links[i] == link)
            return true;
    return false;
}

void watcher_set_models(struct watcher *news, const struct listed_model *items, size_t count)
{
    struct watched_model *models = must_alloc((count + 1) * sizeof *models), *before = news->models;
    const size_t before_count = news->count;
    size_t old = 0, gone = 0;
    for (size_t i = 0; i < count; i++) {
        int order = -1;
        while (old < before_count && (order = strcmp(before[old].model, items[i].model)) < 0)
            before[gone++] = before[old++];
        if (old < before_count && order == 0 && strcmp(before[old].source, items[i].source) != 0)
            before[gone++] = before[old++]; /* a link that leads elsewhere now: as if it were new */
        else if (old < before_count && order == 0) {
            models[i] = before[old++];
            continue;
        }
        models[i].model = must_copy(items[i].model);
        models[i].source = must_copy(items[i].source);
    }
    while (old < before_count)
        before[gone++] = before[old++];
    news->models = models; /* from here on events may come, for these */
    news->count = count;
    for (size_t i = 0; i < gone; i++) {
        if (before[i].link != NULL && has_link(news, before[i].link))
            close_handle(news, before[i].link, before[i].handle);
        free(before[i].model);
        free(before[i].source);
    }
    free(before);
}

void watcher_watch(struct watcher *news, size_t index, const char *hash)
{
    struct watcher_connection *link = find_link(news);
    struct posed_model model;
    char found[65];
    if (link == NULL)
        return;
    struct posed *posed = &link->link.posed;
    if (posed_open(posed, news->models[index].source, &model) == 0) {
        news->models[index].link = link;
        news->models[index].handle = model.handle;
        link->handle_count++;
        for (int i = 0; i < 32; i++)
            snprintf(found + (size_t)2 * (size_t)i, 3, "%02x", model.content_hash[i]);
        news->models[index].has_changed |= strcmp(found, hash) != 0;
        if (posed_watch(posed, &model, 1) == 0)
            return;
    }
    if (posed->error.status != POSED_E_SERVER)
        drop_link(news, link);
}

void watcher_close(struct watcher *news)
{
    while (news->connection_count > 0)
        drop_link(news, news->links[0]);
    for (size_t i = 0; i < news->count; i++) {
        free(news->models[i].model);
        free(news->models[i].source);
    }
    free(news->models);
    free(news->links);
    *news = (struct watcher){0};
}
