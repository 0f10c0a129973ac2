/* environment_reply.c - writes the light of pictures as JSON, as binary frames and as a Radiance file. */
#include "wire/light/environment_reply.h"

#include "anim/light/panorama.h"
#include "base/mem.h"
#include "wire/encode/frames.h"
#include "wire/encode/json.h"
#include "wire/light/radiance_write.h"
#include "wire/reply/reply_json.h"

#include <stdlib.h>

/* Widths in pixels: of a light by formula, and of a panorama from which a map is made (as in the renderer). */
enum { FORMULA_WIDTH = 512, PANORAMA_WIDTH = 512 };

/* The source of the light. */
struct light_source {
    environment_radiance *radiance;
    const void *context;
    struct panorama panorama; /* the `context` of a file */
    uint32_t width, height;   /* of its picture */
};

/* width_max: limit on the width of the panorama's level. */
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

static int is_set(const void *flag) { return *(const _Atomic bool *)flag; }

/* False: stopped, or out of memory. */
static bool make_light(const struct request *request, const struct model *model, const _Atomic bool *is_stopped,
                       struct environment *made, const struct environment **out)
{
    struct light_source source;
    static const struct environment *const FORMULAS[LIGHT_FILE] = {
        [LIGHT_STUDIO] = &ENVIRONMENT_STUDIO, [LIGHT_OUTDOOR] = &ENVIRONMENT_OUTDOOR, [LIGHT_FLAT] = &ENVIRONMENT_FLAT};
    *out = made;
    if (model == NULL) {
        *out = FORMULAS[request->picture.light];
        return true;
    }
    find_source(&source, request, model, PANORAMA_WIDTH);
    return environment_make(source.radiance, source.context, source.height, is_set, (const void *)is_stopped, made) ==
           0;
}

static void put_json(const struct request *request, const struct model *model, const struct environment *light,
                     struct buf *out)
{
    static const char *const LIGHTS[] = {
        [LIGHT_STUDIO] = "studio", [LIGHT_OUTDOOR] = "outdoor", [LIGHT_FLAT] = "flat", [LIGHT_FILE] = "file"};
    char hash[HASH_DIGITS_SIZE];
    json_printf(out,
                "{\"light\":%s,\"environment\":%s,\"hash\":%s,\"yaw\":%g,\"width\":%u,\"height\":%u,\"harmonics\":[",
                LIGHTS[request->picture.light], request->environment, model != NULL ? hash_digits(model, hash) : NULL,
                request->picture.environment_yaw_deg, model != NULL ? model->textures[0].source_width : FORMULA_WIDTH,
                model != NULL ? model->textures[0].source_height : FORMULA_WIDTH / 2);
    for (int i = 0; i < ENVIRONMENT_HARMONICS; i++) {
        buf_put_text(out, i > 0 ? "," : "");
        json_put_floats(out, light->harmonics.c[i], 3);
    }
    buf_put_text(out, "]}\n");
}

static void put_frames(const struct model *model, const struct environment *light, struct buf *out)
{
    static const uint8_t NO_HASH[32];
    enum { BLOCK_COUNT = 1 + ENVIRONMENT_LEVELS };
    struct frames_block blocks[BLOCK_COUNT];
    struct frames frames = {.kind = FRAMES_ENVIRONMENT,
                            .clip = POSE_REST,
                            .content_hash = model != NULL ? model->infos[0].content_hash : NO_HASH,
                            .blocks = blocks,
                            .block_count = BLOCK_COUNT};
    for (uint32_t b = 0; b < BLOCK_COUNT; b++) {
        const uint32_t side = b > 0 ? (uint32_t)ENVIRONMENT_SIDE >> (b - 1) : 0;
        blocks[b] = (struct frames_block){.kind = b > 0 ? BLOCK_LIGHT_MAP : BLOCK_HARMONICS,
                                          .index = b > 0 ? b - 1 : 0,
                                          .node = -1,
                                          .primitive = -1,
                                          .count = b > 0 ? side * side : ENVIRONMENT_HARMONICS,
                                          .item_bytes = b > 0 ? sizeof light->map[0] : sizeof light->harmonics.c[0]};
    }
    frames_plan(&frames, UINT64_MAX);
    frames_put_header(out, &frames);
    const uint16_t(*texels)[4] = light->map;
    for (uint32_t b = 0; b < BLOCK_COUNT; b++) {
        frames_start_block(out, &frames, &blocks[b], 0);
        buf_put(out, b > 0 ? (const void *)texels : light->harmonics.c, (size_t)blocks[b].count * blocks[b].item_bytes);
        texels += b > 0 ? blocks[b].count : 0;
    }
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

static void put_light(const struct request *request, const struct model *model, const _Atomic bool *is_stopped,
                      struct buf *out)
{
    struct environment *made = mem_zalloc(1, sizeof *made);
    const struct environment *light;
    if (!make_light(request, model, is_stopped, made, &light))
        buf_fail(out, BUF_STOPPED);
    else if (request->format == FORMAT_BIN)
        put_frames(model, light, out);
    else
        put_json(request, model, light, out);
    free(made);
}

void environment_reply_make(const struct request *request, const struct model *model, const struct limits *limits,
                            const _Atomic bool *is_stopped, struct reply *reply)
{
    static const char *const TYPES[] = {
        [FORMAT_JSON] = "application/json", [FORMAT_BIN] = FRAMES_CONTENT_TYPE, [FORMAT_HDR] = "image/vnd.radiance"};
    reply->status = 200;
    reply->code = 0;
    reply->content_type = TYPES[request->format];
    reply->body.limit_bytes = limits->value[LIMIT_ANSWER_BYTES];
    if (request->format == FORMAT_HDR)
        put_picture(request, model, is_stopped, &reply->body);
    else
        put_light(request, model, is_stopped, &reply->body);
    struct err err;
    if (!buf_failed(&reply->body))
        return;
    err_set(&err, ERR_TOO_MANY_FRAMES, "the answer needs more than the %llu bytes that one may have",
            (unsigned long long)limits->value[LIMIT_ANSWER_BYTES]);
    reply_error(reply, &err, NULL, 0);
}
