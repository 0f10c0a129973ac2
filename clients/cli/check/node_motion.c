/* Measures how far nodes and vertices move in the frames of an answer: check.h. */
#include "clients/cli/check/check.h"

#include <math.h>
#include <stdio.h>

double node_motion(const float *a, const float *b, double reach)
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

double node_motion_most(const struct posed_packet *answer, double reach, uint32_t *node)
{
    struct posed_frames frames;
    double most = 0;
    *node = 0;
    if (answer->kind != POSED_FRAMES || posed_read_frames(answer->data, answer->data_bytes, &frames) < 0 ||
        frames.layout != POSED_MAT4)
        return -1;
    const int block = posed_frames_find(&frames, 0, POSED_BLOCK_SCENE, 0);
    const uint32_t count = block < 0 ? 0 : posed_frames_block(&frames, (uint32_t)block).count;
    const float *first = block < 0 ? NULL : posed_frames_floats(&frames, (uint32_t)block, 0);
    if (first == NULL)
        return -1;
    for (uint32_t frame = 1; frame < frames.frame_count; frame++) {
        const float *other = posed_frames_floats(&frames, (uint32_t)block, frame);
        for (uint32_t i = 0; other != NULL && i < count; i++) {
            const double moved = node_motion(first + (size_t)16 * i, other + (size_t)16 * i, reach);
            if (moved > most) {
                most = moved;
                *node = i;
            }
        }
    }
    return most;
}

/* Returns the greatest distance of a vertex of the mesh from its place in frame 0, in any of the binary frames. */
static double vertex_motion_most(const struct posed_packet *answer)
{
    struct posed_frames frames;
    double most = 0;
    if (answer->kind != POSED_FRAMES || posed_read_frames(answer->data, answer->data_bytes, &frames) < 0)
        return 0;
    for (uint32_t b = 0; b < frames.block_count; b++) {
        const struct posed_block block = posed_frames_block(&frames, b);
        for (uint32_t frame = 1; block.kind == POSED_BLOCK_POSITIONS && frame < frames.frame_count; frame++) {
            const float *first = posed_frames_floats(&frames, b, 0), *other = posed_frames_floats(&frames, b, frame);
            for (size_t v = 0; v < block.count; v++)
                most = fmax(most, hypot(hypot((double)other[3 * v] - (double)first[3 * v],
                                              (double)other[3 * v + 1] - (double)first[3 * v + 1]),
                                        (double)other[3 * v + 2] - (double)first[3 * v + 2]));
        }
    }
    return most;
}

static bool has_morph_targets(const cJSON *mesh)
{
    const cJSON *primitive;
    bool has_any = false;
    cJSON_ArrayForEach(primitive, json_get(mesh, "primitives")) has_any |=
        member_number(primitive, "morph_targets") > 0;
    return has_any;
}

double morph_motion_most(const struct inspection *model, const cJSON *clip, const char *query, const cJSON **mesh)
{
    const cJSON *one;
    double most = 0;
    cJSON_ArrayForEach(one, json_get(model->model, "meshes"))
    {
        struct posed_packet answer;
        struct text target = {0};
        if (!has_morph_targets(one))
            continue;
        text_printf(&target, "&clip=%.0f&mesh=%.0f&wrap=clamp&format=bin%s", member_number(clip, "index"),
                    member_number(one, "index"), query);
        const int rc = connection_request_model(model->connection, "mesh", model->source, target.at, NULL, &answer);
        const double moved = rc < 0 ? 0 : vertex_motion_most(&answer);
        if (moved > most) {
            most = moved;
            *mesh = one;
        }
        text_free(&target);
    }
    return most;
}
