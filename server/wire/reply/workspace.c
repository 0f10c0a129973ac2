#include "wire/reply/workspace.h"

enum { BUF_COUNT = sizeof((struct workspace *)NULL)->bufs / sizeof(struct buf) };
_Static_assert(offsetof(struct workspace, glb.accessors) == offsetof(struct workspace, bufs[BUF_COUNT - 1]),
               "all buffers");

void workspace_init(struct workspace *workspace)
{
    /* any limit makes running out of memory an error of the request instead of the process */
    for (size_t i = 0; i < BUF_COUNT; i++)
        buf_init(&workspace->bufs[i], SIZE_MAX / 4);
    workspace->is_stopped = NULL;
    workspace->work_ns_most = 0;
    workspace->is_too_long = false;
    workspace->retargeted_clips = (struct retargeted_clip_access){0};
    workspace->layers = workspace->end_layers = (struct resolved_layers){0};
    entity_work_init(&workspace->entity);
    hit_scene_init(&workspace->scene);
    mesh_work_init(&workspace->mesh_hits);
    workspace->hits = (struct hit_list){0};
    workspace->looks = (struct appearance){0};
    crowd_work_init(&workspace->crowd);
}

void workspace_fini(struct workspace *workspace)
{
    for (size_t i = 0; i < BUF_COUNT; i++)
        buf_fini(&workspace->bufs[i]);
    layers_clear(&workspace->layers);
    layers_clear(&workspace->end_layers);
    entity_work_fini(&workspace->entity);
    appearance_fini(&workspace->looks);
    hit_scene_fini(&workspace->scene);
    mesh_work_fini(&workspace->mesh_hits);
    hit_list_fini(&workspace->hits);
    crowd_work_fini(&workspace->crowd);
}

static size_t looks_held_bytes(const struct appearance *looks)
{
    return looks->material_capacity * sizeof *looks->materials + looks->layer_capacity * sizeof *looks->layers +
           looks->light_capacity * sizeof *looks->lights + looks->camera_capacity * sizeof *looks->cameras;
}

size_t workspace_held_bytes(const struct workspace *workspace)
{
    size_t held_bytes = entity_work_held_bytes(&workspace->entity) + crowd_work_held_bytes(&workspace->crowd);
    held_bytes += looks_held_bytes(&workspace->looks);
    held_bytes += hit_scene_held_bytes(&workspace->scene) + workspace->hits.capacity * sizeof *workspace->hits.hits;
    for (size_t i = 0; i < BUF_COUNT; i++)
        held_bytes += workspace->bufs[i].capacity_bytes;
    return held_bytes;
}

void workspace_trim(struct workspace *workspace)
{
    enum { KEPT_BYTES = 1 << 20 };
    for (size_t i = 0; i < BUF_COUNT; i++)
        if (workspace->bufs[i].capacity_bytes > KEPT_BYTES)
            buf_fini(&workspace->bufs[i]);
    layers_clear(&workspace->layers);
    layers_clear(&workspace->end_layers);
    entity_work_trim(&workspace->entity, KEPT_BYTES);
    appearance_fini(&workspace->looks);
    if (hit_scene_held_bytes(&workspace->scene) > KEPT_BYTES) {
        hit_scene_fini(&workspace->scene);
        hit_scene_init(&workspace->scene);
    }
    if (mesh_work_held_bytes(&workspace->mesh_hits) > KEPT_BYTES) {
        mesh_work_fini(&workspace->mesh_hits);
        mesh_work_init(&workspace->mesh_hits);
    }
    if (workspace->hits.capacity * sizeof *workspace->hits.hits > KEPT_BYTES) {
        hit_list_fini(&workspace->hits);
        workspace->hits = (struct hit_list){0};
    }
    if (crowd_work_held_bytes(&workspace->crowd) > KEPT_BYTES)
        crowd_work_fini(&workspace->crowd);
}

void *workspace_array(struct buf *buf, size_t count, size_t item_bytes)
{
    buf_clear(buf);
    if (item_bytes != 0 && count > SIZE_MAX / item_bytes)
        return NULL;
    return buf_reserve(buf, count * item_bytes + 1);
}
