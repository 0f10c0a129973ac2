/* packets_row.c - answers a row of packets that differ only in id and time, as sent by a client that requests the poses
 * of many times. It reuses the common data of the first answer, writes the others directly into the send queue, and
 * evaluates their poses together. */
#include "daemon/packets/packets.h"

#include "base/bytes.h"
#include "daemon/evaluation/prepared_queries.h"
#include "daemon/support/log.h"
#include "daemon/support/metrics.h"
#include "daemon/support/stats.h"
#include "wire/operations/prepared_reply.h"
#include "wire/encode/frames.h"

#include <math.h>
#include <string.h>

enum { ROW_MAX = PREPARED_ROW_MAX }; /* quick answers between two readings of the clock */

/* The packet that was answered last: its bytes, and where in them the two things are in which others may differ. */
struct row {
    const char *bytes;
    size_t size_bytes;
};
enum {
    ID_AT = PACKET_AT_HEADER_id,
    TIME_AT = PACKET_HEADER_BYTES + PACKET_AT_QUERY_times,
};

static bool is_alike(const struct row *row, const char *next)
{
    const size_t behind_id = ID_AT + sizeof(uint32_t), behind_time = TIME_AT + sizeof(double);
    return memcmp(next, row->bytes, ID_AT) == 0 &&
           memcmp(next + behind_id, row->bytes + behind_id, TIME_AT - behind_id) == 0 &&
           memcmp(next + behind_time, row->bytes + behind_time, row->size_bytes - behind_time) == 0 &&
           isfinite(get_f64(next + TIME_AT));
}

/* False: it takes the long way. */
static bool answer(struct conn *conn, struct prepared_query *query, const char *bytes, struct packet *packet)
{
    struct buf *tail = send_queue_tail(&conn->out);
    const size_t before = tail->size_bytes;
    packet->id = get_u32(bytes + ID_AT);
    packet_put_header(tail, packet); /* without the fields that are not known yet */
    if (before % FRAMES_ALIGNMENT != 0 ||
        !dispatcher_append_reply(conn->group->dispatcher, query, get_f64(bytes + TIME_AT), tail, &packet->warnings)) {
        tail->size_bytes = before;
        return false;
    }
    const uint32_t body_bytes = (uint32_t)(tail->size_bytes - before) - PACKET_HEADER_BYTES;
    packet->payload_bytes = body_bytes;
    packet_write_header(tail->data + before, packet);
    send_queue_count_tail(&conn->out, before);
    metrics_count_request((int)query->request.op, 200, 0, body_bytes);
    return true;
}

void packets_answer_row(struct conn *conn, const struct packet *first)
{
    const size_t size_bytes = (size_t)PACKET_HEADER_BYTES + first->payload_bytes + packet_padding(first->payload_bytes);
    const struct row row = {first->payload - PACKET_HEADER_BYTES, size_bytes};
    const struct model_handle *handle = model_handles_find(&conn->packets->handles, first->model);
    struct prepared_query *query = conn->hint.query;
    struct packet packet = {
        .kind = PACKET_FRAMES, .model = first->model, .generation = handle == NULL ? 0 : handle->generation};
    uint32_t count = 0;
    /* first, because the bytes of a packet that arrived in parts were elsewhere and are gone */
    if (row.bytes + size_bytes != conn->in || handle == NULL || !query->is_quick || conn->packets->websocket != NULL ||
        log_has_requests())
        return;
    while (count < ROW_MAX && conn->in_bytes >= size_bytes && conn_can_parse(conn) && is_alike(&row, conn->in) &&
           answer(conn, query, conn->in, &packet)) {
        conn->in += size_bytes;
        conn->in_bytes -= size_bytes;
        packet_reader_pass(&conn->packets->reader, size_bytes);
        count++;
    }
    if (count > 0)
        dispatcher_finish_replies(conn->group->dispatcher, query, send_queue_tail(&conn->out));
    stats_add(STAT_REQUESTS_REPEATED, count);
    stats_add(STAT_REQUESTS_ANSWERED, count);
}
