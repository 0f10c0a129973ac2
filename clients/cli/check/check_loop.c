/* The rule loop-jump of posectl check: a looping clip must end as it begins, in its nodes and its morph weights. */
#include "clients/cli/check/check.h"

#include "clients/cli/server/pattern.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* How far vertices lie from the node that moves them, as a share of the model's size: a head that turns jumps although
 * its joint does not move. */
#define REACH 0.1

static bool is_loop(const struct check *check, const char *name)
{
    return pattern_list_matches(args_text(check->args, OPTION_LOOPS, OPTIONS[OPTION_LOOPS].initial), name, true);
}

/* The model's greatest extent at rest; 0 where there is none. */
static double size_of(const cJSON *model)
{
    double size = 0;
    for (int i = 0; i < 3; i++)
        size = fmax(size, cJSON_GetNumberValue(cJSON_GetArrayItem(json_get(json_get(model, "bounds"), "max"), i)) -
                              cJSON_GetNumberValue(cJSON_GetArrayItem(json_get(json_get(model, "bounds"), "min"), i)));
    return isfinite(size) ? size : 0;
}

/* How far points of a node move from one matrix to the other: its origin, and the points at `reach` along its axes in
 * scene units, whatever the node's scale (joints in centimetres under a root in metres). */
static double distance(const float *a, const float *b, double reach)
{
    double most = 0;
    for (int axis = -1; axis < 3; axis++) {
        double square = 0, length = 0;
        for (int row = 0; row < 3 && axis >= 0; row++)
            length = hypot(length, (double)a[4 * axis + row]);
        for (int row = 0; row < 3; row++) {
            double step = (double)b[12 + row] - (double)a[12 + row];
            if (axis >= 0 && length > 0)
                step += reach / length * ((double)b[4 * axis + row] - (double)a[4 * axis + row]);
            square += step * step;
        }
        most = fmax(most, sqrt(square));
    }
    return most;
}

/* Compares frame 0 with frame 1 of binary frames; *node: where they differ most. -1: the answer has no such frames. */
static double greatest_jump(const struct posed_packet *answer, double reach, uint32_t *node)
{
    struct posed_frames frames;
    *node = 0;
    if (answer->kind != POSED_FRAMES || posed_read_frames(answer->data, answer->data_bytes, &frames) < 0)
        return -1;
    const int block = posed_frames_find(&frames, 0, POSED_BLOCK_SCENE, 0);
    const float *first = block < 0 ? NULL : posed_frames_floats(&frames, (uint32_t)block, 0);
    const float *last = block < 0 ? NULL : posed_frames_floats(&frames, (uint32_t)block, 1);
    const uint32_t count = block < 0 ? 0 : posed_frames_block(&frames, (uint32_t)block).count;
    double most = 0;
    if (first == NULL || last == NULL || frames.layout != POSED_MAT4)
        return -1;
    for (uint32_t i = 0; i < count; i++) {
        const double moved = distance(first + (size_t)16 * i, last + (size_t)16 * i, reach);
        if (moved > most) {
            most = moved;
            *node = i;
        }
    }
    return most;
}

/* Requests both ends of the clip, without its root motion, which is no jump. Returns as connection_request(). */
static int ask_ends(struct connection *connection, const char *operation, const cJSON *model, const cJSON *clip,
                    const char *more, struct posed_packet *answer)
{
    struct text query = {0};
    text_printf(&query, "&clip=%.0f&t=0&t=%.17g&wrap=clamp&root_motion=extract&yaw=1&format=bin%s",
                json_number(clip, "index"), json_number(clip, "duration"), more);
    const int rc = connection_request_model(connection, operation, json_text(model, "model"), query.at, NULL, answer);
    text_free(&query);
    return rc;
}

/* How far a vertex of the mesh moves at most from frame 0 to frame 1 of binary frames. */
static double greatest_step(const struct posed_packet *answer)
{
    struct posed_frames frames;
    double most = 0;
    if (answer->kind != POSED_FRAMES || posed_read_frames(answer->data, answer->data_bytes, &frames) < 0)
        return 0;
    for (uint32_t b = 0; b < frames.block_count && frames.frame_count == 2; b++) {
        const struct posed_block block = posed_frames_block(&frames, b);
        const float *first = posed_frames_floats(&frames, b, 0), *last = posed_frames_floats(&frames, b, 1);
        for (size_t v = 0; block.kind == POSED_BLOCK_POSITIONS && v < block.count; v++)
            most = fmax(most, hypot(hypot((double)last[3 * v] - (double)first[3 * v],
                                          (double)last[3 * v + 1] - (double)first[3 * v + 1]),
                                    (double)last[3 * v + 2] - (double)first[3 * v + 2]));
    }
    return most;
}

static bool has_morph_targets(const cJSON *mesh)
{
    const cJSON *primitive;
    bool has_any = false;
    cJSON_ArrayForEach(primitive, json_get(mesh, "primitives")) has_any |= json_number(primitive, "morph_targets") > 0;
    return has_any;
}

/* Morph weights move vertices without moving a node. Returns the greatest jump of a vertex, of *mesh. */
static double greatest_morph(struct connection *connection, const cJSON *model, const cJSON *clip, const cJSON **mesh)
{
    const cJSON *one;
    double most = 0;
    cJSON_ArrayForEach(one, json_get(model, "meshes"))
    {
        struct posed_packet answer;
        char more[40];
        snprintf(more, sizeof more, "&mesh=%.0f", json_number(one, "index"));
        const double step = has_morph_targets(one) && ask_ends(connection, "mesh", model, clip, more, &answer) == 0
                                ? greatest_step(&answer)
                                : 0;
        if (step > most) {
            most = step;
            *mesh = one;
        }
    }
    return most;
}

void check_loop(const struct check *check, struct connection *connection, const cJSON *model, const cJSON *clip,
                struct findings *findings)
{
    const double size = size_of(model), jump_max = size * args_number(check->args, OPTION_MAX_JUMP, 0.01);
    const cJSON *mesh = NULL;
    struct posed_packet answer;
    uint32_t node = 0;
    if (check->severities[RULE_LOOP_JUMP] == SEVERITY_OFF || !(size > 0) || !is_loop(check, json_text(clip, "name")))
        return;
    /* check_poses() reports clips that cannot be posed */
    const double jump =
        ask_ends(connection, "pose", model, clip, "", &answer) < 0 ? 0 : greatest_jump(&answer, size * REACH, &node);
    const double morph = jump > jump_max ? 0 : greatest_morph(connection, model, clip, &mesh);
    if (jump > jump_max)
        findings_add(check, findings, RULE_LOOP_JUMP,
                     "clip %.0f '%s' jumps by %.2g of the model's size at its end, at node %u '%s'",
                     json_number(clip, "index"), json_text(clip, "name"), jump / size, node,
                     json_text(cJSON_GetArrayItem(json_get(model, "nodes"), (int)node), "name"));
    else if (morph > jump_max)
        findings_add(check, findings, RULE_LOOP_JUMP,
                     "clip %.0f '%s' jumps by %.2g of the model's size at its end, in the shape of mesh %.0f '%s'",
                     json_number(clip, "index"), json_text(clip, "name"), morph / size, json_number(mesh, "index"),
                     json_text(mesh, "name"));
}
