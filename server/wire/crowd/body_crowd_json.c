/* body_crowd_json.c - converts the binary answer to a crowd to JSON, with the same floats and errors. */
#include "base/bytes.h"
#include "base/hex.h"
#include "wire/crowd/body_crowd.h"
#include "wire/request/crowd_request.h"
#include "wire/encode/json.h"

static void put_error(struct buf *out, unsigned code, const char *message, size_t message_bytes)
{
    json_printf(out, "\"error\":{\"code\":%s,\"message\":%.*s}", err_name(-(int)code), (int)message_bytes, message);
}

static void put_models(const struct request *request, const char *answer, struct buf *out)
{
    const struct crowd_request *crowd = request->crowd;
    const char *from = answer + CROWD_ANSWER_BYTES + (size_t)crowd->entity_count * CROWD_POSED_BYTES;
    for (uint32_t i = 0; i < crowd->model_count; i++, from += CROWD_FOUND_MODEL_BYTES) {
        const struct crowd_model *model = &crowd->models[i];
        const unsigned code = get_u16(from + CROWD_AT_FOUND_MODEL_code);
        char hash[65] = "";
        hex_put(hash, (const uint8_t *)from + CROWD_AT_FOUND_MODEL_content_hash, 32);
        json_comma(out, i > 0);
        json_printf(out, "{\"model\":%s,", model->path);
        if (code != 0)
            put_error(out, code, model->err.message, strlen(model->err.message));
        else
            json_printf(out, "\"hash\":%s", hash);
        buf_put_char(out, '}');
    }
}

static void put_matrices(const char *answer, const char *posed, struct buf *out)
{
    static const char *const LAYOUTS[] = {[16] = "mat4", [12] = "mat3x4", [8] = "dualquat"};
    const float *floats = (const float *)(const void *)(answer + get_u64(posed + CROWD_AT_POSED_offset));
    const uint32_t count = get_u32(posed + CROWD_AT_POSED_count);
    const uint32_t item_floats = get_u16(posed + CROWD_AT_POSED_item_bytes) / (uint32_t)sizeof *floats;
    json_printf(out, "\"layout\":%s,\"matrices\":[", LAYOUTS[item_floats]);
    for (uint32_t m = 0; m < count && !buf_failed(out); m++) {
        json_comma(out, m > 0);
        json_put_floats(out, floats + (size_t)m * item_floats, item_floats);
    }
    buf_put_char(out, ']');
}

void body_put_crowd_json(const struct request *request, const char *answer, struct buf *out)
{
    const struct crowd_request *crowd = request->crowd;
    const char *wrong = answer + get_u64(answer + CROWD_AT_ANSWER_errors_offset);
    const char *message = wrong + (size_t)get_u32(answer + CROWD_AT_ANSWER_error_count) * CROWD_WRONG_BYTES;
    buf_put_text(out, "{\"models\":[");
    put_models(request, answer, out);
    buf_put_text(out, "],\"entities\":[");
    for (uint32_t i = 0; i < crowd->entity_count && !buf_failed(out); i++) {
        const char *posed = answer + CROWD_ANSWER_BYTES + (size_t)i * CROWD_POSED_BYTES;
        const unsigned code = get_u16(posed + CROWD_AT_POSED_code);
        buf_put_text(out, i > 0 ? ",{" : "{");
        if (code == 0) {
            put_matrices(answer, posed, out);
        } else {
            const uint32_t message_bytes = get_u32(wrong + CROWD_AT_WRONG_message_bytes);
            put_error(out, code, message, message_bytes);
            wrong += CROWD_WRONG_BYTES;
            message += message_bytes;
        }
        buf_put_char(out, '}');
    }
    buf_put_text(out, "]}\n");
}
