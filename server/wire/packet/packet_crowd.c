/* packet_crowd.c - reads a crowd from its packet, and a raycast, which contains one. */
#include "wire/request/crowd_request.h"
#include "wire/packet/packet_fields.h"
#include "wire/request/request_raycast.h"

/* Returns the offset in the packet of the malformed byte. at: its offset in the payload, or SIZE_MAX. As with other
 * kinds, a payload that is too short is an error of its size field. */
static size_t bad_byte(const struct packet *packet, size_t at)
{
    return at == SIZE_MAX               ? PACKET_NOT_MALFORMED
           : at < packet->payload_bytes ? PACKET_HEADER_BYTES + at
                                        : PACKET_AT_HEADER_payload_bytes;
}

int packet_read_raycast(struct request *request, const struct packet *packet, const struct limits *limits,
                        size_t *bad_at, struct err *err)
{
    size_t at;
    *bad_at = PACKET_NOT_MALFORMED;
    request_fini(request);
    request->op = OP_RAYCAST;
    request->format = FORMAT_BIN;
    if (packet->model != 0 || packet->generation != 0)
        return err_set(err, ERR_BAD_PARAMETER, "raycast: the models stand in the payload, none in the header");
    const int rc = request_read_raycast(request, packet->payload, packet->payload_bytes, limits, &at, err);
    if (rc < 0)
        *bad_at = bad_byte(packet, at);
    return rc;
}

int packet_read_crowd(struct request *request, const struct packet *packet, const struct limits *limits, size_t *bad_at,
                      struct err *err)
{
    size_t at;
    *bad_at = PACKET_NOT_MALFORMED;
    request_fini(request);
    request->op = OP_CROWD;
    request->format = FORMAT_BIN;
    if (packet->model != 0 || packet->generation != 0)
        return err_set(err, ERR_BAD_PARAMETER, "crowd: the models stand in the payload, none in the header");
    const int rc = crowd_request_read(&request->crowd, packet->payload, packet->payload_bytes, limits, &at, err);
    if (rc < 0)
        *bad_at = bad_byte(packet, at);
    return rc;
}
