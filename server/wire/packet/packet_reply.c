#include "wire/packet/packet_reply.h"

#include "base/version.h"
#include "wire/request/crowd_request.h"
#include "wire/encode/frames.h"
#include "wire/encode/glb.h"
#include "wire/request/request_raycast.h"

#include <stdio.h>
#include <string.h>

enum {
    HELLO_SERVER_BYTES = 24,
    PAYLOAD_MOST = 1 << 30, /* independent of --max-body, because the size is a u32 */
};

static unsigned kind_of(const char *content_type)
{
    static const struct {
        const char *type;
        unsigned kind;
    } KINDS[] = {{FRAMES_CONTENT_TYPE, PACKET_FRAMES},
                 {"application/json", PACKET_JSON},
                 {"image/png", PACKET_PNG},
                 {GLB_CONTENT_TYPE, PACKET_GLB},
                 {PACKET_TYPE_OPENED, PACKET_OPENED},
                 {PACKET_TYPE_FOUND, PACKET_FOUND},
                 {CROWD_ANSWER_CONTENT_TYPE, PACKET_ENTITIES},
                 {RAYCAST_ANSWER_CONTENT_TYPE, PACKET_HITS}};
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++)
        if (content_type == KINDS[i].type || (content_type != NULL && strcmp(content_type, KINDS[i].type) == 0))
            return KINDS[i].kind;
    return PACKET_OTHER;
}

static void put_note(struct buf *notes, const char *name, const char *value, size_t value_bytes)
{
    buf_put_text(notes, name);
    buf_put_text(notes, ": ");
    buf_put(notes, value, value_bytes);
    buf_put_char(notes, '\n');
}

static void put_error(struct buf *out, const struct reply *reply, uint64_t bad_offset)
{
    buf_put_u64(out, bad_offset);
    buf_put_u32(out, (uint32_t)reply->retry_after_s);
    buf_put_u32(out, (uint32_t)reply->message.size_bytes);
    buf_put(out, reply->message.data, reply->message.size_bytes);
    buf_put(out, reply->body.data, reply->body.size_bytes);
}

void packet_envelope_wrap(struct packet_envelope *frame, const struct reply *reply, uint32_t id, uint64_t bad_offset)
{
    *frame = (struct packet_envelope){.packet = {.id = id}};
    struct packet *packet = &frame->packet;
    if (reply->code != 0) {
        packet->kind = PACKET_ERROR;
        packet->code = (uint16_t)-reply->code;
        put_error(&frame->front, reply, bad_offset);
        packet->payload_bytes = (uint32_t)frame->front.size_bytes;
        return;
    }
    packet->kind = (uint16_t)kind_of(reply->content_type);
    packet->warnings = reply->warning_count;
    if (packet->kind == PACKET_OTHER && reply->content_type != NULL)
        put_note(&frame->notes, "Content-Type", reply->content_type, strlen(reply->content_type));
    if (reply->unmatched.size_bytes > 0)
        put_note(&frame->notes, "X-Posed-Unmatched", reply->unmatched.data, reply->unmatched.size_bytes);
    if (reply->stale_s > 0) {
        char text[16] = "";
        snprintf(text, sizeof text, "%u", reply->stale_s);
        put_note(&frame->notes, "X-Posed-Stale", text, strlen(text));
    }
    packet->note_bytes = (uint32_t)frame->notes.size_bytes;
    frame->has_body = true;
    const uint64_t rest_bytes = reply->rest == NULL ? 0 : reply->rest_bytes;
    packet->payload_bytes = (uint32_t)(reply_body_bytes(reply) + rest_bytes + frame->notes.size_bytes);
}

void packet_envelope_fini(struct packet_envelope *frame)
{
    buf_fini(&frame->front);
    buf_fini(&frame->notes);
}

uint32_t packet_payload_max(const struct limits *limits)
{
    const uint64_t most = limits->value[LIMIT_BODY_BYTES];
    return most < PAYLOAD_MOST ? (uint32_t)most : PAYLOAD_MOST;
}

void packet_put_hello(struct buf *out, uint16_t version, const struct limits *limits)
{
    const uint64_t *limit = limits->value;
    char server[HELLO_SERVER_BYTES] = {0};
    strncpy(server, POSED_RELEASE, sizeof server - 1);
    buf_put_u16(out, version);
    buf_put_u16(out, 0);
    buf_put_u32(out, packet_payload_max(limits));
    buf_put_u32(out, (uint32_t)limit[LIMIT_HANDLES]);
    buf_put_u32(out, (uint32_t)limit[LIMIT_STREAMS]);
    buf_put_u64(out, limit[LIMIT_ANSWER_BYTES]);
    buf_put_u32(out, (uint32_t)limit[LIMIT_FRAMES]);
    buf_put_u32(out, (uint32_t)limit[LIMIT_PICTURE_SIDE]);
    buf_put_f64(out, (double)limit[LIMIT_STREAM_RATE]);
    buf_put(out, server, sizeof server);
}
