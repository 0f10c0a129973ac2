/* Applies the rules about clips. It asks for poses of each clip at 17 times; other files use them, too. */
#include "clients/cli/check/check.h"

#include "clients/cli/server/pattern.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { POSES = 17 }; /* of each clip: both ends and 15 times between them */

/* Returns whether a matrix maps onto a plane, a line or a point: its volume is negligible against the cube of its
 * longest axis. */
static bool is_flat(const float *m)
{
    const double a[3] = {(double)m[0], (double)m[1], (double)m[2]}, b[3] = {(double)m[4], (double)m[5], (double)m[6]},
                 c[3] = {(double)m[8], (double)m[9], (double)m[10]};
    const double volume =
        a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
    const double longest =
        fmax(hypot(hypot(a[0], a[1]), a[2]), fmax(hypot(hypot(b[0], b[1]), b[2]), hypot(hypot(c[0], c[1]), c[2])));
    return fabs(volume) <= 1e-9 * longest * longest * longest;
}

/* Returns the index of the block with scene matrices, or -1 if the answer has none. */
static int find_scene(const struct posed_packet *answer, struct posed_frames *frames)
{
    if (answer->kind != POSED_FRAMES || posed_read_frames(answer->data, answer->data_bytes, frames) < 0 ||
        frames->layout != POSED_MAT4)
        return -1;
    return posed_frames_find(frames, 0, POSED_BLOCK_SCENE, 0);
}

/* Returns the first joint that is flat in one of the frames, or -1. */
static int64_t find_flat(const struct inspection *model, const struct posed_packet *answer, double *time_s)
{
    struct posed_frames frames;
    const int block = find_scene(answer, &frames);
    for (uint32_t frame = 0; block >= 0 && frame < frames.frame_count; frame++) {
        const float *matrices = posed_frames_floats(&frames, (uint32_t)block, frame);
        const uint32_t count = posed_frames_block(&frames, (uint32_t)block).count;
        for (uint32_t node = 0; matrices != NULL && node < count && node < model->node_count; node++)
            if (model->is_joint[node] && is_flat(matrices + (size_t)16 * node)) {
                *time_s = posed_frames_time(&frames, frame);
                return node;
            }
    }
    return -1;
}

/* Returns the extent of the nodes in the first frame. */
static double extent_of(const struct posed_packet *answer)
{
    struct posed_frames frames;
    double size = 0;
    const int block = find_scene(answer, &frames);
    const float *first = block < 0 ? NULL : posed_frames_floats(&frames, (uint32_t)block, 0);
    for (int axis = 12; axis < 15 && first != NULL; axis++) {
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (size_t i = 0; i < posed_frames_block(&frames, (uint32_t)block).count; i++) {
            low = fmin(low, (double)first[16 * i + (size_t)axis]);
            high = fmax(high, (double)first[16 * i + (size_t)axis]);
        }
        size = fmax(size, high - low);
    }
    return isfinite(size) ? size : 0;
}

/* Asks for poses throughout the clip. The server must be able to evaluate them, and no joint may be flat in them.
 * Returns the greatest distance of a node from its place in the first pose; -1: there are no poses. */
static double check_poses(struct inspection *model, const cJSON *clip)
{
    const double duration_s = member_number(clip, "duration"), index = member_number(clip, "index");
    const char *name = member_text(clip, "name");
    struct posed_packet answer;
    struct text query = {0};
    uint32_t mover;
    double time_s = 0;
    text_printf(&query, "&clip=%.0f&wrap=clamp&format=bin&t=0", index);
    for (int i = 1; i < POSES; i++)
        text_printf(&query, ",%.17g", duration_s * i / (POSES - 1));
    const int rc = connection_request_model(model->connection, "pose", model->source, query.at, NULL, &answer);
    text_free(&query);
    if (rc < 0) {
        findings_add(model, RULE_NOT_POSED, subject_of("clip", clip).text, "clip %.0f '%s': %s", index, name,
                     model->connection->posed.error.message);
        return -1;
    }
    const int64_t node = find_flat(model, &answer, &time_s);
    if (node >= 0) {
        struct subject subject;
        snprintf(subject.text, sizeof subject.text, "%.240s, %.240s", subject_of("clip", clip).text,
                 subject_of("joint", model->nodes[node]).text);
        findings_add(model, RULE_COLLAPSED_JOINT, subject.text, "clip %.0f '%s' scales joint %lld '%s' flat at %.3f s",
                     index, name, (long long)node, member_text(model->nodes[node], "name"), time_s);
    }
    if (!(model->size > 0))
        model->size = extent_of(&answer);
    return node_motion_most(&answer, model->size * NODE_REACH, &mover);
}

bool clip_is_pose(const cJSON *clip)
{
    const char *name = member_text(clip, "name"), *slash = strrchr(name, '/'); /* "Armature/TPose" */
    return pattern_list_matches("*pose,*pose.[0-9]*", slash == NULL ? name : slash + 1, true);
}

void check_clips(struct inspection *model)
{
    const cJSON *clip;
    cJSON_ArrayForEach(clip, json_get(model->model, "clips"))
    {
        const double most = check_poses(model, clip);
        if (member_number(clip, "duration") <= 0 && clip_is_pose(clip))
            findings_note(model, RULE_ZERO_LENGTH, "clip %.0f '%s' is a pose, and has no duration",
                          member_number(clip, "index"), member_text(clip, "name"));
        else if (member_number(clip, "duration") <= 0)
            findings_add(model, RULE_ZERO_LENGTH, subject_of("clip", clip).text, "clip %.0f '%s' has no duration",
                         member_number(clip, "index"), member_text(clip, "name"));
        else if (most >= 0) {
            check_motion(model, clip, most);
            check_loop(model, clip);
        }
    }
}
