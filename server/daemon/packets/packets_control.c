/* packets_control.c - answers packets about handles, watches and streams of the connection itself. */
#include "daemon/packets/packets.h"

static int start_stream(struct conn *conn, const struct packet *packet, size_t *bad_at, struct err *err)
{
    struct packet_model model;
    struct packet_subscribe how;
    struct request request = {0};
    struct err unknown;
    const bool is_unknown = packets_find_model(conn, packet, &model, &unknown) < 0;
    int rc = packet_read_subscribe(&request, packet, model.path == NULL ? NULL : &model, &conn->group->config->limits,
                                   &how, bad_at, err);
    if (is_unknown && *bad_at == PACKET_NOT_MALFORMED) {
        *err = unknown;
        rc = err->code;
    }
    if (rc < 0 || streams_start(conn, packet, &request, &how, err) < 0) {
        request_fini(&request);
        return err->code;
    }
    return 0;
}

/* The packets close and watch. */
static int change_handle(struct conn *conn, const struct packet *packet, size_t *bad_at, struct err *err)
{
    struct packet_model model;
    uint32_t is_on = 0, unused;
    const bool is_watch = packet->kind == PACKET_WATCH;
    if ((is_watch ? packet_read_numbers(packet, &is_on, &unused, bad_at, err)
                  : packet_read_empty(packet, bad_at, err)) < 0 ||
        packets_find_model(conn, packet, &model, err) < 0)
        return err->code;
    if (model.path == NULL)
        return err_set(err, ERR_MODEL_NOT_FOUND, "%s: the header names no model", packet_name(packet->kind));
    if (is_watch && is_on == 1) {
        model_watches_add(conn, packet->model, packet->id);
        return 0;
    }
    model_watches_remove(conn, packet->model);
    if (is_watch)
        return 0;
    streams_end_all(conn, packet->model);
    model_handles_remove(&conn->packets->handles, packet->model);
    return 0;
}

int packets_control(struct conn *conn, const struct packet *packet, size_t *bad_at, struct err *err)
{
    struct packet_control control;
    uint32_t stream = 0, credit = 0;
    int rc;
    switch (packet->kind) {
    case PACKET_CLOSE:
    case PACKET_WATCH:
        rc = change_handle(conn, packet, bad_at, err);
        break;
    case PACKET_SUBSCRIBE:
        rc = start_stream(conn, packet, bad_at, err);
        break;
    case PACKET_CONTROL:
        rc = packet_read_control(packet, &conn->group->config->limits, &control, bad_at, err);
        if (rc == 0)
            rc = streams_control(conn, &control, err);
        break;
    case PACKET_CREDIT:
        if (packet_read_numbers(packet, &stream, &credit, bad_at, err) < 0)
            return err->code;
        streams_credit(conn, stream, credit);
        return 0;
    case PACKET_UNSUBSCRIBE:
        rc = packet_read_numbers(packet, &stream, &credit, bad_at, err);
        if (rc == 0)
            streams_end(conn, stream);
        break;
    case PACKET_PING:
        rc = packet_read_empty(packet, bad_at, err);
        break;
    default:
        rc = err_set(err, ERR_NOT_FOUND, "there is no packet of kind %u for a server", packet->kind);
    }
    return rc < 0 ? rc : 1;
}
