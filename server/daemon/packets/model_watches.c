/* model_watches.c - reports changes of models to clients, and checks the watched models.
 *
 * It requests a watched model when the cache reports a change, and regularly if there are no events for it or it is not
 * in memory. It compares the reply with the last report of each watch. */
#include "daemon/packets/packets.h"

#include "base/container_of.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include <utlist.h>

enum { LOOKS_PER_TICK = 256 };

/* A watched path, with all its watches. */
struct watched_model {
    struct model_watches *watches;
    char *path;
    struct model_watch *first;
    struct call call;
    uint64_t looked_ms; /* 0: it changed since */
    bool is_calling;
    bool is_again; /* it changed during the request */
    UT_hash_handle hh;
};

struct model_watch {
    struct conn *conn;
    struct watched_model *watched;
    uint32_t model, id;
    uint8_t content_hash[CONTENT_HASH_BYTES]; /* the client was told last */
    int code;                                 /* likewise, of an error; or 0 */
    struct model_watch *next, *prev;          /* of the connection */
    struct model_watch *same_next, *same_prev;
};

struct model_watches {
    struct conn_group *conns;
    struct change_listener listener;
    struct watched_model *models;
    bool has_changes;
};

/* --- telling --- */

static void tell(struct model_watch *watch, const struct reply *reply)
{
    struct packet packet = {.kind = PACKET_CHANGED, .id = watch->id, .code = (uint16_t)-reply->code};
    const uint8_t none[CONTENT_HASH_BYTES] = {0};
    struct buf payload;
    packets_set_model(watch->conn, &packet, watch->model, reply);
    packet.model = watch->model;
    watch->code = reply->code;
    if (reply->code == 0)
        memcpy(watch->content_hash, reply->content_hash, CONTENT_HASH_BYTES);
    buf_init(&payload, 0);
    buf_put(&payload, reply->code == 0 ? reply->content_hash : none, CONTENT_HASH_BYTES);
    buf_put(&payload, reply->message.data, reply->message.size_bytes);
    packets_put(watch->conn, &packet, &payload, NULL, NULL);
    buf_fini(&payload);
}

/* A 503 passes by itself. */
static bool is_news(const struct model_watch *watch, const struct reply *reply)
{
    return reply->status != 503 &&
           (watch->code != reply->code ||
            (reply->code == 0 && memcmp(watch->content_hash, reply->content_hash, CONTENT_HASH_BYTES) != 0));
}

/* If a client does not read, its report is deferred and describes the later state. */
static bool can_hear(const struct model_watch *watch)
{
    const struct conn *conn = watch->conn;
    return conn->state <= CONN_CALLING && !conn->is_last &&
           conn->out.unsent_bytes < conn->group->config->limits.value[LIMIT_WRITE_QUEUE_BYTES];
}

/* --- looking --- */

static void look(struct watched_model *watched);

static void drop_unwatched(struct watched_model *watched)
{
    if (watched->first != NULL || watched->is_calling)
        return;
    HASH_DEL(watched->watches->models, watched);
    free(watched->path);
    free(watched);
}

/* The connections are run in the next tick: running one may close it and remove its watches. */
static void on_looked(struct call *call, struct reply *reply)
{
    struct watched_model *watched = container_of(call, struct watched_model, call);
    struct model_watch *watch;
    watched->is_calling = false;
    request_fini(&call->request);
    DL_FOREACH2(watched->first, watch, same_next)
    if (can_hear(watch) && is_news(watch, reply)) {
        tell(watch, reply);
        watch->conn->is_resting = true;
        conn_group_wake(watch->conn->group);
    }
    reply_fini(reply);
    const bool is_again = watched->is_again;
    watched->is_again = false;
    if (is_again && watched->first != NULL)
        look(watched);
    else
        drop_unwatched(watched);
}

static void look(struct watched_model *watched)
{
    struct conn_group *conns = watched->watches->conns;
    if (watched->is_calling) {
        watched->is_again = true;
        return;
    }
    watched->looked_ms = uv_now(conns->loop);
    HASH_DEL(watched->watches->models, watched); /* behind the others, for the next tick */
    HASH_ADD_KEYPTR(hh, watched->watches->models, watched->path, strlen(watched->path), watched);
    watched->call = (struct call){.request = {.op = OP_OPEN, .model = watched->path}, .done = on_looked};
    watched->is_calling = true;
    dispatcher_handle(conns->dispatcher, &watched->call);
}

static void on_changed(struct change_listener *listener, const char *path)
{
    struct model_watches *watches = container_of(listener, struct model_watches, listener);
    struct watched_model *watched;
    HASH_FIND_STR(watches->models, path, watched);
    if (watched == NULL)
        return;
    watched->looked_ms = 0; /* the look itself comes in the next tick: the cache is in the middle of its work */
    watches->has_changes = true;
    conn_group_wake(watches->conns);
}

void packets_expire(struct conn_group *group)
{
    const uint64_t every_ms = group->config->limits.value[LIMIT_WATCH_TIME_MS], now_ms = uv_now(group->loop);
    uint32_t count = 0;
    for (struct watched_model *watched = group->model_watches->models, *next; watched != NULL; watched = next) {
        next = watched->hh.next;
        const bool is_late =
            watched->looked_ms == 0 || (group->config->watch != WATCH_OFF && now_ms - watched->looked_ms >= every_ms);
        if (!is_late || watched->is_calling)
            continue;
        if (++count > LOOKS_PER_TICK)
            break;
        look(watched);
    }
}

static void on_tick(struct conn_group *group)
{
    if (group->model_watches->has_changes)
        packets_expire(group);
    group->model_watches->has_changes = false;
}

/* --- watches --- */

static struct watched_model *find_watched(struct model_watches *watches, const char *path)
{
    struct watched_model *watched;
    HASH_FIND_STR(watches->models, path, watched);
    if (watched != NULL)
        return watched;
    watched = mem_zalloc(1, sizeof *watched);
    watched->watches = watches;
    watched->path = mem_strdup(path);
    watched->looked_ms = uv_now(watches->conns->loop);
    HASH_ADD_KEYPTR(hh, watches->models, watched->path, strlen(watched->path), watched);
    return watched;
}

void model_watches_add(struct conn *conn, uint32_t model, uint32_t id)
{
    const struct model_handle *handle = model_handles_find(&conn->packets->handles, model);
    struct model_watch *watch;
    DL_FOREACH(conn->packets->watches, watch)
    if (watch->model == model) {
        watch->id = id;
        return;
    }
    watch = mem_zalloc(1, sizeof *watch);
    *watch = (struct model_watch){.conn = conn, .model = model, .id = id};
    memcpy(watch->content_hash, handle->content_hash, CONTENT_HASH_BYTES);
    watch->watched = find_watched(conn->group->model_watches, handle->path);
    DL_APPEND(conn->packets->watches, watch);
    DL_APPEND2(watch->watched->first, watch, same_prev, same_next);
    conn->packets->watch_count++;
}

void model_watches_remove(struct conn *conn, uint32_t model)
{
    for (struct model_watch *watch = conn->packets->watches, *next; watch != NULL; watch = next) {
        next = watch->next;
        if (model != 0 && watch->model != model)
            continue;
        DL_DELETE(conn->packets->watches, watch);
        DL_DELETE2(watch->watched->first, watch, same_prev, same_next);
        conn->packets->watch_count--;
        drop_unwatched(watch->watched);
        free(watch);
    }
}

size_t model_watches_held_bytes(const struct conn *conn)
{
    return conn->packets->watch_count * sizeof(struct model_watch);
}

void model_watches_init(struct conn_group *group)
{
    struct model_watches *watches = mem_zalloc(1, sizeof *watches);
    group->model_watches = watches;
    group->packets_tick = on_tick;
    watches->conns = group;
    watches->listener.changed = on_changed;
    dispatcher_listen(group->dispatcher, &watches->listener);
}

void packets_detach(struct conn_group *group) { free(group->model_watches); }
