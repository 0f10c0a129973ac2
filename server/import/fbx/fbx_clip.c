/* fbx_clip.c - converts takes to clips. A clip begins at its take's start, as time 0, and has its take's duration. */
#include "import/fbx/fbx_clip.h"

#include "anim/model/bake_builder.h"
#include "base/mem.h"

static int add_node(struct fbx *fbx, const struct fbx_take_reader *reader, uint32_t n, struct err *err)
{
    struct fbx_node_motion node;
    const double stop_s = fbx_range_s(&reader->take->range, reader->take->range.stop);
    int rc = fbx_node_motion_read(&node, fbx, reader, fbx->object_of[n], err);
    if (rc == 0 && node.is_moving)
        rc = fbx_add_node_channels(fbx, &node, n, stop_s, err);
    fbx_node_motion_fini(&node);
    if (rc == 0)
        rc = fbx_add_weight_channel(fbx, reader, n, stop_s, err);
    return rc < 0 ? err_prefix(err, "%s", FBX_OBJECT_TEXT(&fbx->scene, fbx->object_of[n])) : 0;
}

static int add_clip(struct fbx *fbx, struct fbx_take_list *list, const struct fbx_take *take, struct err *err)
{
    struct bake_builder *builder = fbx->builder;
    const struct fbx_take_reader reader = {.scene = &fbx->scene,
                                           .list = list,
                                           .take = take,
                                           .key_limit = fbx->import->limits->value[LIMIT_KEYS],
                                           .work_left = &list->work_left};
    struct clip clip = {
        .name = fbx_put_name(fbx, take->name),
        .channel_first = builder->channel_count,
        .duration_s = fbx_range_s(&take->range, take->range.stop),
    };
    for (uint32_t n = 0; n < fbx->node_count && take->drive_count > 0; n++)
        if (add_node(fbx, &reader, n, err) < 0)
            return err->code;
    clip.channel_count = builder->channel_count - clip.channel_first;
    fbx->clip_starts_s[builder->clip_count] = take->range.start / take->range.ticks_per_s;
    if (take->stack != FBX_NONE)
        fbx->clip_of[take->stack] = (int32_t)builder->clip_count;
    return import_put_clip(fbx->import, &clip, err);
}

int fbx_read_clips(struct fbx *fbx, struct err *err)
{
    struct fbx_take_list list;
    int rc = fbx_take_list_read(&list, &fbx->scene, err);
    fbx->clip_of = mem_alloc(fbx->scene.object_count * sizeof *fbx->clip_of);
    for (uint32_t i = 0; i < fbx->scene.object_count; i++)
        fbx->clip_of[i] = -1;
    fbx->clip_starts_s = mem_zalloc((size_t)list.take_count + 1, sizeof *fbx->clip_starts_s);
    for (uint32_t i = 0; i < list.take_count && rc == 0; i++) {
        rc = add_clip(fbx, &list, &list.takes[i], err);
        if (rc < 0)
            err_prefix(err, "take %u", i);
    }
    fbx_take_list_fini(&list);
    return rc;
}
