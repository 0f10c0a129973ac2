/* body_packet.c - writes the payloads that only packets have: opened and found (protocol/tcp.md). */
#include "wire/models/model_bodies.h"
#include "wire/packet/packet_reply.h"
#include "wire/reply/select.h"

void body_put_opened(struct reply_context *context)
{
    const struct model *model = context->model;
    struct buf *out = context->out;
    context->reply->content_type = PACKET_TYPE_OPENED;
    buf_put(out, model->infos[0].content_hash, sizeof model->infos[0].content_hash);
    buf_put_u32(out, model->node_count);
    buf_put_u32(out, model->skin_count);
    buf_put_u32(out, model->clip_count);
    buf_put_u32(out, model->mesh_count);
}

/* The properties of a thing before they are written. */
struct found {
    struct str name;
    unsigned flags;
    int32_t node;
    const struct skin *skin; /* or NULL */
    double duration_s, start_s;
};

static struct found look_at(const struct model *model, enum find_what what, uint32_t index)
{
    struct found found = {.node = -1};
    switch (what) {
    case FIND_CLIP:
        found.name = model->clips[index].name;
        found.duration_s = model->clips[index].duration_s;
        found.start_s = model->clips[index].start_s;
        break;
    case FIND_SKIN:
        found.skin = &model->skins[index];
        found.name = found.skin->name;
        found.node = found.skin->mesh_node;
        found.flags = (found.skin->flags & SKIN_RIGID) != 0 ? PACKET_FOUND_RIGID : 0;
        break;
    case FIND_NODE:
        found.name = model->nodes[index].name;
        found.node = model->nodes[index].parent;
        break;
    case FIND_MESH:
        found.name = model->meshes[index].name;
        break;
    }
    found.flags |= found.name.offset != STR_NONE ? PACKET_FOUND_NAMED : 0;
    return found;
}

void body_put_found(struct reply_context *context)
{
    const struct model *model = context->model;
    const struct request *request = context->request;
    struct reply *reply = context->reply;
    static const enum thing THINGS[] = {
        [FIND_CLIP] = THING_CLIP, [FIND_SKIN] = THING_SKIN, [FIND_NODE] = THING_NODE, [FIND_MESH] = THING_MESH};
    uint32_t index = 0;
    if (select_thing(model, request->model, THINGS[request->find], &request->found, &index, reply) < 0)
        return;
    const struct found found = look_at(model, request->find, index);
    const uint32_t joint_count = found.skin == NULL ? 0 : found.skin->joint_count;
    const uint32_t name_bytes = (found.flags & PACKET_FOUND_NAMED) != 0 ? found.name.size_bytes : 0;
    struct buf *out = &reply->body;
    reply->content_type = PACKET_TYPE_FOUND;
    buf_put_u16(out, (uint16_t)request->find);
    buf_put_u16(out, (uint16_t)found.flags);
    buf_put_u32(out, index);
    buf_put_u32(out, (uint32_t)found.node);
    buf_put_u32(out, joint_count);
    buf_put_f64(out, found.duration_s);
    buf_put_f64(out, found.start_s);
    buf_put_u32(out, name_bytes);
    buf_put_u32(out, 0);
    buf_put_u64(out, 0);
    for (uint32_t j = 0; j < joint_count; j++)
        buf_put_u32(out, model->joints[found.skin->joint_first + j].node);
    if (name_bytes > 0)
        buf_put(out, model->text + found.name.offset, name_bytes);
}
