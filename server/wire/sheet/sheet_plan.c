#include "wire/sheet/sheet_plan.h"

#include "anim/pose/pose.h"
#include "wire/reply/clip_select.h"

#include <math.h>

enum {
    STRIP_FRAMES = 8, /* frames of a clip by default */
    TURN_FRAMES = 36,
    ANIMATION_RATE = 20, /* frames per second; GIF counts in hundredths of a second */
    TURN_RATE = 12,
};
static const double STILL_S = 0.1;       /* duration of a single frame */
static const double LEAST_STEP_S = 1e-6; /* an end this close to a step counts as the step */

/* The frames of one clip. */
struct strip {
    int32_t clip;
    uint32_t source; /* source of its clip as in struct sheet_cell */
    struct clip_span span;
    uint32_t count;
    double length_s; /* request time of one pass through the part; 0: nothing moves */
    double step_s;
};

void sheet_plan_init(struct sheet_plan *plan)
{
    *plan = (struct sheet_plan){0};
    buf_init(&plan->cells, SIZE_MAX);
}

void sheet_plan_fini(struct sheet_plan *plan) { buf_fini(&plan->cells); }

const struct sheet_cell *sheet_plan_cells(const struct sheet_plan *plan)
{
    return (const struct sheet_cell *)(const void *)plan->cells.data;
}

static int too_many(const struct limits *limits, struct err *err)
{
    return err_set(err, ERR_TOO_MANY_FRAMES, "the sheet has more than %s", LIMIT_TEXT(limits, LIMIT_CELLS));
}

/* Returns that length; forth and back count as one pass. */
static double length_of(const struct clip_span *span)
{
    const double way_s = (span->to_s - span->from_s) * (span->wrap == WRAP_MIRROR ? 2 : 1);
    const double length_s = way_s / fabs(span->speed);
    return span->speed != 0 && isfinite(length_s) ? length_s : 0;
}

static void count_frames(struct strip *strip, const struct request *request)
{
    const struct sheet_spec *spec = &request->sheet;
    const bool has_end = strip->span.wrap == WRAP_CLAMP;
    double rate = spec->rate;
    if (spec->frames == 0 && rate == 0 && sheet_is_animation(spec))
        rate = ANIMATION_RATE;
    if (spec->frames == 0 && rate > 0) {
        const double steps = strip->length_s * rate;
        const double count = has_end ? floor(steps + LEAST_STEP_S) + 1 : ceil(steps - LEAST_STEP_S);
        strip->count = count < 1 ? 1 : count > SHEET_CELLS_MAX + 1 ? SHEET_CELLS_MAX + 1 : (uint32_t)count;
        strip->step_s = 1 / rate;
        return;
    }
    const bool is_overview = (spec->flags & SHEET_ALL_CLIPS) != 0, is_still = strip->length_s == 0;
    strip->count = spec->frames > 0 ? spec->frames : is_overview || is_still ? 1 : STRIP_FRAMES;
    const uint32_t steps = has_end && strip->count > 1 ? strip->count - 1 : strip->count;
    strip->step_s = strip->length_s / steps;
}

static int plan_strip(struct strip *strip, const struct model *clips, int32_t clip, const struct request *request,
                      struct err *err)
{
    const double duration_s = clip == POSE_REST ? 0 : clips->clips[clip].duration_s;
    strip->clip = clip;
    if (span_resolve(&request->pose, duration_s, &strip->span, err) < 0)
        return err->code;
    strip->length_s = length_of(&strip->span);
    if (op_has(request->op, OP_TURNS))
        strip->count = 1;
    else if ((request->sheet.flags & SHEET_TIMES) != 0)
        strip->count = request->pose.time_count;
    else
        count_frames(strip, request);
    return 0;
}

/* Unused when the renderer chooses the time. */
static double time_of(const struct strip *strip, const struct request *request, uint32_t frame)
{
    const bool is_given = op_has(request->op, OP_TURNS) || (request->sheet.flags & SHEET_TIMES) != 0;
    if (is_given)
        return frame < request->pose.time_count ? request->pose.times_s[frame] : 0;
    return frame * strip->step_s;
}

static double duration_of(const struct strip *strip, const struct request *request, uint32_t frame)
{
    const double rate = request->sheet.play_rate;
    if (rate > 0)
        return 1 / rate;
    if (op_has(request->op, OP_TURNS))
        return 1.0 / TURN_RATE;
    const bool is_last = frame + 1 == strip->count;
    double duration_s = strip->step_s;
    if ((request->sheet.flags & SHEET_TIMES) != 0) {
        const uint32_t from = is_last && frame > 0 ? frame - 1 : frame;
        duration_s = strip->count > 1 ? request->pose.times_s[from + 1] - request->pose.times_s[from] : 0;
    } else if (is_last && strip->span.wrap != WRAP_CLAMP) {
        duration_s = strip->length_s - frame * strip->step_s; /* in a loop this lasts until the first frame again */
    }
    return duration_s > 0 && isfinite(duration_s) ? duration_s : STILL_S;
}

static uint32_t direction_count_of(const struct request *request)
{
    const struct sheet_spec *spec = &request->sheet;
    if (op_has(request->op, OP_TURNS))
        return spec->frames > 0 ? spec->frames : TURN_FRAMES;
    return spec->directions > 0 ? spec->directions : 1;
}

static void add_cell(struct sheet_plan *plan, const struct strip *strip, const struct request *request,
                     uint32_t direction, uint32_t frame)
{
    struct sheet_cell cell = {
        .clip = strip->clip,
        .frame = frame,
        .time_s = time_of(strip, request, frame),
        .begin_s = strip->span.from_s,
        .end_s = strip->span.to_s,
        .yaw_deg = 360.0 * direction / plan->direction_count,
        .duration_s = duration_of(strip, request, frame),
        .direction = direction,
        .clip_source = strip->source,
    };
    uint64_t x, y;
    cell.clip_time_s = clip_time_in_span(&strip->span, cell.time_s);
    sheet_layout_next(&plan->layout, frame == 0, &cell.column, &cell.row);
    sheet_layout_place(&plan->layout, cell.column, cell.row, &x, &y);
    cell.x = (uint32_t)x; /* within a picture of checked size, or unused */
    cell.y = (uint32_t)y;
    buf_put(&plan->cells, &cell, sizeof cell);
}

/* The clips of a sheet: those of each file in turn, starting at `first`. */
struct sheet_clips {
    const struct model *const *files; /* [file_count] */
    uint32_t file_count;
    bool has_all;
    int32_t first;
};

static struct sheet_clips clips_of(const struct model *const *clips, int32_t clip, const struct request *request)
{
    const bool has_all = (request->sheet.flags & SHEET_ALL_CLIPS) != 0;
    return (struct sheet_clips){.files = clips,
                                .file_count = request->clip_file_count > 1 ? request->clip_file_count : 1,
                                .has_all = has_all,
                                .first = has_all ? 0 : clip};
}

static uint32_t count_of(const struct sheet_clips *clips, uint32_t file)
{
    return clips->has_all ? clips->files[file]->clip_count : 1;
}

/* Counts the clips, the cells, and the cells of the largest group. */
static int count_cells(struct sheet_plan *plan, const struct sheet_clips *clips, const struct request *request,
                       const struct limits *limits, uint32_t *clip_count, uint32_t *group_cells, struct err *err)
{
    uint64_t cells = 0;
    struct strip strip;
    *clip_count = *group_cells = 0;
    for (uint32_t f = 0; f < clips->file_count; f++)
        for (uint32_t i = 0; i < count_of(clips, f); i++) {
            if (plan_strip(&strip, clips->files[f], clips->first + (int32_t)i, request, err) < 0)
                return err->code;
            cells += (uint64_t)strip.count * plan->direction_count;
            *group_cells = strip.count > *group_cells ? strip.count : *group_cells;
            ++*clip_count;
            if (cells > limits->value[LIMIT_CELLS])
                return too_many(limits, err);
        }
    plan->cell_count = (uint32_t)cells;
    return 0;
}

static int check_clips(const struct sheet_clips *clips, const struct request *request, struct err *err)
{
    for (uint32_t f = 0; f < clips->file_count; f++)
        if (count_of(clips, f) == 0)
            return err_set(err, ERR_CLIP_NOT_FOUND, "'%s' has no clips for clips=all",
                           request->pose.clip_source == 0 ? request->model
                                                          : request->sources[request->pose.clip_source - 1 + f].path);
    return 0;
}

static int add_strip(struct sheet_plan *plan, const struct sheet_clips *clips, uint32_t file, uint32_t index,
                     const struct request *request, struct err *err)
{
    struct strip strip;
    if (plan_strip(&strip, clips->files[file], clips->first + (int32_t)index, request, err) < 0)
        return err->code;
    strip.source = request->pose.layer_count == 0 ? request->pose.clip_source + file : 0;
    for (uint32_t direction = 0; direction < plan->direction_count; direction++)
        for (uint32_t frame = 0; frame < strip.count; frame++)
            add_cell(plan, &strip, request, direction, frame);
    return 0;
}

int sheet_plan_make(struct sheet_plan *plan, const struct model *const *files, int32_t clip,
                    const struct request *request, const struct limits *limits, struct err *err)
{
    const struct sheet_clips clips = clips_of(files, clip, request);
    uint32_t clip_count, group_cells;
    plan->direction_count = direction_count_of(request);
    if (check_clips(&clips, request, err) < 0 ||
        count_cells(plan, &clips, request, limits, &clip_count, &group_cells, err) < 0)
        return err->code;
    sheet_layout_init(&plan->layout, &request->sheet, request->picture.width, request->picture.height,
                      clip_count * plan->direction_count, group_cells);
    for (uint32_t f = 0; f < clips.file_count; f++)
        for (uint32_t i = 0; i < count_of(&clips, f); i++)
            if (add_strip(plan, &clips, f, i, request, err) < 0)
                return err->code;
    if (buf_failed(&plan->cells))
        return err_set(err, ERR_NO_MEMORY, "no memory for %u cells", plan->cell_count);
    if (sheet_plan_cut(plan, request, limits, err) < 0)
        return err->code;
    return request->sheet.format == SHEET_Y4M ? sheet_plan_video(plan, request, err) : 0;
}
