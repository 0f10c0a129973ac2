/* environment_reply.c - the light of pictures as JSON, as binary frames and as a Radiance file. */
#include "wire/light/environment_reply.h"

#include "anim/light/panorama.h"
#include "wire/encode/frames.h"
#include "wire/encode/json.h"
#include "wire/light/radiance_write.h"
#include "wire/reply/reply_json.h"

/* Pixels around of a light by formula, and of a panorama whose light is projected. */
enum { FORMULA_WIDTH = 512, PROJECTED_WIDTH = 128 };

/* Where the light comes from. */
struct light_source {
    environment_radiance *radiance;
    const void *context;
    struct panorama panorama; /* what `context` is, of a file */
    uint32_t width, height;   /* of the picture of it */
};

/* width_max: of the panorama's level. */
static void find_source(struct light_source *source, const struct request *request, const struct model *model,
                        uint32_t width_max)
{
    static environment_radiance *const FORMULAS[LIGHT_FILE] = {
        [LIGHT_STUDIO] = environment_studio, [LIGHT_OUTDOOR] = environment_outdoor, [LIGHT_FLAT] = environment_flat};
    *source = (struct light_source){.width = FORMULA_WIDTH, .height = FORMULA_WIDTH / 2};
    if (model == NULL) {
        source->radiance = FORMULAS[request->picture.light];
        return;
    }
    panorama_init(&source->panorama, model, width_max, request->picture.environment_yaw_deg);
    source->radiance = panorama_radiance;
    source->context = &source->panorama;
    source->width = source->panorama.width;
    source->height = source->panorama.height;
}

static void project(const struct request *request, const struct model *model, struct environment_harmonics *out)
{
    struct light_source source;
    find_source(&source, request, model, PROJECTED_WIDTH);
    environment_project(source.radiance, source.context, out);
}

static void put_json(const struct request *request, const struct model *model, struct buf *out)
{
    static const char *const LIGHTS[] = {
        [LIGHT_STUDIO] = "studio", [LIGHT_OUTDOOR] = "outdoor", [LIGHT_FLAT] = "flat", [LIGHT_FILE] = "file"};
    struct environment_harmonics harmonics;
    char hash[HASH_DIGITS_SIZE];
    project(request, model, &harmonics);
    json_printf(out,
                "{\"light\":%s,\"environment\":%s,\"hash\":%s,\"yaw\":%g,\"width\":%u,\"height\":%u,\"harmonics\":[",
                LIGHTS[request->picture.light], request->environment, model != NULL ? hash_digits(model, hash) : NULL,
                request->picture.environment_yaw_deg, model != NULL ? model->textures[0].source_width : FORMULA_WIDTH,
                model != NULL ? model->textures[0].source_height : FORMULA_WIDTH / 2);
    for (int i = 0; i < ENVIRONMENT_HARMONICS; i++) {
        buf_put_text(out, i > 0 ? ",[" : "[");
        json_put_floats(out, harmonics.c[i], 3);
        buf_put_char(out, ']');
    }
    buf_put_text(out, "]}\n");
}

static void put_frames(const struct request *request, const struct model *model, struct buf *out)
{
    static const uint8_t NO_HASH[32];
    struct environment_harmonics harmonics;
    struct frames_block blocks[] = {{.kind = BLOCK_HARMONICS,
                                     .node = -1,
                                     .primitive = -1,
                                     .count = ENVIRONMENT_HARMONICS,
                                     .item_bytes = sizeof harmonics.c[0]}};
    struct frames frames = {.kind = FRAMES_ENVIRONMENT,
                            .clip = POSE_REST,
                            .content_hash = model != NULL ? model->infos[0].content_hash : NO_HASH,
                            .blocks = blocks,
                            .block_count = sizeof blocks / sizeof *blocks};
    project(request, model, &harmonics);
    frames_plan(&frames, UINT64_MAX);
    frames_put_header(out, &frames);
    frames_start_block(out, &frames, &blocks[0], 0);
    buf_put(out, harmonics.c, sizeof harmonics.c);
    frames_finish(out, &frames);
}

static void put_picture(const struct request *request, const struct model *model, const _Atomic bool *is_stopped,
                        struct buf *out)
{
    struct light_source source;
    find_source(&source, request, model, UINT32_MAX);
    const struct radiance_picture picture = {
        .radiance = source.radiance, .context = source.context, .width = source.width, .height = source.height};
    radiance_write(out, &picture, is_stopped);
}

void environment_reply_make(const struct request *request, const struct model *model, const struct limits *limits,
                            const _Atomic bool *is_stopped, struct reply *reply)
{
    reply->status = 200;
    reply->code = 0;
    reply->body.limit_bytes = limits->value[LIMIT_ANSWER_BYTES];
    if (request->format == FORMAT_HDR) {
        reply->content_type = "image/vnd.radiance";
        put_picture(request, model, is_stopped, &reply->body);
    } else if (request->format == FORMAT_BIN) {
        reply->content_type = FRAMES_CONTENT_TYPE;
        put_frames(request, model, &reply->body);
    } else {
        reply->content_type = "application/json";
        put_json(request, model, &reply->body);
    }
    struct err err;
    if (!buf_failed(&reply->body))
        return;
    err_set(&err, ERR_TOO_MANY_FRAMES, "the answer needs more than the %llu bytes that one may have",
            (unsigned long long)limits->value[LIMIT_ANSWER_BYTES]);
    reply_error(reply, &err, NULL, 0);
}
