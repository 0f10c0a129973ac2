/* Writes the frames of arrays as the pose of a request: pose_motion.h. */
#include "clients/cli/pose/pose_motion.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>

const struct pose_part POSE_PART[POSE_PARTS] = {{"translation", 3}, {"rotation", 4}, {"scale", 3}};

void pose_put_string(struct text *json, const char *text)
{
    char *quoted = cJSON_PrintUnformatted(
        &(cJSON){.type = cJSON_String, .valuestring = (char *)text}); /* NOLINT: it does not change the text */
    text_put(json, quoted == NULL ? "\"\"" : quoted);
    cJSON_free(quoted);
}

void pose_motion_free(struct pose_motion *motion)
{
    for (size_t n = 0; motion->nodes != NULL && n < motion->node_count; n++)
        free(motion->nodes[n]);
    for (int part = 0; part < POSE_PARTS; part++)
        free(motion->numbers[part]);
    free(motion->nodes);
    free(motion->times_s);
    *motion = (struct pose_motion){0};
}

static const double *numbers_of(const struct pose_motion *motion, int part, size_t frame, size_t node)
{
    return motion->numbers[part] + (frame * motion->node_count + node) * POSE_PART[part].count;
}

/* Returns whether a node's part is given: not all of its numbers are NaN. */
static bool is_given(const struct pose_motion *motion, int part, size_t frame, size_t node)
{
    const double *numbers = numbers_of(motion, part, frame, node);
    bool is = false;
    for (size_t i = 0; i < POSE_PART[part].count; i++)
        is = is || !isnan(numbers[i]);
    return is;
}

/* Returns what is wrong with a part, or NULL. *number: the place of the number that is to blame, or -1. */
static const char *fault_of(const struct pose_motion *motion, int part, size_t frame, size_t node, int *number)
{
    const double *numbers = numbers_of(motion, part, frame, node);
    double square = 0;
    *number = -1;
    if (is_given(motion, part, frame, node) != is_given(motion, part, 0, node))
        return is_given(motion, part, frame, node) ? "is given, unlike in frame 0" : "is not given, unlike in frame 0";
    if (!is_given(motion, part, frame, node))
        return NULL;
    for (size_t i = 0; i < POSE_PART[part].count; i++) {
        *number = (int)i;
        if (isnan(numbers[i]))
            return "is NaN beside numbers; NaN means that nothing is given, for all numbers of a node's part";
        if (isinf(numbers[i]))
            return "is infinite";
        square += numbers[i] * numbers[i];
    }
    *number = -1;
    return part == 1 && !(square > 0) ? "is a quaternion of length 0" : NULL;
}

static int check_part(const struct pose_motion *motion, int part, struct text *problem)
{
    for (size_t frame = 0; motion->numbers[part] != NULL && frame < motion->frame_count; frame++)
        for (size_t node = 0; node < motion->node_count; node++) {
            int number;
            const char *fault = fault_of(motion, part, frame, node, &number);
            if (fault == NULL)
                continue;
            text_printf(problem, "array '%s': frame %zu, node %s (place %zu)", POSE_PART[part].name, frame,
                        motion->nodes[node], node);
            if (number >= 0)
                text_printf(problem, ", number %d", number);
            text_printf(problem, " %s", fault);
            return -1;
        }
    return 0;
}

static int check_times(const struct pose_motion *motion, struct text *problem)
{
    for (size_t i = 0; motion->times_s != NULL && i < motion->frame_count; i++) {
        const double time_s = motion->times_s[i];
        if (isfinite(time_s) && time_s >= 0 && (i == 0 || time_s > motion->times_s[i - 1]))
            continue;
        text_printf(problem, "array 'times': frame %zu is at %.9g s; times begin at 0 or later and rise", i, time_s);
        return -1;
    }
    return 0;
}

static void put_part(const struct pose_motion *motion, int part, size_t frame, struct text *json)
{
    text_printf(json, ",\"%s\":[", POSE_PART[part].name);
    for (size_t node = 0; node < motion->node_count; node++) {
        const double *numbers = numbers_of(motion, part, frame, node);
        text_put(json, node == 0 ? "" : ",");
        if (!is_given(motion, part, frame, node)) {
            text_put(json, "null");
            continue;
        }
        for (size_t i = 0; i < POSE_PART[part].count; i++)
            text_printf(json, "%s%.*g", i == 0 ? "[" : ",", motion->is_float[part] ? 9 : 17, numbers[i]);
        text_put(json, "]");
    }
    text_put(json, "]");
}

int pose_motion_put(const struct pose_motion *motion, struct text *json, struct text *problem)
{
    for (int part = 0; part < POSE_PARTS; part++)
        if (check_part(motion, part, problem) < 0)
            return -1;
    if (check_times(motion, problem) < 0)
        return -1;
    text_put(json, "{\"nodes\":[");
    for (size_t node = 0; node < motion->node_count; node++)
        text_printf(json, "%s%s", node == 0 ? "" : ",", motion->nodes[node]);
    text_printf(json, "],\"relative_to\":\"%s\"", motion->is_from_rest ? "rest" : "parent");
    if (motion->rate > 0)
        text_printf(json, ",\"rate\":%.17g", motion->rate);
    text_put(json, ",\"frames\":[");
    for (size_t frame = 0; frame < motion->frame_count; frame++) {
        text_printf(json, "%s{\"time\":%.17g", frame == 0 ? "" : ",",
                    motion->times_s != NULL ? motion->times_s[frame]
                                            : (double)frame / (motion->rate > 0 ? motion->rate : 30));
        for (int part = 0; part < POSE_PARTS; part++)
            if (motion->numbers[part] != NULL)
                put_part(motion, part, frame, json);
        text_put(json, "}");
    }
    text_put(json, "]}");
    return 0;
}
