#include "wire/reply/reply_json.h"

#include "anim/model/material_layers.h"
#include "base/hex.h"

#include <string.h>

const char *texture_slot_name(uint32_t slot)
{
    static const char *const NAMES[TEXTURE_SLOT_COUNT] = {
        [TEXTURE_BASE_COLOR] = "base_color", [TEXTURE_METALLIC_ROUGHNESS] = "metallic_roughness",
        [TEXTURE_NORMAL] = "normal",         [TEXTURE_OCCLUSION] = "occlusion",
        [TEXTURE_EMISSIVE] = "emissive",
    };
    return slot < TEXTURE_SLOT_COUNT ? NAMES[slot] : LAYER_TEXTURES[slot - TEXTURE_SLOT_COUNT].name;
}

const char *const TOPOLOGY_NAMES[] = {
    [TOPOLOGY_TRIANGLES] = "triangles", [TOPOLOGY_LINES] = "lines", [TOPOLOGY_POINTS] = "points"};

const char *hash_digits(const struct model *model, char out[HASH_DIGITS_SIZE])
{
    hex_put(out, model->infos[0].content_hash, sizeof model->infos[0].content_hash);
    out[HASH_DIGITS_SIZE - 1] = '\0';
    return out;
}

void put_name_and_hash(struct buf *out, const struct model *model, const struct request *request)
{
    char hash[HASH_DIGITS_SIZE];
    json_printf(out, "{\"model\":%s,\"hash\":%s", request->model, hash_digits(model, hash));
}

void put_index(struct buf *out, const char *key, int32_t index)
{
    buf_put_text(out, key);
    if (index < 0)
        buf_put_text(out, "null");
    else
        json_put_uint(out, (unsigned)index);
}

void put_floats(struct buf *out, const char *key, const float *values, size_t count)
{
    buf_put_text(out, key);
    json_put_floats(out, values, count);
}

void put_bool(struct buf *out, bool value) { buf_put_text(out, value ? "true" : "false"); }

void put_vec3(struct buf *out, const char *key, const double vector[3])
{
    const float floats[3] = {(float)vector[0], (float)vector[1], (float)vector[2]};
    buf_put_text(out, key);
    json_put_floats(out, floats, 3);
}

void put_clip_name(struct buf *out, const struct model *model, int32_t index)
{
    if (index == POSE_REST) {
        buf_put_text(out, "\"clip\":null");
        return;
    }
    const struct clip *clip = &model->clips[index];
    json_printf(out, "\"clip\":{\"index\":%d,\"name\":%.*s,\"duration\":%g}", index, JSON_STR(model, clip->name),
                clip->duration_s);
}

void put_node_head(struct buf *out, const struct model *model, uint32_t node)
{
    const struct str name = model->nodes[node].name; /* node lists are long, so this avoids parsing a format */
    buf_put_text(out, "{\"node\":");
    json_put_uint(out, node);
    buf_put_text(out, ",\"name\":");
    json_put_string(out, json_text_of(model, name), name.size_bytes);
}

void put_skin_method(struct buf *out, const struct skin *skin)
{
    static const char *const METHODS[] = {
        [METHOD_RIGID] = "rigid", [METHOD_DUAL_QUATERNION] = "dual_quaternion", [METHOD_BLENDED] = "blended"};
    if (skin->method != METHOD_LINEAR)
        json_printf(out, "\"method\":%s,", METHODS[skin->method]);
}

void put_skin_joints(struct buf *out, const struct model *model, const struct skin *skin)
{
    buf_put_text(out, "\"joints\":[");
    for (uint32_t j = 0; j < skin->joint_count; j++) {
        json_comma(out, j > 0);
        put_node_head(out, model, model->joints[skin->joint_first + j].node);
        buf_put_char(out, '}');
    }
    buf_put_char(out, ']');
}

void put_skin_head(struct buf *out, const struct model *model, uint32_t index)
{
    const struct skin *skin = &model->skins[index];
    json_printf(out, "{\"index\":%u,\"name\":%.*s,", index, JSON_STR(model, skin->name));
    if ((skin->flags & SKIN_RIGID) != 0)
        buf_put_text(out, "\"rigid\":true,");
    put_skin_method(out, skin);
    put_skin_joints(out, model, skin);
}

void put_draw_head(struct buf *out, const struct model *model, const struct draw *draw)
{
    const uint32_t index = model->primitives[draw->primitive].mesh;
    const struct mesh *mesh = &model->meshes[index];
    json_printf(out, "{\"name\":%.*s,\"node\":%u,\"mesh\":%u,\"primitive\":%u", JSON_STR(model, mesh->name), draw->node,
                index, draw->primitive - mesh->primitive_first);
}

/* Extras were validated as JSON when the model was decoded. */
void put_extras(struct buf *out, const struct model *model, enum extra_owner owner, uint32_t index)
{
    uint32_t low = 0, high = model->extra_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const struct extra *extra = &model->extras[middle];
        if (extra->owner < owner || (extra->owner == owner && extra->index < index))
            low = middle + 1;
        else
            high = middle;
    }
    if (low == model->extra_count || model->extras[low].owner != owner || model->extras[low].index != index)
        return;
    buf_put_text(out, ",\"extras\":");
    buf_put(out, model->text + model->extras[low].json.offset, model->extras[low].json.size_bytes);
}

/* Carried members were validated likewise. */
bool put_carried(struct buf *out, const struct model *model, enum carry_owner owner, uint32_t index, const char *member,
                 const char *key)
{
    uint32_t count;
    const struct carried *at = model_carried(model, owner, index, &count);
    const size_t size_bytes = strlen(member);
    for (uint32_t i = 0; i < count; i++) {
        if (at[i].member.size_bytes != size_bytes || memcmp(model->text + at[i].member.offset, member, size_bytes) != 0)
            continue;
        buf_put_text(out, key);
        buf_put(out, model->text + at[i].json.offset, at[i].json.size_bytes);
        return true;
    }
    return false;
}
