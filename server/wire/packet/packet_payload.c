/* packet_payload.c - reads fields of payloads, and the short payloads about streams. */
#include "wire/packet/packet_fields.h"

#include "base/bytes.h"
#include "base/utf8.h"

#include <math.h>
#include <string.h>

struct payload payload_of(const struct packet *packet, size_t *bad_at, struct err *err)
{
    *bad_at = PACKET_NOT_MALFORMED;
    return (struct payload){packet->payload, packet->payload_bytes, packet->kind, bad_at, err};
}

/* The error is the size, so it points at the size in the header. */
int payload_check_size(struct payload *payload, uint64_t size_bytes)
{
    if (payload->size_bytes == size_bytes)
        return 0;
    *payload->bad_at = PACKET_AT_HEADER_payload_bytes;
    return err_set(payload->err, ERR_BAD_REQUEST, "%s: the payload has %u bytes, its fields %llu",
                   packet_name(payload->kind), payload->size_bytes, (unsigned long long)size_bytes);
}

int payload_check_least(struct payload *payload, uint32_t size_bytes)
{
    return payload->size_bytes >= size_bytes ? 0 : payload_check_size(payload, size_bytes);
}

int payload_check_zeros(struct payload *payload, size_t at, size_t count)
{
    for (size_t i = at; i < at + count; i++)
        if (payload->bytes[i] != 0) {
            *payload->bad_at = PACKET_HEADER_BYTES + i;
            return err_set(payload->err, ERR_BAD_REQUEST, "%s: a reserved field is 0", packet_name(payload->kind));
        }
    return 0;
}

int payload_check_text(struct payload *payload, size_t at, size_t size_bytes, int code)
{
    const char *text = payload->bytes + at;
    if (size_bytes == 0 || (utf8_is_valid(text, size_bytes) && memchr(text, 0, size_bytes) == NULL))
        return 0;
    return err_set(payload->err, code, "%s: the text is not UTF-8 without NUL", packet_name(payload->kind));
}

int payload_number(struct payload *payload, size_t at, const char *name, double *out)
{
    const double number = get_f64(payload->bytes + at);
    if (!isfinite(number))
        return err_set(payload->err, ERR_BAD_PARAMETER, "%s: '%s' is not a finite number", packet_name(payload->kind),
                       name);
    *out = number + 0; /* avoids -0 */
    return 0;
}

/* --- streams --- */

static int check_rate(struct payload *payload, double rate, const struct limits *limits)
{
    const double most = (double)limits->value[LIMIT_STREAM_RATE];
    if (rate >= 0 && rate <= most)
        return 0;
    return err_set(payload->err, ERR_BAD_PARAMETER, "%s: 'rate' is %g; it must be from 0 to %g",
                   packet_name(payload->kind), rate, most);
}

int packet_read_control(const struct packet *packet, const struct limits *limits, struct packet_control *control,
                        size_t *bad_at, struct err *err)
{
    static const struct {
        unsigned flag;
        size_t at;
        const char *name;
    } NUMBERS[] = {{PACKET_CONTROL_SEEK, PACKET_AT_CONTROL_position_s, "position_s"},
                   {PACKET_CONTROL_SPEED, PACKET_AT_CONTROL_speed, "speed"},
                   {PACKET_CONTROL_RATE, PACKET_AT_CONTROL_rate, "rate"}};
    static const unsigned ALL =
        PACKET_CONTROL_PAUSE | PACKET_CONTROL_RESUME | PACKET_CONTROL_SEEK | PACKET_CONTROL_SPEED | PACKET_CONTROL_RATE;
    struct payload payload = payload_of(packet, bad_at, err);
    if (payload_check_size(&payload, PACKET_AT_CONTROL_rate + sizeof(double)) < 0)
        return err->code;
    *control = (struct packet_control){.stream = get_u32(payload.bytes + PACKET_AT_CONTROL_stream),
                                       .flags = get_u32(payload.bytes + PACKET_AT_CONTROL_flags)};
    double *const out[] = {&control->position_s, &control->speed, &control->rate};
    for (int i = 0; i < 3; i++)
        if ((control->flags & NUMBERS[i].flag) == 0) {
            if (payload_check_zeros(&payload, NUMBERS[i].at, sizeof(double)) < 0)
                return err->code;
        } else if (payload_number(&payload, NUMBERS[i].at, NUMBERS[i].name, out[i]) < 0) {
            return err->code;
        }
    if ((control->flags & ~ALL) != 0)
        return err_set(err, ERR_UNKNOWN_PARAMETER, "control: there is no flag %u", control->flags & ~ALL);
    if ((control->flags & PACKET_CONTROL_PAUSE) != 0 && (control->flags & PACKET_CONTROL_RESUME) != 0)
        return err_set(err, ERR_BAD_PARAMETER, "control: 'pause' and 'resume' do not go together");
    return check_rate(&payload, control->rate, limits);
}

static int read_how(struct payload *payload, const struct limits *limits, struct packet_subscribe *subscribe)
{
    const unsigned is_paused = get_u16(payload->bytes + PACKET_AT_SUBSCRIBE_is_paused);
    subscribe->is_paused = is_paused == 1;
    subscribe->credit = get_u32(payload->bytes + PACKET_AT_SUBSCRIBE_credit);
    if (is_paused > 1)
        return err_set(payload->err, ERR_BAD_PARAMETER, "subscribe: 'is_paused' is %u; it must be 0 or 1", is_paused);
    if (payload_number(payload, PACKET_AT_SUBSCRIBE_rate, "rate", &subscribe->rate) < 0 ||
        payload_number(payload, PACKET_AT_SUBSCRIBE_position_s, "position_s", &subscribe->position_s) < 0 ||
        payload_number(payload, PACKET_AT_SUBSCRIBE_speed, "speed", &subscribe->speed) < 0)
        return payload->err->code;
    return check_rate(payload, subscribe->rate, limits);
}

int packet_read_subscribe(struct request *request, const struct packet *packet, const struct packet_model *model,
                          const struct limits *limits, struct packet_subscribe *subscribe, size_t *bad_at,
                          struct err *err)
{
    struct payload payload = payload_of(packet, bad_at, err);
    *subscribe = (struct packet_subscribe){0};
    if (packet_read_request(request, packet, model, limits, bad_at, err) < 0 ||
        read_how(&payload, limits, subscribe) < 0)
        return err->code;
    if (request->format != FORMAT_BIN)
        return err_set(err, ERR_BAD_PARAMETER, "subscribe: frames of a stream are binary");
    request_set_time(request, subscribe->position_s);
    return 0;
}

int packet_read_numbers(const struct packet *packet, uint32_t *stream, uint32_t *number, size_t *bad_at,
                        struct err *err)
{
    struct payload payload = payload_of(packet, bad_at, err);
    const bool has_number = packet->kind == PACKET_CREDIT;
    if (payload_check_size(&payload, has_number ? 8 : 4) < 0)
        return err->code;
    *stream = get_u32(payload.bytes);
    *number = has_number ? get_u32(payload.bytes + PACKET_AT_CREDIT_credit) : 0;
    if (packet->kind == PACKET_WATCH && *stream > 1)
        return err_set(err, ERR_BAD_PARAMETER, "watch: 'is_on' is %u; it must be 0 or 1", *stream);
    return 0;
}

int packet_read_empty(const struct packet *packet, size_t *bad_at, struct err *err)
{
    struct payload payload = payload_of(packet, bad_at, err);
    return payload_check_size(&payload, 0);
}
