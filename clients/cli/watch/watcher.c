/* Keeps a watch on each model. The watches are spread over connections by the number of handles that each may have. */
#include "clients/cli/watch/watcher.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct watcher_connection {
    struct connection connection;
    struct watcher *watcher;
    size_t handle_count;
};

/* Receives packets. posed_open() and other calls invoke it, too, for packets that arrive before their answer. */
static void on_event(void *context, const struct posed_packet *packet)
{
    struct watcher_connection *connection = context;
    struct watcher *watcher = connection->watcher;
    for (size_t i = 0; packet->kind == POSED_CHANGED && i < watcher->count; i++)
        if (watcher->models[i].connection == connection && watcher->models[i].handle == packet->model)
            watcher->models[i].has_changed = true;
}

/* --- connections --- */

/* Drops a connection. Its models need new watches, and may have changed meanwhile. */
static void drop_connection(struct watcher *watcher, struct watcher_connection *connection)
{
    for (size_t i = 0; i < watcher->count; i++)
        if (watcher->models[i].connection == connection) {
            watcher->models[i].connection = NULL;
            watcher->models[i].has_changed = true;
        }
    for (size_t i = 0; i < watcher->connection_count; i++)
        if (watcher->connections[i] == connection)
            watcher->connections[i] = watcher->connections[--watcher->connection_count];
    connection_close(&connection->connection);
    free(connection);
}

/* Returns a connection with room for another handle, or NULL after printing the error. */
static struct watcher_connection *find_connection(struct watcher *watcher)
{
    for (size_t i = 0; i < watcher->connection_count; i++)
        if (watcher->connections[i]->handle_count < watcher->connections[i]->connection.posed.hello.models_max)
            return watcher->connections[i];
    struct watcher_connection *connection = must_alloc(sizeof *connection);
    connection->watcher = watcher;
    if (connection_open(&connection->connection, watcher->session, on_event, connection) < 0) {
        free(connection);
        return NULL;
    }
    watcher->connections =
        must_grow(watcher->connections, (watcher->connection_count + 1) * sizeof(struct watcher_connection *));
    watcher->connections[watcher->connection_count++] = connection;
    return connection;
}

/* Reads all packets that have arrived. */
static void read_connection(struct watcher *watcher, struct watcher_connection *connection)
{
    struct posed_packet packet;
    int rc;
    while ((rc = posed_next(&connection->connection.posed, 0, &packet)) == 1)
        on_event(connection, &packet);
    if (rc < 0)
        drop_connection(watcher, connection);
}

static bool has_any(const struct watcher *watcher)
{
    for (size_t i = 0; i < watcher->count; i++)
        if (watcher->models[i].has_changed)
            return true;
    return false;
}

static void read_connections(struct watcher *watcher)
{
    for (size_t i = watcher->connection_count; i-- > 0;) /* the last connection replaces a broken one */
        read_connection(watcher, watcher->connections[i]);
}

void watcher_wait(struct watcher *watcher, double timeout_s)
{
    read_connections(watcher); /* a packet that was read along with an earlier answer makes no socket readable */
    struct pollfd *sockets = must_alloc((watcher->connection_count + 1) * sizeof *sockets);
    for (size_t i = 0; i < watcher->connection_count; i++)
        sockets[i] = (struct pollfd){.fd = watcher->connections[i]->connection.posed.fd, .events = POLLIN};
    int timeout_ms = (int)(timeout_s * 1000 + 0.5);
    for (size_t i = 0; i < watcher->connection_count; i++) {
        const int wait_ms = posed_wait_ms(&watcher->connections[i]->connection.posed);
        timeout_ms = wait_ms >= 0 && wait_ms < timeout_ms ? wait_ms : timeout_ms;
    }
    if (!has_any(watcher)) {
        (void)poll(sockets, (nfds_t)watcher->connection_count, timeout_ms);
        read_connections(watcher);
    }
    free(sockets);
}

/* --- models --- */

static void close_handle(struct watcher *watcher, struct watcher_connection *connection, uint32_t handle)
{
    struct posed_model model = {.handle = handle};
    if (posed_close(&connection->connection.posed, &model) < 0 &&
        connection->connection.posed.error.status != POSED_E_SERVER)
        drop_connection(watcher, connection);
    else
        connection->handle_count--;
}

/* Returns whether the connection still exists. Closing a handle may have found it broken. */
static bool has_connection(const struct watcher *watcher, const struct watcher_connection *connection)
{
    for (size_t i = 0; i < watcher->connection_count; i++)
        if (watcher->connections[i] == connection)
            return true;
    return false;
}

void watcher_set_models(struct watcher *watcher, const struct model_list *list)
{
    const struct listed_model *items = list->items;
    const size_t count = list->count;
    struct watched_model *models = must_alloc((count + 1) * sizeof *models), *before = watcher->models;
    const size_t before_count = watcher->count;
    size_t old = 0, gone = 0;
    for (size_t i = 0; i < count; i++) {
        int order = -1;
        while (old < before_count && (order = strcmp(before[old].model, items[i].model)) < 0)
            before[gone++] = before[old++];
        if (old < before_count && order == 0 && strcmp(before[old].source, items[i].source) != 0)
            before[gone++] = before[old++]; /* the symbolic link has a new target, so it counts as a new model */
        else if (old < before_count && order == 0) {
            models[i] = before[old++];
            continue;
        }
        models[i].model = must_copy(items[i].model);
        models[i].source = must_copy(items[i].source);
    }
    while (old < before_count)
        before[gone++] = before[old++];
    watcher->models = models; /* events from here on are for these */
    watcher->count = count;
    for (size_t i = 0; i < gone; i++) {
        if (before[i].connection != NULL && has_connection(watcher, before[i].connection))
            close_handle(watcher, before[i].connection, before[i].handle);
        free(before[i].model);
        free(before[i].source);
    }
    free(before);
}

void watcher_watch(struct watcher *watcher, size_t index, const char *hash)
{
    struct watcher_connection *connection = find_connection(watcher);
    struct posed_model model;
    char found[65];
    if (connection == NULL)
        return;
    struct posed *posed = &connection->connection.posed;
    if (posed_open(posed, watcher->models[index].source, &model) == 0) {
        watcher->models[index].connection = connection;
        watcher->models[index].handle = model.handle;
        connection->handle_count++;
        for (int i = 0; i < 32; i++)
            snprintf(found + (size_t)2 * (size_t)i, 3, "%02x", model.content_hash[i]);
        watcher->models[index].has_changed |= strcmp(found, hash) != 0;
        if (posed_watch(posed, &model, 1) == 0)
            return;
    }
    if (posed->error.status != POSED_E_SERVER)
        drop_connection(watcher, connection);
}

void watcher_close(struct watcher *watcher)
{
    while (watcher->connection_count > 0)
        drop_connection(watcher, watcher->connections[0]);
    for (size_t i = 0; i < watcher->count; i++) {
        free(watcher->models[i].model);
        free(watcher->models[i].source);
    }
    free(watcher->models);
    free(watcher->connections);
    *watcher = (struct watcher){0};
}
