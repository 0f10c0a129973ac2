/* streams.c - the streams of a connection: sends a frame at each tick if the client has given credit and reads. */
#include "base/container_of.h"
#include "base/mem.h"
#include "daemon/packets/packets.h"
#include "daemon/support/stats.h"
#include "daemon/packets/stream_clock.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <utlist.h>

enum { NS_PER_MS = 1000000, BREATH_MS = 1 };

struct stream {
    struct conn *conn;
    uv_timer_t timer;
    struct call call; /* its request is the stream's for all frames */
    struct stream_clock clock;
    uint32_t id, model;
    uint32_t credit;
    uint32_t skipped; /* ticks since the last frame sent */
    uint64_t tick;    /* of the frame under way */
    bool is_calling;  /* the dispatcher has `call` */
    bool is_ended;    /* nothing more is sent */
    bool is_closed;   /* so is the timer */
    struct stream *prev, *next;
};

static void free_when_done(struct stream *stream)
{
    if (!stream->is_closed || stream->is_calling)
        return;
    struct conn *conn = stream->conn;
    request_fini(&stream->call.request);
    free(stream);
    conn_release(conn);
}

static void on_timer_closed(uv_handle_t *handle)
{
    struct stream *stream = handle->data;
    stream->is_closed = true;
    free_when_done(stream);
}

static void end(struct stream *stream)
{
    struct packets *packets = stream->conn->packets;
    if (stream->is_ended)
        return;
    stream->is_ended = true;
    DL_DELETE(packets->streams, stream);
    packets->stream_count--;
    stats_set(STAT_STREAMS_OPEN, --stream->conn->group->stream_count);
    if (stream->is_calling)
        dispatcher_cancel(stream->conn->group->dispatcher, &stream->call);
    uv_close((uv_handle_t *)&stream->timer, on_timer_closed);
}

/* --- frames --- */

static void put_frame(struct stream *stream, struct reply *reply)
{
    struct packet packet = {.kind = PACKET_STREAM, .id = stream->id, .warnings = reply->warning_count};
    struct buf head;
    buf_init(&head, 0);
    buf_put_u64(&head, stream->tick);
    buf_put_u32(&head, stream->skipped);
    buf_put_u32(&head, stream->credit);
    stream->skipped = 0;
    packets_set_model(stream->conn, &packet, stream->model, reply);
    packets_put(stream->conn, &packet, &head, reply, NULL);
    buf_fini(&head);
    stats_add(STAT_STREAMS_FRAMES, 1);
}

static void put_end(struct stream *stream, const struct reply *reply)
{
    struct packet_envelope frame;
    packet_envelope_wrap(&frame, reply, stream->id, PACKET_NO_OFFSET);
    packets_set_model(stream->conn, &frame.packet, stream->model, reply);
    frame.packet.flags |= PACKET_HEADER_LAST;
    packets_put(stream->conn, &frame.packet, &frame.front, NULL, NULL);
    packet_envelope_fini(&frame);
}

static void skip(struct stream *stream, uint64_t count)
{
    stream->skipped += (uint32_t)count;
    stats_add(STAT_STREAMS_SKIPPED, count);
}

static void go_on(struct stream *stream, uint64_t least_ms);

static void on_frame(struct call *call, struct reply *reply)
{
    struct stream *stream = container_of(call, struct stream, call);
    struct conn *conn = stream->conn;
    stream->is_calling = false;
    if (stream->is_ended) {
        reply_fini(reply);
        free_when_done(stream);
        return;
    }
    if (reply->code == ERR_OVERLOADED || reply->code == ERR_SOURCE_UNAVAILABLE || conn->state == CONN_STREAMING) {
        /* not now, or nothing fits between the pieces of a reply */
        stream->credit++;
        skip(stream, 1);
    } else if (reply->code != 0) {
        put_end(stream, reply);
        end(stream);
    } else {
        put_frame(stream, reply);
    }
    reply_fini(reply);
    if (!stream->is_ended)
        go_on(stream, BREATH_MS);
    conn_run(conn);
}

/* Does not make a frame that would only wait. */
static bool can_send(const struct stream *stream)
{
    return stream->credit > 0 && !stream->is_calling && stream->conn->out.unsent_bytes == 0 &&
           stream->conn->state != CONN_STREAMING && !budget_is_used_up(stream->conn->group->budget);
}

/* Its speed has moved it beyond finite positions. */
static void end_at_infinity(struct stream *stream)
{
    struct conn *conn = stream->conn;
    struct reply reply;
    struct err err;
    reply_init(&reply);
    err_set(&err, ERR_NOT_FINITE, "the position of the stream is not a finite number");
    reply_error(&reply, &err, NULL, 0);
    put_end(stream, &reply);
    reply_fini(&reply);
    end(stream);
    conn_run(conn);
}

static void on_timer(uv_timer_t *timer)
{
    struct stream *stream = timer->data;
    const uint64_t now_ns = uv_hrtime();
    uint64_t tick;
    if (conn_group_turn_is_over(stream->conn->group, now_ns)) { /* all due timers run in one turn of the loop */
        go_on(stream, BREATH_MS);
        return;
    }
    const bool is_due = stream_clock_due(&stream->clock, now_ns, &tick);
    const bool is_by_the_clock = !stream->clock.is_paused && stream->clock.rate > 0;
    if (!is_due || !can_send(stream)) {
        if (is_due && is_by_the_clock) {
            skip(stream, tick + 1 - stream->clock.next);
            stream_clock_pass(&stream->clock, tick);
        }
        go_on(stream, BREATH_MS);
        return;
    }
    const double position_s = stream_clock_position(&stream->clock, tick, now_ns);
    if (!isfinite(position_s)) {
        end_at_infinity(stream);
        return;
    }
    skip(stream, tick - stream->clock.next);
    request_set_time(&stream->call.request, position_s);
    stream_clock_pass(&stream->clock, tick);
    stream->tick = tick;
    stream->credit--;
    stream->is_calling = true;
    stream->call.spent_ns = 0;
    dispatcher_handle(stream->conn->group->dispatcher, &stream->call);
}

/* Sets the timer for the next frame: at its time, as soon as possible, or not until an event. `least_ms` is 0 only
 * after a packet of the client, because a timer that sets an immediately due timer would block the loop. For the same
 * reason this does not update the loop's time. */
static void go_on(struct stream *stream, uint64_t least_ms)
{
    const uint64_t next_ns = stream_clock_next_ns(&stream->clock);
    const uint64_t loop_ms = uv_now(stream->conn->group->loop);
    uint64_t tick, wait_ms = 0;
    if (next_ns != UINT64_MAX) {
        const uint64_t next_ms = (next_ns + NS_PER_MS - 1) / NS_PER_MS;
        wait_ms = next_ms > loop_ms ? next_ms - loop_ms : 0;
    } else if (!stream_clock_due(&stream->clock, uv_hrtime(), &tick) || !can_send(stream)) {
        uv_timer_stop(&stream->timer);
        return;
    }
    uv_timer_start(&stream->timer, on_timer, wait_ms > least_ms ? wait_ms : least_ms, 0);
}

/* --- packets about streams --- */

static struct stream *find(const struct conn *conn, uint32_t id)
{
    struct stream *stream;
    DL_FOREACH(conn->packets->streams, stream)
    if (stream->id == id)
        return stream;
    return NULL;
}

int streams_start(struct conn *conn, const struct packet *packet, struct request *request,
                  const struct packet_subscribe *how, struct err *err)
{
    if (find(conn, packet->id) != NULL)
        return err_set(err, ERR_CONFLICT, "subscribe: the connection has a stream %u already", packet->id);
    if (packets_check_place(conn, "streams", conn->packets->stream_count, LIMIT_STREAMS, err) < 0)
        return err->code;
    struct stream *stream = mem_zalloc(1, sizeof *stream);
    stream->conn = conn;
    stream->call = (struct call){.request = *request, .done = on_frame};
    *request = (struct request){0};
    stream->id = packet->id;
    stream->model = packet->model;
    stream->credit = how->credit;
    stream->timer.data = stream;
    uv_timer_init(conn->group->loop, &stream->timer);
    stream_clock_start(&stream->clock, how->rate, how->position_s, how->speed, how->is_paused, uv_hrtime());
    DL_APPEND(conn->packets->streams, stream);
    conn->packets->stream_count++;
    conn->pending_count++;
    stats_set(STAT_STREAMS_OPEN, ++conn->group->stream_count);
    go_on(stream, 0);
    return 0;
}

int streams_control(struct conn *conn, const struct packet_control *control, struct err *err)
{
    struct stream *stream = find(conn, control->stream);
    if (stream == NULL)
        return err_set(err, ERR_NOT_FOUND, "control: there is no stream %u", control->stream);
    const struct stream_change change = {
        .pauses = (control->flags & PACKET_CONTROL_PAUSE) != 0,
        .resumes = (control->flags & PACKET_CONTROL_RESUME) != 0,
        .position_s = (control->flags & PACKET_CONTROL_SEEK) != 0 ? &control->position_s : NULL,
        .speed = (control->flags & PACKET_CONTROL_SPEED) != 0 ? &control->speed : NULL,
        .rate = (control->flags & PACKET_CONTROL_RATE) != 0 ? &control->rate : NULL,
    };
    stream_clock_change(&stream->clock, &change, uv_hrtime());
    go_on(stream, 0);
    return 0;
}

void streams_credit(struct conn *conn, uint32_t id, uint32_t credit)
{
    struct stream *stream = find(conn, id);
    if (stream == NULL)
        return;
    const uint64_t sum = (uint64_t)stream->credit + credit;
    stream->credit = sum > UINT32_MAX ? UINT32_MAX : (uint32_t)sum;
    go_on(stream, 0);
}

void streams_end(struct conn *conn, uint32_t id)
{
    struct stream *stream = find(conn, id);
    if (stream != NULL)
        end(stream);
}

void streams_end_all(struct conn *conn, uint32_t model)
{
    struct stream *stream, *next;
    DL_FOREACH_SAFE(conn->packets->streams, stream, next)
    if (model == 0 || stream->model == model)
        end(stream);
}

static void fail(struct stream *stream, const struct reply *reply)
{
    put_end(stream, reply);
    end(stream);
}

void streams_fail_all(struct conn *conn, const struct err *err)
{
    struct stream *stream, *next;
    struct reply reply;
    reply_init(&reply);
    reply_error(&reply, err, NULL, 0);
    DL_FOREACH_SAFE(conn->packets->streams, stream, next)
    fail(stream, &reply);
    reply_fini(&reply);
}

void streams_resume(struct conn *conn)
{
    struct stream *stream;
    DL_FOREACH(conn->packets->streams, stream)
    if (!stream->is_calling && stream_clock_next_ns(&stream->clock) == UINT64_MAX)
        go_on(stream, BREATH_MS);
}

size_t streams_held_bytes(const struct conn *conn)
{
    size_t held_bytes = 0;
    struct stream *stream;
    DL_FOREACH(conn->packets->streams, stream)
    held_bytes += sizeof *stream + stream->call.request.pose.memory.capacity_bytes +
                  request_parts_bytes(&stream->call.request) +
                  (stream->call.request.skin_count + stream->call.request.pose.joint_count) * sizeof(struct selector);
    return held_bytes;
}
