/* raycast_binary.c - writes hits as bytes. */
#include "wire/hits/raycast.h"

#include "wire/request/request_raycast.h"

#include <string.h>

static void put_f32(struct buf *out, double value)
{
    const float rounded = (float)value;
    uint32_t bits;
    memcpy(&bits, &rounded, sizeof bits);
    buf_put_u32(out, bits);
}

static void put_hit(struct buf *out, const struct request *request, const struct model *model,
                    const struct hit_set *set, const struct hit *hit)
{
    const struct draw *draw = request->hits.is_of_meshes ? &model->draws[hit->part] : NULL;
    buf_put_u32(out, hit->ray);
    buf_put_u32(out, hit->entity);
    buf_put_u32(out, draw != NULL ? draw->node : set->volumes[hit->part].volume.node);
    buf_put_u32(out, draw != NULL
                         ? draw->primitive - model->meshes[model->primitives[draw->primitive].mesh].primitive_first
                         : hit->part);
    buf_put_u32(out, hit->triangle);
    buf_put_u32(out, hit->is_inside);
    put_f32(out, hit->distance);
    for (int i = 0; i < 3; i++)
        put_f32(out, hit->point[i]);
    for (int i = 0; i < 3; i++)
        put_f32(out, hit->normal[i]);
    for (int i = 0; i < 3; i++)
        put_f32(out, hit->barycentric[i]);
}

void raycast_put_binary(const struct request *request, const struct model *model, const struct model *const *sources,
                        const struct hit_set *const *sets, const struct hit_list *hits, struct buf *out)
{
    buf_put(out, RAYCAST_ANSWER_MAGIC, sizeof RAYCAST_ANSWER_MAGIC - 1);
    buf_put_u16(out, RAYCAST_VERSION);
    buf_put_u16(out, 0);
    buf_put_u32(out, request->hits.raycast->entity_count);
    buf_put_u32(out, request->hits.raycast->ray_count);
    buf_put_u32(out, (uint32_t)hits->count);
    buf_put_u32(out, request->hits.is_of_meshes);
    buf_put_u64(out, RAYCAST_ANSWER_BYTES + (uint64_t)hits->count * RAYCAST_HIT_BYTES);
    for (size_t h = 0; h < hits->count && !buf_failed(out); h++)
        put_hit(out, request, raycast_model(request, hits->hits[h].entity, model, sources), sets[hits->hits[h].entity],
                &hits->hits[h]);
}
