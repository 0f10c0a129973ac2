#include "wire/reply/workspace.h"

enum { BUF_COUNT = 11 };

static void list_bufs(struct workspace *workspace, struct buf *bufs[BUF_COUNT])
{
    struct buf *const all[BUF_COUNT] = {&workspace->selection, &workspace->blocks,       &workspace->palette,
                                        &workspace->vertices,  &workspace->floats,       &workspace->signs,
                                        &workspace->moved,     &workspace->places,       &workspace->glb.bin,
                                        &workspace->glb.views, &workspace->glb.accessors};
    memcpy(bufs, all, sizeof all);
}

void workspace_init(struct workspace *workspace)
{
    struct buf *bufs[BUF_COUNT];
    list_bufs(workspace, bufs);
    /* any limit: running out of memory then fails the request instead of the process */
    for (size_t i = 0; i < BUF_COUNT; i++)
        buf_init(bufs[i], SIZE_MAX / 4);
    workspace->is_stopped = NULL;
    pose_init(&workspace->pose);
    clip_palette_init(&workspace->clip_palette, kernel_best());
    blend_init(&workspace->blend);
}

void workspace_fini(struct workspace *workspace)
{
    struct buf *bufs[BUF_COUNT];
    list_bufs(workspace, bufs);
    for (size_t i = 0; i < BUF_COUNT; i++)
        buf_fini(bufs[i]);
    pose_fini(&workspace->pose);
    clip_palette_fini(&workspace->clip_palette);
    blend_fini(&workspace->blend);
}

size_t workspace_held_bytes(const struct workspace *workspace)
{
    const size_t node_bytes = sizeof *workspace->pose.local + sizeof *workspace->pose.scene_from_node;
    struct buf *bufs[BUF_COUNT];
    size_t held_bytes = workspace->pose.node_capacity * node_bytes +
                        workspace->pose.weight_capacity * sizeof *workspace->pose.weights +
                        (size_t)workspace->blend.node_capacity * (workspace->layers.count + 1) * node_bytes;
    list_bufs((struct workspace *)(uintptr_t)workspace, bufs);
    for (size_t i = 0; i < BUF_COUNT; i++)
        held_bytes += bufs[i]->capacity_bytes;
    return held_bytes;
}

void workspace_trim(struct workspace *workspace)
{
    enum { KEPT_BYTES = 1 << 20 };
    struct buf *bufs[BUF_COUNT];
    list_bufs(workspace, bufs);
    for (size_t i = 0; i < BUF_COUNT; i++)
        if (bufs[i]->capacity_bytes > KEPT_BYTES)
            buf_fini(bufs[i]);
    if ((uint64_t)workspace->blend.node_capacity * BLEND_LAYERS_MAX * sizeof(struct trs) > KEPT_BYTES)
        blend_fini(&workspace->blend);
}

void *workspace_array(struct buf *buf, size_t count, size_t item_bytes)
{
    buf_clear(buf);
    if (item_bytes != 0 && count > SIZE_MAX / item_bytes)
        return NULL;
    return buf_reserve(buf, count * item_bytes + 1);
}
