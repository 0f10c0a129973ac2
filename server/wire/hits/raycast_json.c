/* raycast_json.c - writes hits as JSON. */
#include "wire/hits/raycast.h"

#include "wire/reply/reply_json.h"
#include "wire/request/request_raycast.h"

/* {"ray":0,"entity":2,"joint":{..},.. */
static void put_volume_hit(struct buf *out, const struct model *model, const struct hit_set *set, const struct hit *hit)
{
    const struct hit_volume *volume = &set->volumes[hit->part].volume;
    json_printf(out, ",\"joint\":%u,\"name\":%.*s", volume->node, JSON_STR(model, model->nodes[volume->node].name));
    if (volume->name.offset != STR_NONE)
        json_printf(out, ",\"volume\":%.*s", JSON_STR(model, volume->name));
}

/* ,"node":..,"mesh":..,"primitive":..,"triangle":..,"barycentric":[..] */
static void put_mesh_hit(struct buf *out, const struct model *model, const struct hit *hit)
{
    const struct draw *draw = &model->draws[hit->part];
    const uint32_t mesh = model->primitives[draw->primitive].mesh;
    json_printf(out, ",\"node\":%u,\"name\":%.*s,\"mesh\":%u,\"primitive\":%u,\"triangle\":%u", draw->node,
                JSON_STR(model, model->nodes[draw->node].name), mesh,
                draw->primitive - model->meshes[mesh].primitive_first, hit->triangle);
    put_vec3(out, ",\"barycentric\":", hit->barycentric);
}

void raycast_put_json(const struct request *request, const struct model *model, const struct model *const *sources,
                      const struct hit_set *const *sets, const struct hit_list *hits, struct buf *out)
{
    buf_put_text(out, request->hits.is_of_meshes ? "{\"test\":\"mesh\"" : "{\"test\":\"volumes\"");
    if (!request->hits.is_of_meshes)
        json_printf(out, ",\"fit\":%s", volume_kind_name(request->hits.fit));
    json_printf(out, ",\"entities\":%u,\"rays\":%u,\"hits\":[", request->hits.raycast->entity_count,
                request->hits.raycast->ray_count);
    for (size_t h = 0; h < hits->count && !buf_failed(out); h++) {
        const struct hit *hit = &hits->hits[h];
        const struct model *of = raycast_model(request, hit->entity, model, sources);
        json_comma(out, h > 0);
        json_printf(out, "{\"ray\":%u,\"entity\":%u", hit->ray, hit->entity);
        if (request->hits.is_of_meshes)
            put_mesh_hit(out, of, hit);
        else
            put_volume_hit(out, of, sets[hit->entity], hit);
        json_printf(out, ",\"distance\":%f", (double)(float)hit->distance);
        put_vec3(out, ",\"point\":", hit->point);
        put_vec3(out, ",\"normal\":", hit->normal);
        buf_put_text(out, hit->is_inside ? ",\"inside\":true}" : "}");
    }
    buf_put_text(out, "]}\n");
}
