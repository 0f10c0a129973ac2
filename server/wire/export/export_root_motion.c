/* export_root_motion.c - clips whose motion over the ground is taken out, or moved to the node above.
 *
 * A node's translation t becomes a place of the scene by A t and a constant, where A is the linear part of its parent's
 * scene_from_node. P takes the part across the up axis. While nothing above the node moves, A is constant, so
 *
 *   t' = t - D (t - t0)        D = A^-1 P A, t0 = t at the beginning
 *
 * stays over the place where it begins. This is affine, so it holds between keys of any interpolation when it holds for
 * them; tangents take its linear part. With to-root the node above, whose parent has the linear part B, moves by
 * B^-1 P A (t - t0) from where it is. */
#include "anim/model/mat.h"
#include "anim/pose/pose.h"
#include "wire/export/export_internal.h"

#include <math.h>
#include <string.h>

static const struct channel *channel_of(const struct model *source, uint32_t index, uint32_t node,
                                        enum channel_path path)
{
    const struct clip *clip = &source->clips[index];
    for (uint32_t c = 0; c < clip->channel_count; c++) {
        const struct channel *channel = &source->channels[clip->channel_first + c];
        if (channel->node == node && channel->path == path)
            return channel;
    }
    return NULL;
}

static uint32_t width_of(const struct channel *channel)
{
    return channel->component_count * (channel->interpolation == INTERPOLATION_CUBICSPLINE ? 3 : 1);
}

static bool is_constant(const struct model *source, const struct channel *channel)
{
    const float *values = source->key_values + channel->value_first;
    const uint32_t width = width_of(channel);
    const bool is_cubic = width > channel->component_count;
    for (uint32_t k = 0; k < channel->key_count; k++)
        for (uint32_t i = 0; i < width; i++) {
            const bool is_tangent = is_cubic && i / channel->component_count != 1;
            const float still = is_tangent ? 0 : values[i];
            if (values[(size_t)k * width + i] != still)
                return false;
        }
    return true;
}

enum { MOVES = 1, TRAVELS = 2 };

/* Notes which nodes the clip moves, and which of them by their translation. */
static void note_moves(struct export *e, const struct model *source, uint32_t index)
{
    const struct clip *clip = &source->clips[index];
    memset(e->root.moves, 0, source->node_count);
    for (uint32_t c = 0; c < clip->channel_count; c++) {
        const struct channel *channel = &source->channels[clip->channel_first + c];
        if (path_is_transform(channel->path) && !is_constant(source, channel))
            e->root.moves[channel->node] |= channel->path == PATH_TRANSLATION ? MOVES | TRAVELS : MOVES;
    }
}

/* Takes the motion of a clip from this node. */
struct root_mover {
    uint32_t node;
    int32_t above;
    double ground_from_local[9]; /* P A, row-major */
    double local_from_ground[9]; /* A^-1 */
    double above_from_ground[9]; /* B^-1 */
    double start[3], above_start[3];
};

static void apply(const double m[9], const double v[3], double out[3])
{
    for (int r = 0; r < 3; r++)
        out[r] = dot3(m + 3 * r, v);
}

/* Inverts the linear part of scene_from_node of a node's parent. False: it has no inverse. */
static bool linear_of(const struct pose *pose, int32_t parent, double linear[9], double inverse[9])
{
    struct dmat4 m = parent < 0 ? DMAT4_IDENTITY : pose->scene_from_node[parent], inverted;
    const bool has_inverse = dmat4_invert(&m, &inverted);
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) {
            linear[3 * r + c] = m.m[4 * c + r];
            inverse[3 * r + c] = has_inverse ? inverted.m[4 * c + r] : 0;
        }
    return has_inverse;
}

/* --- which node --- */

static bool is_traveller(const struct export *e, int32_t node) { return (e->root.moves[node] & TRAVELS) != 0; }

/* Returns the root bone if the clip moves it, else the hips, else the first node that moves below the root bone where
 * the hierarchy does not branch; -1: none. */
static int32_t find_mover(const struct export *e)
{
    int32_t node = e->root.top;
    if (node >= 0 && is_traveller(e, node))
        return node;
    if (e->root.is_given)
        return -1;
    if (e->root.hips >= 0)
        return is_traveller(e, e->root.hips) ? e->root.hips : -1;
    while (node >= 0 && !is_traveller(e, node))
        node = e->root.only_children[node];
    return node < 0 ? -1 : node;
}

/* Whether to-root finds the motion where it belongs: in a root bone above the hips. */
static bool is_there(const struct export *e, int32_t mover)
{
    return e->context->request->export.root_motion == EXPORT_ROOT_TO_ROOT && !e->root.is_given && e->root.hips >= 0 &&
           mover == e->root.top && mover != e->root.hips;
}

static bool refuse(struct export *e, uint32_t index, uint32_t node, const char *why)
{
    struct err err;
    char name[SHORT_NAME_SIZE];
    err_set(&err, ERR_BAD_PARAMETER, "clip %u: %s node %u '%s'%s", index, why, node,
            short_name(e->model, e->model->nodes[node].name, name), ": 'root' names the node whose movement it is");
    return context_fail(e->context, &err);
}

/* False: the reply is an error. */
static bool check_above(struct export *e, const struct model *source, uint32_t index, uint32_t node)
{
    for (int32_t n = source->nodes[node].parent; n >= 0; n = source->nodes[n].parent)
        if (e->root.moves[n] != 0)
            return refuse(e, index, (uint32_t)n, "root_motion cannot be told from the movement of");
    return true;
}

/* --- keys --- */

/* Fills everything but the node. The pose is that at the beginning of the clip. False: the reply is an error. */
static bool measure(struct export *e, const struct model *source, uint32_t index, struct root_mover *mover)
{
    double linear[9], ignored[9], up[3];
    const bool is_to_root = e->context->request->export.root_motion == EXPORT_ROOT_TO_ROOT;
    if (!export_is_affordable(e, source->node_count))
        return false;
    pose_evaluate(&e->before, source, (int32_t)index, 0);
    mover->above = source->nodes[mover->node].parent;
    if (is_to_root && mover->above < 0)
        return refuse(e, index, mover->node, "to-root finds no node above");
    if (!linear_of(&e->before, mover->above, linear, mover->local_from_ground) ||
        (is_to_root && !linear_of(&e->before, source->nodes[mover->above].parent, ignored, mover->above_from_ground)))
        return refuse(e, index, mover->node, "a scale of 0 hides the ground from");
    for (int i = 0; i < 3; i++)
        up[i] = (double)source->infos[0].up[i];
    unit3(up);
    for (int c = 0; c < 3; c++) {
        const double column[3] = {linear[c], linear[3 + c], linear[6 + c]}, height = dot3(column, up);
        for (int r = 0; r < 3; r++)
            mover->ground_from_local[3 * r + c] = column[r] - height * up[r];
    }
    memcpy(mover->start, e->before.local[mover->node].translation, sizeof mover->start);
    if (is_to_root)
        memcpy(mover->above_start, e->before.local[mover->above].translation, sizeof mover->above_start);
    return true;
}

/* Converts the values of a channel of the mover, of which `above` gets what it loses; NULL: nothing does. */
static void move_values(const struct root_mover *mover, const struct channel *channel, float *values, float *above)
{
    const uint32_t rows = width_of(channel) / 3;
    for (size_t i = 0; i < (size_t)channel->key_count * rows; i++) {
        const bool is_tangent = rows > 1 && i % rows != 1;
        double from[3], ground[3], lost[3], gained[3];
        for (int a = 0; a < 3; a++)
            from[a] = (double)values[3 * i + (size_t)a] - (is_tangent ? 0 : mover->start[a]);
        apply(mover->ground_from_local, from, ground);
        apply(mover->local_from_ground, ground, lost);
        apply(mover->above_from_ground, ground, gained);
        for (size_t a = 0; a < 3; a++) {
            values[3 * i + a] = (float)((double)values[3 * i + a] - lost[a]);
            if (above != NULL)
                above[3 * i + a] = (float)((is_tangent ? 0 : mover->above_start[a]) + gained[a]);
        }
    }
}

static uint64_t value_count(const struct channel *channel) { return (uint64_t)channel->key_count * width_of(channel); }

/* Adds a channel like `moving` for another node among `count` channels, which are in the order of nodes and paths. */
static void insert(struct channel *channels, uint32_t count, const struct channel *moving, uint32_t node,
                   uint32_t first)
{
    struct channel added = *moving;
    added.node = node;
    added.value_first = first;
    while (count > 0 && (channels[count - 1].node > node ||
                         (channels[count - 1].node == node && channels[count - 1].path > PATH_TRANSLATION))) {
        channels[count] = channels[count - 1];
        count--;
    }
    channels[count] = added;
}

/* Gives *out, a copy of the source, the channels of the clip, with new values for those that the movement changes. All
 * other values stay where export_shared() finds that clips and channels share them. */
static bool move_clip(struct export *e, const struct model *source, uint32_t index, const struct root_mover *mover,
                      struct model *out)
{
    const struct clip *clip = &source->clips[index];
    const bool is_to_root = e->context->request->export.root_motion == EXPORT_ROOT_TO_ROOT;
    const struct channel *moving = channel_of(source, index, mover->node, PATH_TRANSLATION);
    struct channel *channels = export_array(e, (size_t)clip->channel_count + 1, sizeof *channels);
    if (channels == NULL)
        return false;
    const uint32_t own = e->still.value_count, above = own + (uint32_t)value_count(moving);
    float *values = e->still.values;
    uint32_t channel_count = 0;
    for (uint32_t c = 0; c < clip->channel_count; c++) {
        const struct channel *from = &source->channels[clip->channel_first + c];
        if (is_to_root && (int32_t)from->node == mover->above && from->path == PATH_TRANSLATION)
            continue; /* constant, and in above_start */
        channels[channel_count] = *from;
        if (from == moving)
            channels[channel_count].value_first = own;
        channel_count++;
    }
    memcpy(values + own, source->key_values + moving->value_first, value_count(moving) * sizeof *values);
    move_values(mover, moving, values + own, is_to_root ? values + above : NULL);
    if (is_to_root)
        insert(channels, channel_count++, moving, (uint32_t)mover->above, above);
    e->still.value_count = above + (is_to_root ? (uint32_t)value_count(moving) : 0);
    e->still.clips[index].channel_first = 0;
    e->still.clips[index].channel_count = channel_count;
    out->clips = e->still.clips;
    out->channels = channels;
    out->channel_count = channel_count;
    out->key_values = values;
    out->key_value_count = e->still.value_count;
    out->compiled_clip_count = out->lane_value_count = 0;
    return true;
}

/* Returns how many values move_clip() adds at most for the clips of the file. */
static uint64_t count_added(const struct export *e, const struct model *source)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < source->clip_count; i++) {
        uint64_t most = 0;
        for (uint32_t c = 0; c < source->clips[i].channel_count; c++) {
            const struct channel *channel = &source->channels[source->clips[i].channel_first + c];
            if (channel->path == PATH_TRANSLATION && value_count(channel) > most)
                most = value_count(channel);
        }
        if (source->clips != e->model->clips || e->is_taken[i] != 0)
            sum += e->context->request->export.root_motion == EXPORT_ROOT_TO_ROOT ? 2 * most : most;
    }
    return sum;
}

/* Begins a copy of the source's clips and values, which move_clip() changes. The values have one address for all
 * clips, so there is room for what all of them add. False: the reply is an error. */
static bool copy_clips(struct export *e, const struct model *source)
{
    enum { COPIED_PER_STEP = 8 };
    if (e->still.from == source->clips)
        return true;
    if (!export_is_affordable(e, (uint64_t)source->clip_count + source->channel_count))
        return false;
    const uint64_t added = count_added(e, source), count = source->key_value_count + added;
    if (!export_is_affordable(e, source->key_value_count / COPIED_PER_STEP + added))
        return false;
    if (count > UINT32_MAX)
        return context_fail_too_large(e->context);
    e->still.from = source->clips;
    e->still.clips = export_array(e, source->clip_count, sizeof *e->still.clips);
    e->still.values = export_array(e, (size_t)count, sizeof *e->still.values);
    e->still.value_count = source->key_value_count;
    if (e->still.clips == NULL || e->still.values == NULL)
        return false;
    memcpy(e->still.clips, source->clips, source->clip_count * sizeof *e->still.clips);
    memcpy(e->still.values, source->key_values, source->key_value_count * sizeof *e->still.values);
    return true;
}

const struct model *export_move_root(struct export *e, const struct model *source, uint32_t index)
{
    if (e->context->request->export.root_motion == EXPORT_ROOT_KEEP)
        return source;
    if (!export_is_affordable(e, (uint64_t)source->node_count + source->clips[index].channel_count))
        return NULL;
    struct model *moved = export_array(e, 1, sizeof *moved);
    if (moved == NULL)
        return NULL;
    *moved = *source;
    export_put_root(e, moved);
    note_moves(e, source, index);
    const int32_t found = find_mover(e);
    struct root_mover mover = {.node = found < 0 ? 0 : (uint32_t)found};
    if (found < 0 || is_there(e, found))
        return moved;
    return copy_clips(e, source) && check_above(e, moved, index, mover.node) && measure(e, moved, index, &mover) &&
                   move_clip(e, source, index, &mover, moved)
               ? moved
               : NULL;
}
