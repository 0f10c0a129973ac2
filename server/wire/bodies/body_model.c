/* body_put_model.c - what is in a model: nodes, skins, meshes, clips, materials, textures, files, warnings. */
#include "wire/reply/reply_context.h"
#include "wire/encode/json.h"

static const char *const TOPOLOGIES[] = {
    [TOPOLOGY_TRIANGLES] = "triangles", [TOPOLOGY_LINES] = "lines", [TOPOLOGY_POINTS] = "points"};
static const char *const ALPHA_MODES[] = {[ALPHA_OPAQUE] = "opaque", [ALPHA_MASK] = "mask", [ALPHA_BLEND] = "blend"};
static const char *const TEXTURE_CONTENTS[] = {[TEXTURE_COLORS] = "colors", [TEXTURE_DATA] = "data"};
static const char *const TEXTURE_STATES[] = {
    [TEXTURE_FOUND] = "found", [TEXTURE_MISSING] = "missing", [TEXTURE_BROKEN] = "broken"};
static const char *const WRAPS[] = {
    [TEXTURE_WRAP_REPEAT] = "repeat", [TEXTURE_WRAP_CLAMP] = "clamp", [TEXTURE_WRAP_MIRROR] = "mirror"};
static const char *const MAG_FILTERS[] = {[TEXTURE_MAG_LINEAR] = "linear", [TEXTURE_MAG_NEAREST] = "nearest"};
static const char *const MIN_FILTERS[] = {[TEXTURE_MIN_LINEAR_MIPMAP_LINEAR] = "linear_mipmap_linear",
                                          [TEXTURE_MIN_NEAREST] = "nearest",
                                          [TEXTURE_MIN_LINEAR] = "linear",
                                          [TEXTURE_MIN_NEAREST_MIPMAP_NEAREST] = "nearest_mipmap_nearest",
                                          [TEXTURE_MIN_LINEAR_MIPMAP_NEAREST] = "linear_mipmap_nearest",
                                          [TEXTURE_MIN_NEAREST_MIPMAP_LINEAR] = "nearest_mipmap_linear"};
static const char *const SOURCE_ROLES[] = {[SOURCE_MODEL] = "model",
                                           [SOURCE_COMPANION] = "companion",
                                           [SOURCE_TEXTURE] = "texture",
                                           [SOURCE_FOLDER] = "folder"};

static void put_bool(struct buf *out, const char *key, bool value)
{
    buf_put_text(out, key);
    buf_put_text(out, value ? "true" : "false");
}

static void put_uint(struct buf *out, const char *key, unsigned long long value)
{
    buf_put_text(out, key);
    json_put_uint(out, value);
}

static void put_index(struct buf *out, const char *key, int32_t index)
{
    buf_put_text(out, key);
    json_put_index(out, index);
}

static void put_str(struct buf *out, const char *key, const struct model *model, struct str text)
{
    buf_put_text(out, key);
    json_put_str(out, model, text);
}

static void put_text(struct buf *out, const char *key, const char *text)
{
    buf_put_text(out, key);
    buf_put_char(out, '"');
    buf_put_text(out, text);
    buf_put_char(out, '"');
}

static void put_floats(struct buf *out, const char *key, const float *values, size_t count)
{
    buf_put_text(out, key);
    json_put_floats(out, values, count);
}

static void put_float(struct buf *out, const char *key, float value)
{
    buf_put_text(out, key);
    json_put_float(out, value);
}

static void put_info(struct buf *out, const struct model *model)
{
    const struct model_info *info = &model->infos[0];
    put_str(out, ",\"format\":", model, info->format);
    put_str(out, ",\"generator\":", model, info->generator);
    buf_put_text(out, ",\"up\":");
    if ((info->flags & MODEL_HAS_UP) != 0)
        json_put_floats(out, info->up, 3);
    else
        buf_put_text(out, "null");
    buf_put_text(out, ",\"forward\":");
    if ((info->flags & MODEL_HAS_FORWARD) != 0)
        json_put_floats(out, info->forward, 3);
    else
        buf_put_text(out, "null");
    buf_put_text(out, ",\"unit_m\":");
    if ((info->flags & MODEL_HAS_UNIT) != 0)
        json_put_float(out, info->unit_m);
    else
        buf_put_text(out, "null");
    buf_put_text(out, ",\"bounds\":");
    if (info->rest_min.x > info->rest_max.x) {
        buf_put_text(out, "null");
    } else {
        put_floats(out, "{\"min\":", &info->rest_min.x, 3);
        put_floats(out, ",\"max\":", &info->rest_max.x, 3);
        buf_put_char(out, '}');
    }
}

static void put_counts(struct buf *out, const struct model *model)
{
    unsigned long long joints = 0, triangles = 0;
    for (uint32_t s = 0; s < model->skin_count; s++)
        joints += (model->skins[s].flags & SKIN_RIGID) != 0 ? 0 : model->skins[s].joint_count;
    for (uint32_t p = 0; p < model->primitive_count; p++)
        triangles += model->primitives[p].topology == TOPOLOGY_TRIANGLES ? model->primitives[p].index_count / 3 : 0;
    put_uint(out, ",\"counts\":{\"nodes\":", model->node_count);
    put_uint(out, ",\"skins\":", model->skin_count);
    put_uint(out, ",\"joints\":", joints);
    put_uint(out, ",\"meshes\":", model->mesh_count);
    put_uint(out, ",\"vertices\":", model_vertex_count(model));
    put_uint(out, ",\"triangles\":", triangles);
    put_uint(out, ",\"clips\":", model->clip_count);
    put_uint(out, ",\"warnings\":", model->warning_count);
    buf_put_char(out, '}');
}

/* ,"markers":[..] where the clip has some. */
static void put_markers(struct buf *out, const struct model *model, uint32_t clip)
{
    uint32_t low = 0, high = model->marker_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (model->markers[middle].clip < clip)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == model->marker_count || model->markers[low].clip != clip)
        return;
    const char *before = ",\"markers\":[";
    for (uint32_t i = low; i < model->marker_count && model->markers[i].clip == clip; i++) {
        const struct marker *marker = &model->markers[i];
        buf_put_text(out, before);
        put_str(out, "{\"name\":", model, marker->name);
        buf_put_text(out, ",\"time\":");
        json_put_double(out, marker->time_s);
        if (marker->value.offset != STR_NONE)
            put_str(out, ",\"value\":", model, marker->value);
        buf_put_char(out, '}');
        before = ",";
    }
    buf_put_char(out, ']');
}

static void put_clip(struct buf *out, const struct model *model, uint32_t index)
{
    const struct clip *clip = &model->clips[index];
    unsigned long long keys = 0;
    for (uint32_t c = 0; c < clip->channel_count; c++)
        keys += model->channels[clip->channel_first + c].key_count;
    put_uint(out, "{\"index\":", index);
    put_str(out, ",\"name\":", model, clip->name);
    buf_put_text(out, ",\"start\":");
    json_put_double(out, clip->start_s);
    buf_put_text(out, ",\"duration\":");
    json_put_double(out, clip->duration_s);
    put_uint(out, ",\"channels\":", clip->channel_count);
    put_uint(out, ",\"keys\":", keys);
    put_markers(out, model, index);
    put_extras(out, model, EXTRA_CLIP, index);
    buf_put_char(out, '}');
}

static void put_node(struct buf *out, const struct model *model, uint32_t index)
{
    const struct node *node = &model->nodes[index];
    put_node_head(out, model, index);
    buf_put_text(out, ",\"parent\":");
    if (node->parent < 0)
        buf_put_text(out, "-1");
    else
        json_put_uint(out, (unsigned)node->parent);
    put_index(out, ",\"mesh\":", node->mesh);
    put_index(out, ",\"skin\":", node->skin);
    put_bool(out, ",\"in_scene\":", (node->flags & NODE_IN_SCENE) != 0);
    put_extras(out, model, EXTRA_NODE, index);
    buf_put_char(out, '}');
}

static void put_skin(struct buf *out, const struct model *model, uint32_t index)
{
    const struct skin *skin = &model->skins[index];
    put_uint(out, "{\"index\":", index);
    put_str(out, ",\"name\":", model, skin->name);
    put_bool(out, ",\"rigid\":", (skin->flags & SKIN_RIGID) != 0);
    put_index(out, ",\"mesh_node\":", skin->mesh_node);
    buf_put_text(out, ",\"joints\":[");
    for (uint32_t j = 0; j < skin->joint_count; j++) {
        if (j > 0)
            buf_put_char(out, ',');
        put_node_head(out, model, model->joints[skin->joint_first + j].node);
        buf_put_char(out, '}');
    }
    buf_put_text(out, "]}");
}

static uint32_t most_influences(const struct model *model, const struct primitive *primitive)
{
    uint32_t most = 0;
    for (uint32_t v = primitive->vertex_first; v < primitive->vertex_first + primitive->vertex_count; v++) {
        const uint32_t count = model->influence_firsts[v + 1] - model->influence_firsts[v];
        most = count > most ? count : most;
    }
    return most;
}

static void put_mesh(struct buf *out, const struct model *model, uint32_t index)
{
    const struct mesh *mesh = &model->meshes[index];
    put_uint(out, "{\"index\":", index);
    put_str(out, ",\"name\":", model, mesh->name);
    buf_put_text(out, ",\"primitives\":[");
    for (uint32_t p = 0; p < mesh->primitive_count; p++) {
        const struct primitive *primitive = &model->primitives[mesh->primitive_first + p];
        put_index(out, p > 0 ? ",{\"material\":" : "{\"material\":", primitive->material);
        put_text(out, ",\"topology\":", TOPOLOGIES[primitive->topology]);
        put_uint(out, ",\"vertices\":", primitive->vertex_count);
        put_uint(out, ",\"indices\":", primitive->index_count);
        put_uint(out, ",\"morph_targets\":", primitive->morph_target_count);
        put_uint(out, ",\"influences_max\":", most_influences(model, primitive));
        put_bool(out, ",\"flat\":", (primitive->flags & PRIMITIVE_FLAT) != 0);
        buf_put_char(out, '}');
    }
    buf_put_text(out, "]}");
}

/* ,"textures":{..}: the slots that have one. */
static void put_material_textures(struct buf *out, const struct material *material)
{
    const char *before = "\"";
    buf_put_text(out, ",\"textures\":{");
    for (int slot = 0; slot < TEXTURE_SLOT_COUNT; slot++) {
        const struct material_texture *use = &material->textures[slot];
        if (use->texture < 0)
            continue;
        buf_put_text(out, before);
        buf_put_text(out, TEXTURE_SLOT_NAMES[slot]);
        put_index(out, "\":{\"texture\":", use->texture);
        put_uint(out, ",\"texcoord_set\":", use->texcoord_set);
        put_floats(out, ",\"uv_from_texcoord\":", use->uv_from_texcoord, 6);
        buf_put_char(out, '}');
        before = ",\"";
    }
    buf_put_char(out, '}');
}

static void put_material(struct buf *out, const struct model *model, uint32_t index)
{
    const struct material *material = &model->materials[index];
    put_uint(out, "{\"index\":", index);
    put_str(out, ",\"name\":", model, material->name);
    put_floats(out, ",\"base_color\":", material->base_color, 4);
    put_index(out, ",\"texture\":", material->textures[TEXTURE_BASE_COLOR].texture);
    put_float(out, ",\"metallic\":", material->metallic);
    put_float(out, ",\"roughness\":", material->roughness);
    put_floats(out, ",\"emissive\":", material->emissive, 3);
    put_float(out, ",\"normal_scale\":", material->normal_scale);
    put_float(out, ",\"occlusion_strength\":", material->occlusion_strength);
    put_material_textures(out, material);
    put_text(out, ",\"alpha_mode\":", ALPHA_MODES[material->alpha_mode]);
    put_float(out, ",\"alpha_cutoff\":", material->alpha_cutoff);
    put_bool(out, ",\"double_sided\":", (material->flags & MATERIAL_DOUBLE_SIDED) != 0);
    put_bool(out, ",\"unlit\":", (material->flags & MATERIAL_UNLIT) != 0);
    put_extras(out, model, EXTRA_MATERIAL, index);
    buf_put_char(out, '}');
}

static void put_texture(struct buf *out, const struct model *model, uint32_t index)
{
    const struct texture *texture = &model->textures[index];
    put_uint(out, "{\"index\":", index);
    put_str(out, ",\"uri\":", model, texture->uri);
    put_text(out, ",\"state\":", TEXTURE_STATES[texture->state]);
    put_uint(out, ",\"width\":", texture->source_width);
    put_uint(out, ",\"height\":", texture->source_height);
    put_text(out, ",\"wrap_s\":", WRAPS[texture->wrap_s]);
    put_text(out, ",\"wrap_t\":", WRAPS[texture->wrap_t]);
    put_text(out, ",\"mag_filter\":", MAG_FILTERS[texture->mag_filter]);
    put_text(out, ",\"min_filter\":", MIN_FILTERS[texture->min_filter]);
    put_text(out, ",\"content\":", TEXTURE_CONTENTS[texture->content]);
    buf_put_char(out, '}');
}

static void put_file(struct buf *out, const struct model *model, uint32_t index)
{
    const struct source_file *file = &model->source_files[index];
    put_str(out, "{\"path\":", model, file->path);
    put_text(out, ",\"role\":", SOURCE_ROLES[file->role]);
    put_bool(out, ",\"missing\":", file->is_missing != 0);
    put_uint(out, ",\"bytes\":", file->size_bytes);
    buf_put_char(out, '}');
}

static void put_warning(struct buf *out, const struct model *model, uint32_t index)
{
    put_str(out, "{\"code\":", model, model->warnings[index].code);
    put_str(out, ",\"message\":", model, model->warnings[index].message);
    buf_put_char(out, '}');
}

static void put_camera(struct buf *out, const struct model *model, uint32_t index)
{
    static const char *const KINDS[] = {[CAMERA_PERSPECTIVE] = "perspective", [CAMERA_ORTHOGRAPHIC] = "orthographic"};
    const struct model_camera *camera = &model->cameras[index];
    put_uint(out, "{\"index\":", index);
    put_str(out, ",\"name\":", model, camera->name);
    put_uint(out, ",\"node\":", camera->node);
    put_text(out, ",\"kind\":", KINDS[camera->kind]);
    buf_put_char(out, '}');
}

static void put_list(struct buf *out, const char *key, const struct model *model, uint32_t count,
                     void (*put)(struct buf *, const struct model *, uint32_t))
{
    buf_put_text(out, key);
    buf_put_char(out, '[');
    for (uint32_t i = 0; i < count && !buf_failed(out); i++) {
        if (i > 0)
            buf_put_char(out, ',');
        put(out, model, i);
    }
    buf_put_char(out, ']');
}

void body_put_model(struct reply_context *context)
{
    const struct model *model = context->model;
    struct buf *out = context->out;
    put_name_and_hash(out, model, context->request);
    put_info(out, model);
    put_counts(out, model);
    put_list(out, ",\"clips\":", model, model->clip_count, put_clip);
    put_list(out, ",\"skins\":", model, model->skin_count, put_skin);
    put_list(out, ",\"meshes\":", model, model->mesh_count, put_mesh);
    put_list(out, ",\"materials\":", model, model->material_count, put_material);
    put_list(out, ",\"textures\":", model, model->texture_count, put_texture);
    put_list(out, ",\"cameras\":", model, model->camera_count, put_camera);
    put_list(out, ",\"files\":", model, model->source_file_count, put_file);
    put_list(out, ",\"warnings\":", model, model->warning_count, put_warning);
    put_list(out, ",\"nodes\":", model, model->node_count, put_node);
    buf_put_text(out, "}\n");
}
