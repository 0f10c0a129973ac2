#include "clients/cli/watch/news.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct news_link {
    struct link link;
    struct news *news;
    size_t handle_count;
};

/* Also called from within posed_open() and the like, for what comes before their answer. */
static void on_event(void *context, const struct posed_packet *packet)
{
    struct news_link *link = context;
    struct news *news = link->news;
    for (size_t i = 0; packet->kind == POSED_CHANGED && i < news->count; i++)
        if (news->models[i].link == link && news->models[i].handle == packet->model)
            news->models[i].has_changed = true;
}

/* --- links --- */

/* Its models are to be watched anew, and may have changed meanwhile. */
static void drop_link(struct news *news, struct news_link *link)
{
    for (size_t i = 0; i < news->count; i++)
        if (news->models[i].link == link) {
            news->models[i].link = NULL;
            news->models[i].has_changed = true;
        }
    for (size_t i = 0; i < news->link_count; i++)
        if (news->links[i] == link)
            news->links[i] = news->links[--news->link_count];
    link_close(&link->link);
    free(link);
}

/* One with room for another handle; NULL after complaining. */
static struct news_link *find_link(struct news *news)
{
    for (size_t i = 0; i < news->link_count; i++)
        if (news->links[i]->handle_count < news->links[i]->link.posed.hello.models_max)
            return news->links[i];
    struct news_link *link = must_alloc(sizeof *link);
    link->news = news;
    if (link_open_for_events(&link->link, news->session, on_event, link) < 0) {
        free(link);
        return NULL;
    }
    news->links = must_grow(news->links, (news->link_count + 1) * sizeof(struct news_link *));
    news->links[news->link_count++] = link;
    return link;
}

/* Takes all packets that have come. */
static void read_link(struct news *news, struct news_link *link)
{
    struct posed_packet packet;
    int rc;
    while ((rc = posed_next(&link->link.posed, 0, &packet)) == 1)
        on_event(link, &packet);
    if (rc < 0)
        drop_link(news, link);
}

static bool has_any(const struct news *news)
{
    for (size_t i = 0; i < news->count; i++)
        if (news->models[i].has_changed)
            return true;
    return false;
}

static void read_links(struct news *news)
{
    for (size_t i = news->link_count; i-- > 0;) /* a link that breaks is replaced by the last one */
        read_link(news, news->links[i]);
}

void news_wait(struct news *news, double timeout_s)
{
    read_links(news); /* what came with the answer to something else makes no socket readable */
    struct pollfd *sockets = must_alloc((news->link_count + 1) * sizeof *sockets);
    for (size_t i = 0; i < news->link_count; i++)
        sockets[i] = (struct pollfd){.fd = news->links[i]->link.posed.fd, .events = POLLIN};
    if (!has_any(news) && poll(sockets, (nfds_t)news->link_count, (int)(timeout_s * 1000 + 0.5)) > 0)
        read_links(news);
    free(sockets);
}

/* --- models --- */

static void close_handle(struct news *news, struct news_link *link, uint32_t handle)
{
    struct posed_model model = {.handle = handle};
    if (posed_close(&link->link.posed, &model) < 0 && link->link.posed.error.status != POSED_E_SERVER)
        drop_link(news, link);
    else
        link->handle_count--;
}

/* Whether the link is there still: another one's end may have been seen meanwhile. */
static bool has_link(const struct news *news, const struct news_link *link)
{
    for (size_t i = 0; i < news->link_count; i++)
        if (news->links[i] == link)
            return true;
    return false;
}

void news_align(struct news *news, const struct item *items, size_t count)
{
    struct news_model *models = must_alloc((count + 1) * sizeof *models), *before = news->models;
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

void news_watch(struct news *news, size_t index, const char *hash)
{
    struct news_link *link = find_link(news);
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

void news_end(struct news *news)
{
    while (news->link_count > 0)
        drop_link(news, news->links[0]);
    for (size_t i = 0; i < news->count; i++) {
        free(news->models[i].model);
        free(news->models[i].source);
    }
    free(news->models);
    free(news->links);
    *news = (struct news){0};
}
