/* Chooses the clips and times of a bake. */
#include "clients/cli/bake/bake.h"

#include "clients/cli/output/terminal.h"
#include "clients/cli/server/pattern.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES_MAX = 1000000 };

/* If the end of a clip is behind a frame by less than this share of a frame, that frame is the end. Files store times
 * as float32, which rounds them. */
#define FRAME_TOLERANCE 1e-3

static void add_clip(struct bake *bake, int index, const char *name, double duration_s)
{
    const double steps = ceil(fmax(0, duration_s * bake->fps - FRAME_TOLERANCE));
    const size_t count = steps < FRAMES_MAX ? (size_t)steps + 1 : FRAMES_MAX + 1;
    bake->clips = must_grow(bake->clips, (bake->clip_count + 1) * sizeof *bake->clips);
    bake->clips[bake->clip_count++] = (struct bake_clip){.index = index,
                                                         .name = must_copy(name),
                                                         .duration_s = duration_s,
                                                         .first_frame = bake->frame_count,
                                                         .frame_count = count};
    bake->frame_count += count;
}

static void choose_clips(struct bake *bake, const char *which)
{
    const cJSON *clip, *clips = json_get(bake->clip_about, "clips");
    const bool is_first = strcmp(which, "first") == 0, is_all = is_first || strcmp(which, "all") == 0;
    if (strcmp(which, "rest") == 0 || (is_all && bake->onto == NULL && cJSON_GetArraySize(clips) == 0)) {
        add_clip(bake, -1, "rest", 0);
        return;
    }
    cJSON_ArrayForEach(clip, clips)
    {
        if (is_first && bake->clip_count > 0)
            break;
        if (is_all || pattern_list_matches(which, member_text(clip, "name"), false))
            add_clip(bake, member_index(clip, "index"), member_text(clip, "name"), member_number(clip, "duration"));
    }
}

static void set_times(struct bake *bake)
{
    bake->times_s = must_alloc((bake->frame_count + 1) * sizeof *bake->times_s);
    for (size_t c = 0; c < bake->clip_count; c++) {
        const struct bake_clip *clip = &bake->clips[c];
        for (size_t i = 0; i < clip->frame_count; i++)
            bake->times_s[clip->first_frame + i] =
                i + 1 == clip->frame_count ? clip->duration_s : (double)i / bake->fps;
    }
}

int bake_find_clips(struct bake *bake)
{
    enum { FPS_DEFAULT = 30 };
    const char *which = args_text(bake->args, OPTION_BAKE_CLIPS, "all");
    const double own_fps = member_number(bake->clip_about, "frame_rate");
    bake->fps = args_number(bake->args, OPTION_BAKE_FPS, own_fps > 0 ? own_fps : FPS_DEFAULT);
    choose_clips(bake, which);
    if (bake->clip_count == 0 && cJSON_GetArraySize(json_get(bake->clip_about, "clips")) == 0)
        return bake_refuse(bake, bake->clip_file, "clip_not_found", "the file has no clips");
    if (bake->clip_count == 0)
        return bake_refuse(bake, bake->clip_file, "clip_not_found", "no clip matches --clips '%s'", which);
    if (bake->frame_count > FRAMES_MAX)
        return bake_refuse(bake, bake->clip_file, "too_many_frames",
                           "more than %d frames at %g a second: take fewer --clips or a lower --fps", FRAMES_MAX,
                           bake->fps);
    set_times(bake);
    return STATUS_DONE;
}
