/* Asks the server for the numbers of a table, some frames at a time. */
#include "clients/cli/bake/bake.h"

#include "clients/cli/output/terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Limits of one answer: its times and its floats. */
enum { TIMES_AT_ONCE = 500, FLOATS_AT_ONCE = 8 << 20 };
static const uint64_t NUMBERS_MAX = (uint64_t)1 << 29;

size_t bake_frames_at_once(size_t frame_floats)
{
    const size_t fitting = FLOATS_AT_ONCE / (frame_floats + 1);
    return fitting > TIMES_AT_ONCE ? TIMES_AT_ONCE : fitting + 1;
}

static void put_times(const struct bake *bake, size_t first_frame, size_t count, struct text *body)
{
    text_put(body, "\"t\":[");
    for (size_t i = 0; i < count; i++) {
        text_put(body, i == 0 ? "" : ",");
        bake_put_double(body, bake->times_s[first_frame + i]);
    }
    text_put(body, "]");
}

void bake_put_times(const struct bake *bake, size_t first_frame, size_t count, struct text *body)
{
    text_printf(body, "{%s", bake->onto == NULL ? "" : bake->onto->members);
    put_times(bake, first_frame, count, body);
    text_put(body, "}");
}

static void put_body(const struct bake *bake, size_t first_frame, size_t count, struct text *body)
{
    text_printf(body, "{%s%s", bake->onto == NULL ? "" : bake->onto->members,
                bake->values == BAKE_LOCAL ? "\"what\":\"local\"," : "");
    for (size_t i = 0; i < bake->item_count && bake->values != BAKE_PALETTE; i++)
        text_printf(body, "%s%d%s", i == 0 ? "\"joints\":[" : ",", bake->items[i].node,
                    i + 1 == bake->item_count ? "]," : "");
    put_times(bake, first_frame, count, body);
    text_put(body, "}");
}

void bake_put_clip(const struct bake *bake, const struct bake_clip *clip, struct text *query)
{
    text_printf(query, "&hash=%s&wrap=clamp&clip=", member_text(bake->about, "hash"));
    if (clip->index < 0)
        text_put(query, "-");
    else
        text_printf(query, "%d", clip->index);
    if (bake->onto != NULL)
        bake_put_clip_file(bake, query);
}

/* Reports an item that has no translation, rotation and scale. */
static int refuse_shear(struct bake *bake, const struct bake_clip *clip, size_t frame, const struct bake_item *item)
{
    return bake_refuse(bake, bake->clip_file, "not_rigid",
                       "'%s' shears in clip '%s' at %g s, which no translation, rotation and scale can say: "
                       "--values matrix can",
                       item->name, clip->name, bake->times_s[frame]);
}

/* Stores the ten local numbers of an item. The quaternion gets the sign nearest to that of the frame before. A sheared
 * node has ten zeros. */
static int take_local(struct bake *bake, const struct bake_clip *clip, size_t frame, size_t i, const float *local)
{
    const size_t row = bake->item_count * 10;
    float *out = bake->numbers + frame * row + i * 10;
    const float *before = frame > clip->first_frame ? out - row : local;
    double cosine = 0, square = 0;
    memcpy(out, local, 10 * sizeof *out);
    for (size_t k = 3; k < 7; k++) {
        cosine += (double)before[k] * (double)local[k];
        square += (double)local[k] * (double)local[k];
    }
    for (size_t k = 3; k < 7 && cosine < 0; k++)
        out[k] = -out[k];
    return square > 0 ? STATUS_DONE : refuse_shear(bake, clip, frame, &bake->items[i]);
}

/* Stores one matrix of an item in the form of the table. */
static int take_matrix(struct bake *bake, const struct bake_clip *clip, size_t frame, size_t i, const float *matrix)
{
    const struct bake_item *item = &bake->items[i];
    const size_t floats = bake_floats(bake->values), row = bake->item_count * floats;
    float socket[16], *out = bake->numbers + frame * row + i * floats;
    if (item->is_socket) {
        bake_socket_matrix(item, matrix, socket);
        matrix = socket;
    }
    if (bake->values != BAKE_TRS) {
        memcpy(out, matrix, 16 * sizeof *out);
        return STATUS_DONE;
    }
    return bake_trs(matrix, frame > clip->first_frame ? out - row : NULL, out) ? STATUS_DONE
                                                                               : refuse_shear(bake, clip, frame, item);
}

/* Stores the frames of one answer, beginning at frame `first` of the clip. A palette has one block of matrices a skin,
 * by ascending skin. */
static int take_answer(struct bake *bake, const struct bake_clip *clip, size_t first, size_t count,
                       const struct posed_packet *answer)
{
    struct posed_frames frames;
    int status = STATUS_DONE;
    const bool is_local = bake->values == BAKE_LOCAL;
    const int kind = bake->values == BAKE_PALETTE ? POSED_BLOCK_PALETTE
                     : is_local                   ? POSED_BLOCK_LOCAL
                                                  : POSED_BLOCK_SCENE;
    const size_t floats = is_local ? 10 : 16;
    bool fits = posed_read_frames(answer->data, answer->data_bytes, &frames) == 0 && frames.frame_count == count;
    for (uint32_t f = 0; f < count && fits && status == STATUS_DONE; f++) {
        size_t item = 0;
        for (uint32_t b = 0; b < frames.block_count && status == STATUS_DONE; b++) {
            const struct posed_block block = posed_frames_block(&frames, b);
            if (block.kind != kind || item + block.count > bake->item_count ||
                block.item_bytes != floats * sizeof(float))
                continue;
            const float *numbers = posed_frames_floats(&frames, b, f);
            for (uint32_t i = 0; i < block.count && status == STATUS_DONE; i++, item++)
                status = is_local ? take_local(bake, clip, first + f, item, numbers + floats * i)
                                  : take_matrix(bake, clip, first + f, item, numbers + floats * i);
        }
        fits = item == bake->item_count || status != STATUS_DONE;
    }
    if (!fits) {
        bake_refuse(bake, bake->clip_file, "bad_answer", "the server's answer does not fit the request");
        return STATUS_SERVER;
    }
    return status;
}

static int sample_clip(struct bake *bake, const struct bake_clip *clip)
{
    const size_t at_once = bake_frames_at_once(16 * bake->item_count);
    int status = STATUS_DONE;
    for (size_t done = 0; done < clip->frame_count && status == STATUS_DONE && !is_interrupted();) {
        const size_t left = clip->frame_count - done, count = left < at_once ? left : at_once;
        struct text query = {0}, body = {0};
        struct posed_packet answer;
        bake_put_clip(bake, clip, &query);
        text_put(&query, "&format=bin");
        put_body(bake, clip->first_frame + done, count, &body);
        status = bake_answered(bake, connection_request_model(bake->connection,
                                                              bake->values == BAKE_PALETTE ? "palette" : "pose",
                                                              bake->model, query.at, body.at, &answer));
        if (status == STATUS_DONE)
            status = take_answer(bake, clip, clip->first_frame + done, count, &answer);
        text_free(&query);
        text_free(&body);
        done += count;
    }
    return status;
}

/* Returns the length of the box around the model at rest. The tolerance of is_loop() is a thousandth of it. */
static double model_size(const struct bake *bake)
{
    const cJSON *bounds = json_get(bake->about, "bounds");
    double square = 0;
    for (int i = 0; i < 3; i++) {
        const double side = cJSON_GetNumberValue(cJSON_GetArrayItem(json_get(bounds, "max"), i)) -
                            cJSON_GetNumberValue(cJSON_GetArrayItem(json_get(bounds, "min"), i));
        square += side * side;
    }
    return square > 0 ? sqrt(square) : 1;
}

/* Returns whether the last frame equals the first. */
static bool is_loop(const struct bake *bake, const struct bake_clip *clip)
{
    const size_t floats = bake_floats(bake->values), row = bake->item_count * floats;
    const float *a = bake->numbers + clip->first_frame * row, *b = a + (clip->frame_count - 1) * row;
    const double size = model_size(bake);
    for (size_t i = 0; i < bake->item_count && clip->frame_count > 1; i++) {
        double dot = 0;
        for (size_t k = 3; k < 7 && bake_is_trs(bake->values); k++)
            dot += (double)a[i * floats + k] * (double)b[i * floats + k];
        for (size_t k = 0; k < floats; k++) {
            const bool is_place = bake_is_trs(bake->values) ? k < 3 : k >= 12,
                       is_turn = bake_is_trs(bake->values) && k >= 3 && k < 7;
            const double other = (double)b[i * floats + k] * (is_turn && dot < 0 ? -1 : 1);
            if (!(fabs((double)a[i * floats + k] - other) <= 1e-3 * (is_place ? size : 1)))
                return false;
        }
    }
    return clip->frame_count > 1;
}

int bake_sample(struct bake *bake)
{
    const uint64_t count = (uint64_t)bake->frame_count * bake->item_count * bake_floats(bake->values);
    int status = STATUS_DONE;
    if (count > NUMBERS_MAX)
        return bake_refuse(bake, bake->clip_file, "too_many_frames",
                           "%zu frames of %zu joints are more than a table may have: take fewer --clips or --joints, "
                           "or a lower --fps",
                           bake->frame_count, bake->item_count);
    bake->numbers = must_alloc(((size_t)count + 1) * sizeof *bake->numbers);
    for (size_t c = 0; c < bake->clip_count && status == STATUS_DONE; c++) {
        status = sample_clip(bake, &bake->clips[c]);
        if (status == STATUS_DONE)
            bake->clips[c].is_loop = is_loop(bake, &bake->clips[c]);
    }
    return status;
}
