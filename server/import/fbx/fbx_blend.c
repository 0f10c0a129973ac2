#include "import/fbx/fbx_deform.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double property_or(const struct fbx *fbx, uint32_t object, const char *name, double fallback)
{
    double value = fallback;
    if (!fbx_property_real(&fbx->scene, object, name, &value))
        value = fbx_child_real(&fbx->scene.file, fbx->scene.objects[object].record, name, fallback);
    return isfinite(value) ? value : fallback;
}

/* Keeps shapes in ascending order of percents, and equal ones in the file's order. */
static void insert_shape(struct fbx_channel *channel, uint32_t shape, double percent)
{
    uint32_t at = channel->shape_count++;
    for (; at > 0 && channel->full_percents[at - 1] > percent; at--) {
        channel->shapes[at] = channel->shapes[at - 1];
        channel->full_percents[at] = channel->full_percents[at - 1];
    }
    channel->shapes[at] = shape;
    channel->full_percents[at] = percent;
}

static void find_shapes(struct fbx *fbx, struct fbx_channel *channel, const double *percents, uint32_t percent_count)
{
    const struct fbx_scene *scene = &fbx->scene;
    uint32_t count = 0, place = 0;
    const struct fbx_link *links = fbx_children(scene, channel->object, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (!fbx_object_is(scene, links[i].child, "Geometry", "Shape"))
            continue;
        if (channel->shape_count == FBX_CHANNEL_SHAPES_MAX) {
            bake_warn(fbx->builder, "shapes_ignored", "%s has more than %d shapes",
                      FBX_OBJECT_TEXT(scene, channel->object), FBX_CHANNEL_SHAPES_MAX);
            break;
        }
        const double percent = place < percent_count ? percents[place] : 100;
        insert_shape(channel, links[i].child, isfinite(percent) ? percent : 100);
        place++;
    }
}

static int full_weights(const struct fbx *fbx, uint32_t channel, double **percents, uint32_t *count, struct err *err)
{
    const struct fbx_file *file = &fbx->scene.file;
    return fbx_doubles(file, fbx_child(file, fbx->scene.objects[channel].record, "FullWeights"), percents, count, err);
}

/* Programs that took Blender's exporter for their own are known by more percents than shapes, as many as points. What
 * Blender writes are never percents of shapes. */
static int find_point_percents(struct fbx *fbx, struct fbx_channel *channel, uint32_t percent_count, struct err *err)
{
    const struct fbx_file *file = &fbx->scene.file;
    const bool is_by_blender = fbx_is_by_blender(fbx);
    if (channel->shape_count != 1 || (percent_count <= 1 && !is_by_blender))
        return 0;
    int32_t *points = NULL;
    uint32_t point_count = 0;
    const uint32_t record = fbx->scene.objects[channel->shapes[0]].record;
    if (fbx_int32s(file, fbx_child(file, record, "Indexes"), &points, &point_count, err) < 0)
        return err->code;
    free(points);
    channel->has_point_percents = percent_count == point_count;
    if (channel->has_point_percents || is_by_blender)
        channel->full_percents[0] = 100;
    return 0;
}

static int read_channel(struct fbx *fbx, uint32_t object, struct fbx_blend *blend, struct err *err)
{
    const struct fbx_scene *scene = &fbx->scene;
    struct fbx_channel channel = {.object = object, .target_first = blend->target_count};
    channel.percent = property_or(fbx, object, "DeformPercent", 0);
    double *percents = NULL;
    uint32_t percent_count = 0;
    if (full_weights(fbx, object, &percents, &percent_count, err) < 0)
        return err->code;
    find_shapes(fbx, &channel, percents, percent_count);
    free(percents);
    if (find_point_percents(fbx, &channel, percent_count, err) < 0)
        return err->code;
    if (channel.shape_count == 0)
        return 0;
    /* A file can link the same shapes many times. */
    if (import_check_limit(fbx->import, LIMIT_WEIGHTS, blend->target_count, channel.shape_count,
                           FBX_OBJECT_TEXT(scene, object), err) < 0)
        return err->code;
    blend->target_count += channel.shape_count;
    if (blend->channel_count == blend->channel_capacity) {
        blend->channel_capacity = 2 * blend->channel_capacity + 4;
        blend->channels = mem_realloc(blend->channels, blend->channel_capacity * sizeof channel);
    }
    blend->channels[blend->channel_count++] = channel;
    return 0;
}

int fbx_blend_read(struct fbx *fbx, uint32_t geometry, struct fbx_blend *blend, struct err *err)
{
    *blend = (struct fbx_blend){0};
    uint32_t count = 0;
    const struct fbx_link *links = fbx_children(&fbx->scene, geometry, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (!fbx_object_is(&fbx->scene, links[i].child, "Deformer", "BlendShape"))
            continue;
        uint32_t channel_count = 0;
        const struct fbx_link *channels = fbx_children(&fbx->scene, links[i].child, &channel_count);
        for (uint32_t c = 0; c < channel_count; c++)
            if (fbx_object_is(&fbx->scene, channels[c].child, "Deformer", "BlendShapeChannel") &&
                read_channel(fbx, channels[c].child, blend, err) < 0)
                return err->code;
    }
    return 0;
}

void fbx_blend_fini(struct fbx_blend *blend)
{
    free(blend->channels);
    *blend = (struct fbx_blend){0};
}

/* The shape nearest to 0 on one side of it (step 1: above, -1: below), or -1. */
static int nearest_shape(const struct fbx_channel *channel, int step)
{
    const int count = (int)channel->shape_count;
    for (int i = step > 0 ? 0 : count - 1; i >= 0 && i < count; i += step)
        if (channel->full_percents[i] * step > 0)
            return i;
    return -1;
}

void fbx_channel_weights(const struct fbx_channel *channel, double percent, double *out)
{
    const double *fulls = channel->full_percents;
    const int count = (int)channel->shape_count, step = percent < 0 ? -1 : 1;
    memset(out, 0, channel->shape_count * sizeof *out);
    int to = nearest_shape(channel, step);
    if (to < 0) {
        /* Without shapes on this side, the line of the other side continues. */
        to = nearest_shape(channel, -step);
        if (to >= 0)
            out[to] = percent / fulls[to];
        return;
    }
    int from = -1; /* no shape, at 0 */
    for (int next = to + step; next >= 0 && next < count && fulls[to] * step <= percent * step; next += step) {
        from = to;
        to = next;
    }
    const double start = from < 0 ? 0 : fulls[from], length = fulls[to] - start;
    const double u = length == 0 ? 1 : (percent - start) / length;
    if (from >= 0)
        out[from] = 1 - u;
    out[to] = u;
}

/* Keeps only offsets of existing control points. */
static void drop_strays(const struct fbx *fbx, uint32_t shape, uint32_t point_count, struct fbx_target *target)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < target->count; i++) {
        if (target->points[i] >= point_count)
            continue;
        target->points[kept] = target->points[i];
        memmove(target->offsets[kept], target->offsets[i], sizeof *target->offsets);
        if (target->normals != NULL)
            memmove(target->normals[kept], target->normals[i], sizeof *target->normals);
        kept++;
    }
    if (kept < target->count)
        bake_warn(fbx->builder, "shape_offsets_ignored",
                  "%s: %u of %u offsets are of no control point: they are left out",
                  FBX_OBJECT_TEXT(&fbx->scene, shape), target->count - kept, target->count);
    target->count = kept;
}

static void scale3(double v[3], double factor)
{
    for (int i = 0; i < 3; i++)
        v[i] *= factor;
}

static int weigh_points(const struct fbx *fbx, const struct fbx_channel *channel, struct fbx_target *target,
                        struct err *err)
{
    double *percents = NULL;
    uint32_t count = 0;
    if (full_weights(fbx, channel->object, &percents, &count, err) < 0)
        return err->code;
    for (uint32_t i = 0; i < target->count && i < count; i++) {
        const double weight = isfinite(percents[i]) ? percents[i] / 100 : 1;
        scale3(target->offsets[i], weight);
        if (target->normals != NULL)
            scale3(target->normals[i], weight);
    }
    free(percents);
    return 0;
}

int fbx_target_read(const struct fbx *fbx, const struct fbx_channel *channel, uint32_t shape, uint32_t point_count,
                    struct fbx_target *target, struct err *err)
{
    *target = (struct fbx_target){0};
    const struct fbx_file *file = &fbx->scene.file;
    const uint32_t object = channel->shapes[shape], record = fbx->scene.objects[object].record;
    int32_t *points = NULL;
    double *offsets = NULL, *normals = NULL;
    uint32_t offset_count = 0, normal_count = 0;
    if (fbx_int32s(file, fbx_child(file, record, "Indexes"), &points, &target->count, err) < 0)
        return err->code;
    target->points = (uint32_t *)points;
    if (fbx_doubles(file, fbx_child(file, record, "Vertices"), &offsets, &offset_count, err) < 0)
        return err->code;
    target->offsets = (double(*)[3])(void *)offsets;
    if (fbx_doubles(file, fbx_child(file, record, "Normals"), &normals, &normal_count, err) < 0)
        return err->code;
    target->normals = (double(*)[3])(void *)normals;
    if (offset_count / 3 < target->count)
        target->count = offset_count / 3;
    if (normal_count / 3 < target->count) {
        free(target->normals);
        target->normals = NULL;
    }
    if (channel->has_point_percents && weigh_points(fbx, channel, target, err) < 0)
        return err->code;
    drop_strays(fbx, object, point_count, target);
    return 0;
}

void fbx_target_fini(struct fbx_target *target)
{
    free(target->points);
    free(target->offsets);
    free(target->normals);
    *target = (struct fbx_target){0};
}
