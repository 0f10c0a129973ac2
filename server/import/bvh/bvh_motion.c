/* bvh_motion.c - the frames: "Frames: 2", "Frame Time: 0.04", then the values of all channels for each frame. Lines do
 * not matter to the values. What the file has counts, not how many frames it says. */
#include "import/bvh/bvh.h"

#include "base/mem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double FRAMES_PER_S_UNKNOWN = 30;

/* What the file says about its frames. */
struct said {
    double frames;
    double time_s; /* of a frame; 0 = not given */
    bool has_frames;
    bool is_time_open; /* no number follows "Frame Time:" on its line */
};

static int read_number(struct bvh *bvh, const char *label, double *out, struct err *err)
{
    if (!bvh_number(bvh_peek(&bvh->text), out))
        return bvh_unexpected(&bvh->text, label, "a number", err);
    bvh_next(&bvh->text);
    return 0;
}

static int read_labels(struct bvh *bvh, struct said *said, struct err *err)
{
    for (;;) {
        if (bvh_skip_label(&bvh->text, "frames :")) {
            said->has_frames = true;
            if (read_number(bvh, "Frames", &said->frames, err) < 0)
                return err->code;
        } else if (bvh_skip_label(&bvh->text, "frame time :")) {
            said->is_time_open = bvh_line_ends(&bvh->text);
            if (!said->is_time_open && read_number(bvh, "Frame Time", &said->time_s, err) < 0)
                return err->code;
        } else {
            return said->has_frames ? 0 : bvh_unexpected(&bvh->text, "the motion", "'Frames:'", err);
        }
    }
}

/* `text` is before value number `count`, which is no number. */
static int refuse_value(const struct bvh *bvh, const struct bvh_text *text, uint64_t count, struct err *err)
{
    const uint32_t width = bvh->channel_count, place = (uint32_t)(count % width);
    char joint[BVH_WHERE_SIZE], where[BVH_WHERE_SIZE + 64];
    uint32_t j = 0;
    while (place - bvh->joints[j].channel_first >= bvh->joints[j].channel_count)
        j++;
    snprintf(where, sizeof where, "frame %llu, %s, %s", (unsigned long long)(count / width),
             bvh_where(bvh, (int32_t)j, joint), BVH_CHANNELS[bvh->channels[place]]);
    return bvh_unexpected(text, where, "a number", err);
}

/* Reads all values. Behind the last frame a file may have other text, which is left out. */
static int read_values(struct bvh *bvh, const struct said *said, uint64_t *count, struct err *err)
{
    size_t capacity = 0;
    for (*count = 0;; ++*count) {
        const struct bvh_text before = bvh->text;
        const struct bvh_word word = bvh_next(&bvh->text);
        double value;
        if (word.length == 0)
            return 0;
        if (!bvh_number(word, &value)) {
            if ((double)*count < said->frames * bvh->channel_count)
                return refuse_value(bvh, &before, *count, err);
            bake_warn(bvh->import->builder, "trailing_bytes", "line %u: text follows the last frame; it is left out",
                      bvh->text.line);
            return 0;
        }
        if (import_check_limit(bvh->import, LIMIT_KEYS, *count, 1, "the motion", err) < 0)
            return err->code;
        bvh->values = mem_grow(bvh->values, &capacity, (size_t)*count + 1, sizeof *bvh->values);
        bvh->values[*count] = value;
    }
}

static void set_frame_time(struct bvh *bvh, double time_s)
{
    bvh->frame_time_s = time_s;
    if (time_s > 0 && isnormal((float)time_s)) {
        const float rate = (float)(1 / time_s);
        bvh->import->info->frame_rate = isfinite(rate) ? rate : 0;
        return;
    }
    bvh->frame_time_s = 1 / FRAMES_PER_S_UNKNOWN;
    bake_warn(bvh->import->builder, "frame_rate_assumed",
              "the file does not say how long a frame is: %g frames a second are taken", FRAMES_PER_S_UNKNOWN);
}

static void set_frames(struct bvh *bvh, const struct said *said, uint64_t count)
{
    const uint64_t width = bvh->channel_count;
    const uint64_t rest = width > 0 ? count % width : count;
    bvh->frame_count = width > 0 ? count / width : 0;
    if (rest > 0)
        bake_warn(
            bvh->import->builder, "frame_count_differs",
            "the file says that it has %g frames, but it has %llu, and %llu values of one more, which is left out",
            said->frames, (unsigned long long)bvh->frame_count, (unsigned long long)rest);
    else if (width > 0 && (double)bvh->frame_count != said->frames)
        bake_warn(bvh->import->builder, "frame_count_differs", "the file says that it has %g frames, but it has %llu",
                  said->frames, (unsigned long long)bvh->frame_count);
}

int bvh_read_motion(struct bvh *bvh, struct err *err)
{
    struct said said = {0};
    uint64_t count;
    if (read_labels(bvh, &said, err) < 0 || read_values(bvh, &said, &count, err) < 0)
        return err->code;
    /* The number after "Frame Time:" may lie on the next line: then there is one more than the frames need. */
    if (said.is_time_open && count > 0 && (double)(count - 1) == said.frames * bvh->channel_count) {
        said.time_s = bvh->values[0];
        memmove(bvh->values, bvh->values + 1, (size_t)--count * sizeof *bvh->values);
    }
    set_frame_time(bvh, said.time_s);
    set_frames(bvh, &said, count);
    return 0;
}
