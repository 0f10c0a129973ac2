/* The moments of a data set: --clips with --t, --frames or --rate. */
#include "clients/cli/dataset/dataset.h"

#include "clients/cli/server/pattern.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TIMES_MAX = 1000000 };
#define TIME_TOLERANCE_S 1e-9 /* a step this close to a range's end includes the end, as the server has it */

static bool add_time(struct dataset_times *times, double time_s, double step_s)
{
    if (!isfinite(time_s) || times->count == TIMES_MAX)
        return false;
    if ((times->count & (times->count - 1)) == 0) {
        const size_t capacity = times->count == 0 ? 1 : 2 * times->count;
        times->times_s = must_grow(times->times_s, capacity * sizeof *times->times_s);
        times->steps_s = must_grow(times->steps_s, capacity * sizeof *times->steps_s);
    }
    times->times_s[times->count] = time_s;
    times->steps_s[times->count++] = step_s;
    return true;
}

/* Reads an entry of --t, a time or START:END:FPS, up to a comma or the end. Returns its end, or NULL if it is bad. */
static const char *read_entry(struct dataset_times *times, const char *entry)
{
    double numbers[3] = {0};
    int count = 0;
    const char *at = entry;
    for (;;) {
        char *end;
        if (count == 3)
            return NULL;
        numbers[count++] = strtod(at, &end);
        if (end == at || (*end != ':' && *end != ',' && *end != '\0'))
            return NULL;
        at = end;
        if (*at != ':')
            break;
        at++;
    }
    if (count == 1)
        return add_time(times, numbers[0], (double)NAN) ? at : NULL;
    const double fps = numbers[2], steps = floor((numbers[1] - numbers[0] + TIME_TOLERANCE_S) * fps);
    if (count != 3 || !(fps > 0) || !isfinite(fps) || !(steps >= 0) || !(steps < TIMES_MAX))
        return NULL;
    for (double i = 0; i <= steps; i++)
        if (!add_time(times, numbers[0] + i / fps, 1 / fps))
            return NULL;
    return at;
}

int dataset_times_read(struct dataset_times *times, const struct args *args)
{
    const char *list = args_text(args, OPTION_DATASET_T, NULL);
    const int given = (list != NULL) + args_has(args, OPTION_DATASET_FRAMES) + args_has(args, OPTION_DATASET_RATE);
    times->frames = args_number(args, OPTION_DATASET_FRAMES, 0);
    times->rate = args_number(args, OPTION_DATASET_RATE, 0);
    if (given > 1) {
        terminal_error("--t, --frames and --rate contradict each other: give one of them");
        return STATUS_USAGE;
    }
    for (const char *at = list; at != NULL && *at != '\0';) {
        at = read_entry(times, at);
        if (at == NULL) {
            terminal_error("--t takes SECONDS or START:END:FPS, several between commas and %d times at most, not '%s'",
                           TIMES_MAX, list);
            return STATUS_USAGE;
        }
        at += *at == ',';
    }
    return STATUS_DONE;
}

/* Returns the number of moments of a clip, and sets the step between them. Frames are counted as in a sheet: the end
 * of a loop is its start again, so they end one step before it. */
static double count_frames(const struct dataset_times *times, double duration_s, double *step_s)
{
    *step_s = times->rate > 0 ? 1 / times->rate : duration_s / times->frames;
    if (!(duration_s > 0))
        return 1;
    return times->rate > 0 ? fmax(1, ceil(duration_s * times->rate - TIME_TOLERANCE_S)) : times->frames;
}

struct moments {
    struct dataset_moment *items;
    size_t count;
};

static bool add_moment(struct moments *moments, struct dataset_moment moment)
{
    if (moments->count == TIMES_MAX)
        return false;
    if ((moments->count & (moments->count - 1)) == 0) {
        const size_t capacity = moments->count == 0 ? 1 : 2 * moments->count;
        moments->items = must_grow(moments->items, capacity * sizeof *moments->items);
    }
    moments->items[moments->count++] = moment;
    return true;
}

/* Adds the moments of a clip. clip NULL: the parameters select what moves. */
static bool add_clip(const struct dataset_times *times, const cJSON *clip, struct moments *out)
{
    bool is_all = true;
    double step_s = 0;
    const double count = times->frames > 0 || times->rate > 0
                             ? count_frames(times, member_number(clip, "duration"), &step_s)
                             : (double)times->count;
    for (size_t i = 0; (double)i < count && is_all; i++) {
        struct dataset_moment moment = {.clip = clip, .has_time = true};
        moment.time_s = times->count > 0 ? times->times_s[i] : (double)i * step_s;
        moment.step_s = times->count > 0 ? times->steps_s[i] : step_s;
        is_all = add_moment(out, moment);
    }
    return count > 0 ? is_all : add_moment(out, (struct dataset_moment){.clip = clip, .step_s = (double)NAN});
}

size_t dataset_moments(const struct dataset *set, const cJSON *model, struct dataset_moment **moments,
                       struct text *problem)
{
    const char *which = args_text(set->pass.args, OPTION_BAKE_CLIPS, "all");
    const cJSON *clips = json_get(model, "clips"), *clip;
    const bool is_first = strcmp(which, "first") == 0, is_all = is_first || strcmp(which, "all") == 0;
    struct moments out = {0};
    bool fits = true;
    if (set->is_one_clip) {
        fits = add_clip(&set->times, NULL, &out);
    } else if (strcmp(which, "rest") == 0 || cJSON_GetArraySize(clips) == 0) {
        fits = add_moment(&out, (struct dataset_moment){.is_rest = true, .step_s = (double)NAN});
    } else
        cJSON_ArrayForEach(clip, clips)
        {
            if (is_first && out.count > 0)
                break;
            if (fits && (is_all || pattern_list_matches(which, member_text(clip, "name"), false)))
                fits = add_clip(&set->times, clip, &out);
        }
    *moments = out.items;
    if (fits && out.count <= TIMES_MAX / set->camera_count / set->light_count)
        return out.count;
    text_printf(problem, "more than %d samples: take fewer moments, cameras or lights", TIMES_MAX);
    return SIZE_MAX;
}
