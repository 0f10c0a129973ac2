/* Puts clips: how each moves the nodes, at moments of a fixed rate. The text shows the motion and not the keys. If
 * another program rewrites the keys and the motion stays the same, the text stays the same. */
#include "clients/cli/model_text/model_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    RATE_USUAL = 30, /* moments a second, for files without a frame rate */
    RATE_LEAST = 12,
    RATE_MOST = 60,
    LINES_MOST = 300000,    /* approximate limit for the moments of all clips */
    VALUES_MOST = 10 << 20, /* numbers of one clip */
    PIECE_VALUES = 1 << 20, /* numbers of one request */
    PIECE_FRAMES = 256,
    AXIS_DECIMALS = 4,
};

/* The transforms of all nodes at the moments first / rate, (first + 1) / rate, and so on. They are relative to the
 * parent, as in the rest pose. If a node shears within its parent, they are matrices of the scene. */
struct moments {
    bool is_scene;
    size_t width;  /* numbers in a transform: 10, or 16 */
    float *values; /* [count][node_count][width] */
    size_t count;
    double first, rate;
};

/* Returns a rate at which all clips fit the limit: the rate is halved until they do. */
static double choose_rate(const struct model_text *text)
{
    const cJSON *clip;
    double total_s = 0, longest_s = 0;
    cJSON_ArrayForEach(clip, json_get(text->model, "clips"))
    {
        const double duration_s = fmax(member_number(clip, "duration"), 0);
        total_s += duration_s;
        longest_s = fmax(longest_s, duration_s);
    }
    const double own = member_number(text->model, "frame_rate");
    double rate = own >= RATE_LEAST && own <= RATE_MOST ? own : RATE_USUAL;
    const double nodes = (double)text->node_count + 1;
    while (isfinite(total_s) &&
           (total_s * rate * nodes > LINES_MOST || (longest_s * rate + 2) * nodes * 10 > VALUES_MOST))
        rate /= 2; /* even a clip of 1e300 seconds gets a rate */
    return rate;
}

/* Asks for a piece of the moments, beginning at `at`. Returns the number of moments that came; 0 after an error. */
static size_t ask_piece(const struct model_text *text, int clip, struct moments *moments, size_t at, size_t most)
{
    struct posed_packet answer;
    struct posed_frames frames;
    struct text query = {0};
    text_printf(&query, "&clip=%d&wrap=clamp&what=%s&format=bin&t=", clip, moments->is_scene ? "scene" : "local");
    for (size_t k = 0; k < most; k++)
        text_printf(&query, "%s%.9g", k == 0 ? "" : ",", (moments->first + (double)(at + k)) / moments->rate);
    const int rc = connection_request_model(text->connection, "pose", text->path, query.at, NULL, &answer);
    text_free(&query);
    if (rc != 0 || answer.kind != POSED_FRAMES || posed_read_frames(answer.data, answer.data_bytes, &frames) < 0)
        return 0;
    const int block = posed_frames_find(&frames, 0, moments->is_scene ? POSED_BLOCK_SCENE : POSED_BLOCK_LOCAL, 0);
    if (block < 0 || posed_frames_block(&frames, (uint32_t)block).count != text->node_count ||
        frames.frame_count > most)
        return 0;
    const size_t values = moments->width * text->node_count;
    for (uint32_t f = 0; f < frames.frame_count; f++)
        memcpy(moments->values + (at + f) * values, posed_frames_floats(&frames, (uint32_t)block, f),
               values * sizeof *moments->values);
    return frames.frame_count;
}

/* Returns false if the server cannot tell the moments. */
static bool ask_moments(const struct model_text *text, const cJSON *clip, struct moments *moments)
{
    const double end_s = fmax(member_number(clip, "duration"), 0), start_s = fmin(member_number(clip, "start"), end_s);
    const double values = (double)(moments->width * text->node_count);
    if (!(end_s * moments->rate < LINES_MOST))
        return false;
    moments->first = floor(fmax(start_s, 0) * moments->rate + 1e-6);
    moments->count = (size_t)(ceil(end_s * moments->rate - 1e-6) - moments->first) + 1;
    moments->values = must_alloc(moments->count * (size_t)values * sizeof *moments->values + 1);
    size_t piece = (size_t)(PIECE_VALUES / (values + 1)) + 1;
    piece = piece > PIECE_FRAMES ? PIECE_FRAMES : piece;
    for (size_t at = 0; at < moments->count;) {
        const size_t left = moments->count - at,
                     came = ask_piece(text, member_index(clip, "index"), moments, at, left < piece ? left : piece);
        if (came == 0)
            return false;
        at += came;
    }
    return true;
}

static void part_text(const struct model_text *text, const struct moments *moments, size_t moment, size_t node,
                      int part, struct text *out)
{
    double transform[16];
    const float *values = moments->values + (moment * text->node_count + node) * moments->width;
    for (size_t k = 0; k < moments->width; k++)
        transform[k] = (double)values[k];
    if (out->at != NULL)
        out->size_bytes = 0;
    if (!moments->is_scene) {
        double moved[TRANSFORM_NUMBERS];
        axes_from_rest(text, node, transform, moved);
        rounded_put_part(out, moved, part, text->place_decimals);
        return;
    }
    static const char *const AXES[] = {" x axis", " y axis", " z axis", " place"};
    text_put(out, AXES[part]);
    rounded_put_all(out, transform + 4 * part, 3, part == 3 ? text->place_decimals : AXIS_DECIMALS);
}

/* Puts the lines of one part of one node. If it stays at rest, there is no line. If it stays elsewhere, there is one.
 * Otherwise there is a line for each moment at which it changes. */
static void put_part(const struct model_text *text, const char *clip, const struct moments *moments, size_t node,
                     int part)
{
    struct text now = {0}, before = {0}, rest = {0};
    bool is_moving = false;
    if (!moments->is_scene) {
        double unmoved[TRANSFORM_NUMBERS];
        axes_from_rest(text, node, text->rest + 10 * node, unmoved);
        rounded_put_part(&rest, unmoved, part, text->place_decimals);
    }
    part_text(text, moments, 0, node, part, &before);
    for (size_t m = 1; m < moments->count && !is_moving; m++) {
        part_text(text, moments, m, node, part, &now);
        is_moving = strcmp(now.at, before.at) != 0;
    }
    if (!is_moving && !moments->is_scene && strcmp(before.at, rest.at) != 0)
        text_printf(text->out, "clip %s: %s:%s\n", clip, text->labels[node], before.at);
    text_free(&before);
    for (size_t m = 0; m < moments->count && is_moving; m++) {
        part_text(text, moments, m, node, part, &now);
        if (before.at != NULL && strcmp(now.at, before.at) == 0)
            continue;
        text_printf(text->out, "clip %s: %s at", clip, text->labels[node]);
        rounded_put(text->out, (moments->first + (double)m) / moments->rate, 4);
        text_printf(text->out, " s:%s\n", now.at);
        text_free(&before);
        text_put(&before, now.at);
    }
    text_free(&now);
    text_free(&before);
    text_free(&rest);
}

static void put_markers(const struct model_text *text, const char *name, const cJSON *clip)
{
    const cJSON *marker;
    cJSON_ArrayForEach(marker, json_get(clip, "markers"))
    {
        text_printf(text->out, "clip %s: marker at", name);
        rounded_put(text->out, member_number(marker, "time"), 4);
        text_put(text->out, " s: ");
        model_text_put_name(text->out, marker);
        text_put(text->out, member_text(marker, "value")[0] == '\0' ? "" : " = ");
        text_put_printable(text->out, member_text(marker, "value"));
        text_put(text->out, "\n");
    }
}

static void put_clip(const struct model_text *text, const char *name, const cJSON *clip, double rate)
{
    struct moments moments = {.rate = rate, .width = 10};
    text_printf(text->out, "clip %s:", name);
    rounded_put(text->out, member_number(clip, "duration"), 4);
    text_put(text->out, " s from");
    rounded_put(text->out, member_number(clip, "start"), 4);
    text_put(text->out, " s\n");
    put_markers(text, name, clip);
    bool is_told = ask_moments(text, clip, &moments);
    if (!is_told) {
        free(moments.values);
        moments = (struct moments){.rate = rate, .width = 16, .is_scene = true};
        is_told = ask_moments(text, clip, &moments);
    }
    if (is_told) {
        for (size_t i = 0; i < text->ordered_count; i++)
            for (int part = 0; part < (moments.is_scene ? 4 : PART_COUNT); part++)
                put_part(text, name, &moments, text->order[i], part);
    } else {
        text_printf(text->out, "clip %s: its poses are not told: ", name);
        text_put_printable(text->out, text->connection->posed.error.message);
        text_put(text->out, "\n");
    }
    free(moments.values);
    model_text_put_weights(text, name, member_index(clip, "index"));
}

struct named_clip {
    const cJSON *clip;
    size_t place;
};

static int by_name(const void *a, const void *b)
{
    const struct named_clip *x = a, *y = b;
    const int order = strcmp(json_name(x->clip), json_name(y->clip));
    return order != 0 ? order : x->place < y->place ? -1 : x->place > y->place;
}

/* Clips are in the order of their names. Further clips of the same name get a number. */
void model_text_put_clips(struct model_text *text)
{
    const cJSON *clips = json_get(text->model, "clips"), *clip;
    const double rate = choose_rate(text);
    struct named_clip *sorted = must_alloc(((size_t)cJSON_GetArraySize(clips) + 1) * sizeof *sorted);
    size_t count = 0, turn = 0;
    cJSON_ArrayForEach(clip, clips)
    {
        sorted[count] = (struct named_clip){clip, count};
        count++;
    }
    qsort(sorted, count, sizeof *sorted, by_name);
    for (size_t i = 0; i < count; i++) {
        struct text name = {0};
        turn = i > 0 && strcmp(json_name(sorted[i - 1].clip), json_name(sorted[i].clip)) == 0 ? turn + 1 : 0;
        model_text_put_name(&name, sorted[i].clip);
        if (turn > 0)
            text_printf(&name, "#%zu", turn + 1);
        put_clip(text, name.at, sorted[i].clip, rate);
        text_free(&name);
    }
    free(sorted);
}
