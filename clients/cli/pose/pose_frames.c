/* Reads frames of transforms from a binary answer of /v1/pose: pose_arrays.h. */
#include "clients/cli/pose/pose_arrays.h"

#include "clients/c/posed.h"

#include <math.h>
#include <stdlib.h>

enum { LOCAL_NUMBERS = 10 };

/* The blocks of an answer. Those that are missing are -1. */
struct blocks {
    struct posed_frames frames;
    int local, nodes, sheared;
};

static int find_blocks(struct blocks *blocks, struct text *problem)
{
    const struct posed_frames *frames = &blocks->frames;
    blocks->local = posed_frames_find(frames, 0, POSED_BLOCK_LOCAL, 0);
    blocks->nodes = posed_frames_find(frames, 0, POSED_BLOCK_NODES, 0);
    blocks->sheared = posed_frames_find(frames, 0, POSED_BLOCK_SHEARED, 0);
    if (blocks->local < 0 || frames->frame_count == 0 ||
        posed_frames_floats(frames, (uint32_t)blocks->local, 0) == NULL ||
        posed_frames_block(frames, (uint32_t)blocks->local).item_bytes != LOCAL_NUMBERS * sizeof(float)) {
        text_put(problem, "these binary frames have no local transforms: they come of /v1/pose with what=local");
        return -1;
    }
    const size_t nodes = posed_frames_block(frames, (uint32_t)blocks->local).count;
    const bool fits = blocks->nodes < 0 || posed_frames_block(frames, (uint32_t)blocks->nodes).count == nodes;
    if (!fits || frames->frame_count > POSE_FRAMES_MAX || nodes == 0 ||
        nodes * frames->frame_count > POSE_NUMBERS_MAX / LOCAL_NUMBERS) {
        text_printf(problem,
                    "these binary frames have %u frames of %zu nodes%s; a pose has at most 10000 frames and "
                    "4000000 numbers",
                    frames->frame_count, nodes, fits ? "" : " with other names");
        return -1;
    }
    return 0;
}

/* Marks the sheared nodes: they have a matrix, of which nothing is given. */
static bool *mark_sheared(const struct blocks *blocks, size_t node_count)
{
    bool *is_sheared = must_alloc((node_count + 1) * sizeof *is_sheared);
    const uint32_t *places =
        blocks->sheared < 0 ? NULL : posed_frames_integers(&blocks->frames, (uint32_t)blocks->sheared, 0);
    for (uint32_t i = 0; places != NULL && i < posed_frames_block(&blocks->frames, (uint32_t)blocks->sheared).count;
         i++)
        if (places[i] < node_count)
            is_sheared[places[i]] = true;
    return is_sheared;
}

static void take_node(const struct blocks *blocks, size_t node, bool has_nothing, struct pose_motion *out)
{
    static const size_t FIRST[POSE_PARTS] = {0, 3, 7};
    struct text index = {0};
    const uint32_t *nodes =
        blocks->nodes < 0 ? NULL : posed_frames_integers(&blocks->frames, (uint32_t)blocks->nodes, 0);
    text_printf(&index, "%zu", nodes == NULL ? node : (size_t)nodes[node]);
    out->nodes[node] = index.at;
    for (size_t f = 0; f < out->frame_count; f++) {
        const float *local =
            posed_frames_floats(&blocks->frames, (uint32_t)blocks->local, (uint32_t)f) + node * LOCAL_NUMBERS;
        for (int part = 0; part < POSE_PARTS; part++)
            for (size_t k = 0; k < POSE_PART[part].count; k++)
                out->numbers[part][(f * out->node_count + node) * POSE_PART[part].count + k] =
                    has_nothing ? (double)NAN : (double)local[FIRST[part] + k];
    }
}

int pose_read_frames(const unsigned char *bytes, size_t size_bytes, struct pose_motion *out, struct text *problem)
{
    struct blocks blocks;
    if (posed_read_frames(bytes, size_bytes, &blocks.frames) < 0) {
        text_put(problem, "these binary frames are cut or damaged");
        return -1;
    }
    if (find_blocks(&blocks, problem) < 0)
        return -1;
    out->frame_count = blocks.frames.frame_count;
    out->node_count = posed_frames_block(&blocks.frames, (uint32_t)blocks.local).count;
    out->nodes = must_alloc(out->node_count * sizeof *out->nodes);
    out->times_s = must_alloc(out->frame_count * sizeof *out->times_s);
    for (size_t f = 0; f < out->frame_count; f++)
        out->times_s[f] = posed_frames_time(&blocks.frames, (uint32_t)f);
    for (int part = 0; part < POSE_PARTS; part++) {
        out->is_float[part] = true;
        out->numbers[part] =
            must_alloc(out->frame_count * out->node_count * POSE_PART[part].count * sizeof *out->numbers[part]);
    }
    bool *is_sheared = mark_sheared(&blocks, out->node_count);
    for (size_t n = 0; n < out->node_count; n++)
        take_node(&blocks, n, is_sheared[n], out);
    free(is_sheared);
    return 0;
}
