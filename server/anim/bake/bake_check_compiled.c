/* bake_check_compiled.c - checks the rig and compiled clips, on which the kernels rely. */
#include "anim/bake/bake_check.h"

#include "anim/compiled/clip_magnitude.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Bounds for rotations of neighbouring frames: their dot product may be this far below 0, and their squared length this
 * far from 1. */
static const float DOT_MIN = -1e-3f, SQUARE_MIN = 0.98f, SQUARE_MAX = 1.02f;

static const char *rig_node_fault(const struct model *model, uint32_t i)
{
    const struct rig_node *rig_node = &model->rig_nodes[i];
    const bool is_root = rig_node->parent == -1, is_after_root = i == 0 || model->rig_nodes[i - 1].parent == -1;
    return rig_node->node >= model->node_count                       ? "node"
           : is_root                                                 ? (is_after_root ? NULL : "parent")
           : rig_node->parent < 0 || (uint32_t)rig_node->parent >= i ? "parent"
                                                                     : NULL;
}

/* `seen`: a byte for each joint of the largest skin. On entry all values are 0 or below `mark`. */
static int check_outputs(const struct model *model, uint32_t s, uint32_t *seen, struct err *err)
{
    const struct rig_skin *rig_skin = &model->rig_skins[s];
    for (uint32_t i = 0; i < model->skins[s].joint_count; i++) {
        const uint32_t o = rig_skin->output_first + i;
        const struct rig_output *output = &model->rig_outputs[o];
        const char *field = output->rig_node >= model->rig_node_count || output->rig_node > (uint64_t)i + rig_skin->lag
                                ? "rig_node"
                            : output->joint >= model->skins[s].joint_count || seen[output->joint] == s + 1 ? "joint"
                            : !floats_are_finite(output->joint_from_bind, 12) ? "joint_from_bind"
                                                                              : NULL;
        if (field != NULL)
            return bake_check_fail(err, "rig_outputs", o, field);
        seen[output->joint] = s + 1;
    }
    return 0;
}

/* The skins divide the outputs among them in order, so there are as many outputs as joints in all skins. `seen` is
 * zeroed, one for each joint of the model. */
static int check_skins(const struct model *model, uint32_t *seen, struct err *err)
{
    uint32_t end = 0;
    int rc = 0;
    for (uint32_t s = 0; s < model->rig_skin_count && rc == 0; s++) {
        const uint32_t count = model->skins[s].joint_count;
        if (model->rig_skins[s].output_first != end || !bake_is_range(end, count, model->rig_output_count))
            return bake_check_fail(err, "rig_skins", s, "outputs");
        rc = check_outputs(model, s, seen, err);
        end += count;
    }
    return rc == 0 && end != model->rig_output_count ? bake_check_fail(err, "rig_outputs", end, "joint") : rc;
}

/* --- blends --- */

static int check_places(const struct model *model, bool has_rig, struct err *err)
{
    uint32_t placed = 0;
    if (model->rig_place_count != (has_rig ? model->node_count : 0))
        return bake_check_fail(err, "rig_places", model->rig_place_count, "count");
    for (uint32_t n = 0; n < model->rig_place_count; n++)
        placed += model->rig_places[n] != UINT32_MAX;
    for (uint32_t i = 0; i < model->rig_node_count && has_rig; i++)
        if (model->rig_places[model->rig_nodes[i].node] != i)
            return bake_check_fail(err, "rig_places", model->rig_nodes[i].node, "rig_node");
    return !has_rig || placed == model->rig_node_count ? 0 : bake_check_fail(err, "rig_places", 0, "rig_node");
}

static const char *rig_part_fault(const struct model *model, uint32_t i)
{
    const struct rig_part *part = &model->rig_parts[i];
    float square = 0;
    for (int k = 0; k < 4; k++)
        square += part->rotation[k] * part->rotation[k];
    return !(square >= SQUARE_MIN && square <= SQUARE_MAX)         ? "rotation"
           : !floats_are_finite(part->translation, 3)              ? "translation"
           : part->is_animated != 0 && part->is_animated != 1      ? "is_animated"
           : !floats_are_finite(part->scale, 3) || part->zero != 0 ? "scale"
                                                                   : NULL;
}

static const char *rig_matrix_fault(const struct model *model, uint32_t i)
{
    const struct still_node *still = &model->rig_matrices[i];
    return still->rig_node >= model->rig_node_count || (i > 0 && still->rig_node <= model->rig_matrices[i - 1].rig_node)
               ? "rig_node"
           : !floats_are_finite(still->parent_from_node, 12) ? "parent_from_node"
                                                             : NULL;
}

static int check_parts(const struct model *model, bool has_rig, struct err *err)
{
    int rc = check_places(model, has_rig, err);
    if (rc == 0)
        rc = bake_check_each(model, "rig_parts", model->rig_part_count, rig_part_fault, err);
    return rc < 0 ? rc : bake_check_each(model, "rig_matrices", model->rig_matrix_count, rig_matrix_fault, err);
}

/* --- clips --- */

/* How far the clips so far reach into the arrays that they divide among them in order. */
struct ends {
    uint32_t frames, values, blocks, still;
    uint64_t parts;
};

static bool takes(uint32_t *end, uint32_t first, uint32_t count, uint32_t total)
{
    const bool is_next = first == *end && bake_is_range(first, count, total);
    *end = is_next ? first + count : *end;
    return is_next;
}

/* `driven`: for each rig node, the last clip that gave it, from 1. */
static bool gives(const struct model *model, uint32_t *driven, uint32_t rig_node, uint32_t clip)
{
    if (rig_node >= model->rig_node_count || driven[rig_node] == clip + 1)
        return false;
    driven[rig_node] = clip + 1;
    return true;
}

static int check_still(const struct model *model, uint32_t c, uint32_t *driven, struct err *err)
{
    const struct compiled_clip *clip = &model->compiled_clips[c];
    for (uint32_t i = 0; i < clip->still_count; i++) {
        const struct still_node *still = &model->still_nodes[clip->still_first + i];
        if (!gives(model, driven, still->rig_node, c))
            return bake_check_fail(err, "still_nodes", clip->still_first + i, "rig_node");
        if (!floats_are_finite(still->parent_from_node, 12))
            return bake_check_fail(err, "still_nodes", clip->still_first + i, "parent_from_node");
    }
    return 0;
}

static bool is_kind(uint32_t flags)
{
    const uint32_t moving = LANES_ROTATE | LANES_TRANSLATE | LANES_SCALE;
    const uint32_t all = moving | LANES_FIXED_SCALE | LANES_STEP | LANES_CUBIC;
    const uint32_t curved = (flags & LANES_CUBIC) / LANES_CUBIC_ROTATE; /* the bits of LANES_ROTATE and so on */
    return (flags & ~all) == 0 && (curved & ~flags) == 0 &&
           (flags & (LANES_SCALE | LANES_FIXED_SCALE)) != (LANES_SCALE | LANES_FIXED_SCALE);
}

static bool are_factors(const float *factors, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!(factors[i] == 0 || factors[i] == 1))
            return false;
    return true;
}

/* `first`: where the clip's constants begin; they end where its frames begin. Blocks divide the frame among them in
 * order, up to *frame_end so far. Each has at least one node, so the clip's size bounds their number. */
static int check_block(const struct model *model, uint32_t c, uint32_t b, uint32_t first, uint64_t *frame_end,
                       uint32_t *driven, struct err *err)
{
    const struct compiled_clip *clip = &model->compiled_clips[c];
    const struct lane_block *block = &model->lane_blocks[b];
    const uint64_t floats = (uint64_t)block->width * block_frame_vectors(block->flags);
    const uint64_t constants = (uint64_t)block->width * block_constant_vectors(block->flags);
    const uint32_t factors = (LANES_STEP & block->flags) != 0 ? 3 * block->width : 0;
    const char *field =
        block->rig_nodes[0] >= model->rig_node_count ? "rig_nodes"
        : !is_kind(block->flags) || ((block->flags & LANES_CUBIC) != 0 && (clip->flags & COMPILED_CUBIC) == 0) ? "flags"
        : block->width != LANE_WIDTH && block->width != LANE_WIDTH_HALF                                        ? "width"
        : block->frame_offset != *frame_end || !bake_is_range(*frame_end, floats, clip->frame_floats) ? "frame_offset"
        : block->constant_first < first || !bake_is_range(block->constant_first, constants, clip->value_first) ||
                !are_factors(model->lane_values + block->constant_first + (constants - factors), factors)
            ? "constants"
            : NULL;
    *frame_end += floats;
    for (uint32_t l = 0; l < LANE_WIDTH && field == NULL; l++)
        if ((l >= block->width || !gives(model, driven, block->rig_nodes[l], c)) &&
            block->rig_nodes[l] != model->rig_node_count)
            field = "rig_nodes";
    return field == NULL ? 0 : bake_check_fail(err, "lane_blocks", b, field);
}

/* The kernels divide by the lengths of these rotations, interpolated between any two frames. */
static bool are_rotations(const struct model *model, const struct compiled_clip *clip, const struct lane_block *block)
{
    const uint32_t width = block->width;
    const float *q = model->lane_values + clip->value_first + block->frame_offset;
    bool is_good = true;
    for (uint32_t f = 0; f < clip->frame_count && is_good; f++, q += clip->frame_floats) {
        const float *former = f > 0 ? q - clip->frame_floats : q;
        unsigned bad = 0;
        for (uint32_t l = 0; l < width; l++) {
            float square = 0, dot = 0;
            for (uint32_t i = 0; i < 4; i++) {
                square += q[i * width + l] * q[i * width + l];
                dot += q[i * width + l] * former[i * width + l];
            }
            bad |= (unsigned)!(square >= SQUARE_MIN) | (unsigned)!(square <= SQUARE_MAX) | (unsigned)!(dot >= DOT_MIN);
        }
        is_good = bad == 0;
    }
    return is_good;
}

/* is_cubic: two frames may have the same time. */
static bool are_times(const double *times, uint32_t count, bool is_cubic)
{
    for (uint32_t i = 0; i < count; i++)
        if (!(fabs(times[i]) <= BAKE_TIME_MAX) || (i > 0 && !(times[i] >= times[i - 1])) ||
            (i > 0 && !is_cubic && times[i] == times[i - 1]) || (i > 1 && times[i] == times[i - 2]))
            return false;
    return true;
}

static int check_ranges(const struct model *model, uint32_t c, struct ends *ends, struct err *err)
{
    const struct compiled_clip *clip = &model->compiled_clips[c];
    const uint64_t values = (uint64_t)clip->frame_count * clip->frame_floats;
    const uint32_t rig_parts = model->rig_part_count > 0 ? model->rig_node_count : 0;
    const char *field =
        !takes(&ends->frames, clip->frame_first, clip->frame_count, model->frame_time_count) ||
                !are_times(model->frame_times + clip->frame_first, clip->frame_count,
                           (clip->flags & COMPILED_CUBIC) != 0) ||
                !(clip->frames_per_s >= 0 && clip->frames_per_s <= 1e9)
            ? "frames"
        : clip->value_first < ends->values || clip->value_first % LANE_WIDTH != 0 ||
                clip->frame_floats % LANE_WIDTH != 0 ||
                !bake_is_range(clip->value_first, values, model->lane_value_count)
            ? "values"
        : !takes(&ends->blocks, clip->block_first, clip->block_count, model->lane_block_count) ? "blocks"
        : !takes(&ends->still, clip->still_first, clip->still_count, model->still_node_count)  ? "still_nodes"
        : !(clip->error >= 0 && clip->error <= 1e-6f)                                          ? "error"
        : (clip->flags & ~(uint32_t)(COMPILED_F64_ANY | COMPILED_CUBIC)) != 0                  ? "flags"
        : clip->part_first != ends->parts || !bake_is_range(ends->parts, rig_parts, model->rig_part_count) ? "rig_parts"
        : clip->sized_count > model->rig_node_count                   ? "sized_count"
        : !(clip->blend_errors[0] >= 0 && clip->blend_errors[1] >= 0) ? "blend_errors"
                                                                      : NULL;
    ends->parts += rig_parts;
    return field == NULL ? 0 : bake_check_fail(err, "compiled_clips", c, field);
}

static bool is_blank(const struct compiled_clip *clip)
{
    static const struct compiled_clip BLANK = {0};
    return memcmp(clip, &BLANK, sizeof BLANK) == 0;
}

static int check_clip(const struct model *model, uint32_t c, struct ends *ends, uint32_t *driven,
                      struct clip_magnitude *magnitudes, struct err *err)
{
    const struct compiled_clip *clip = &model->compiled_clips[c];
    const uint32_t constant_first = ends->values;
    uint64_t frame_end = 0;
    if (clip->frame_count == 0)
        return is_blank(clip) ? 0 : bake_check_fail(err, "compiled_clips", c, "frame_count");
    int rc = check_ranges(model, c, ends, err);
    if (rc == 0)
        rc = check_still(model, c, driven, err);
    for (uint32_t b = 0; b < clip->block_count && rc == 0; b++)
        rc = check_block(model, c, clip->block_first + b, constant_first, &frame_end, driven, err);
    for (uint32_t i = 0; i < model->rig_node_count && rc == 0; i++)
        if (driven[i] != c + 1)
            rc = bake_check_fail(err, "compiled_clips", c, "rig_nodes");
    for (uint32_t b = 0; b < clip->block_count && rc == 0; b++) {
        const struct lane_block *block = &model->lane_blocks[clip->block_first + b];
        if (block_has_arcs(block->flags) && !are_rotations(model, clip, block))
            rc = bake_check_fail(err, "lane_blocks", clip->block_first + b, "rotations");
    }
    if (rc == 0 && !clip_is_bounded(model, clip, magnitudes, magnitudes + model->rig_node_count))
        rc = bake_check_fail(err, "compiled_clips", c, "values");
    if (rc == 0)
        ends->values = clip->value_first + clip->frame_count * clip->frame_floats;
    return rc;
}

static int check_clips(const struct model *model, uint32_t *driven, struct clip_magnitude *magnitudes, struct err *err)
{
    struct ends ends = {.parts = model->rig_part_count > 0 ? model->rig_node_count : 0}; /* after the set at rest */
    clip_magnitude_of_outputs(model, magnitudes);
    for (uint32_t c = 0; c < model->compiled_clip_count; c++) {
        const int rc = check_clip(model, c, &ends, driven, magnitudes, err);
        if (rc < 0)
            return rc;
    }
    const char *section = ends.frames != model->frame_time_count   ? "frame_times"
                          : ends.values != model->lane_value_count ? "lane_values"
                          : ends.blocks != model->lane_block_count ? "lane_blocks"
                          : ends.still != model->still_node_count  ? "still_nodes"
                          : ends.parts != model->rig_part_count    ? "rig_parts"
                                                                   : NULL;
    return section == NULL ? 0 : err_set(err, ERR_BAD_BAKE, "%s has elements that no clip has", section);
}

int bake_check_compiled(const struct model *model, struct err *err)
{
    const bool is_compiled = model->compiled_clip_count > 0;
    if (model->compiled_clip_count != (is_compiled ? model->clip_count : 0) ||
        model->rig_skin_count != (is_compiled || model->rig_skin_count > 0 ? model->skin_count : 0))
        return err_set(err, ERR_BAD_BAKE, "compiled_clips has %u elements for %u clips", model->compiled_clip_count,
                       model->clip_count);
    if (model->constraint_count > 0 && model->rig_skin_count + (uint64_t)model->rig_node_count > 0)
        return err_set(err, ERR_BAD_BAKE, "rig_skins has elements in a model with constraints");
    if (model->rig_node_count > model->node_count)
        return bake_check_fail(err, "rig_nodes", model->node_count, "node");
    if (!floats_are_finite(model->lane_values, model->lane_value_count))
        return err_set(err, ERR_BAD_BAKE, "lane_values has a value that is not finite");
    uint32_t *seen = calloc((size_t)model->joint_count + model->rig_node_count + 1, sizeof *seen);
    struct clip_magnitude *magnitudes = calloc((size_t)model->rig_node_count + 1, 2 * sizeof *magnitudes);
    int rc = seen == NULL || magnitudes == NULL
                 ? err_set(err, ERR_NO_MEMORY, "no memory to check the rig of %u nodes", model->rig_node_count)
                 : bake_check_each(model, "rig_nodes", model->rig_node_count, rig_node_fault, err);
    if (rc == 0)
        rc = check_parts(model, is_compiled || model->rig_skin_count > 0, err);
    if (rc == 0)
        rc = check_skins(model, seen, err);
    if (rc == 0)
        rc = check_clips(model, seen + model->joint_count, magnitudes, err);
    free(seen);
    free(magnitudes);
    return rc;
}
