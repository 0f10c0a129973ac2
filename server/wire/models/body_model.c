/* body_model.c - lists the content of a model (nodes, skins, meshes, clips, materials, textures, files, warnings), and
 * the file formats that this build reads. */
#include "anim/compiled/clip_palette.h"
#include "anim/pose/appearance.h"
#include "anim/humanoid/humanoid.h"
#include "base/file_formats.h"
#include "base/sort.h"
#include "wire/models/body_faces.h"
#include "wire/models/body_materials.h"
#include "wire/models/model_bodies.h"
#include "wire/reply/reply_json.h"
#include "wire/reply/usual_clip.h"

#include <string.h>

static const char *const SOURCE_ROLES[] = {[SOURCE_MODEL] = "model",
                                           [SOURCE_COMPANION] = "companion",
                                           [SOURCE_TEXTURE] = "texture",
                                           [SOURCE_FOLDER] = "folder",
                                           [SOURCE_SEARCHED] = "searched"};

/* Writes the values, or null when unknown. */
static void put_known_floats(struct buf *out, const char *key, bool is_known, const float *values, size_t count)
{
    if (is_known)
        put_floats(out, key, values, count);
    else
        put_index(out, key, -1);
}

static void put_info(struct buf *out, const struct model *model)
{
    const struct model_info *info = &model->infos[0];
    json_printf(out, ",\"format\":%.*s,\"generator\":%.*s", JSON_STR(model, info->format),
                JSON_STR(model, info->generator));
    put_known_floats(out, ",\"up\":", (info->flags & MODEL_HAS_UP) != 0, info->up, 3);
    put_known_floats(out, ",\"forward\":", (info->flags & MODEL_HAS_FORWARD) != 0, info->forward, 3);
    buf_put_text(out, ",\"unit_m\":");
    if ((info->flags & MODEL_HAS_UNIT) != 0)
        json_put_float(out, info->unit_m);
    else
        buf_put_text(out, "null");
    if (info->frame_rate > 0) {
        buf_put_text(out, ",\"frame_rate\":");
        json_put_float(out, info->frame_rate);
    }
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
    json_printf(
        out,
        ",\"counts\":{\"nodes\":%u,\"skins\":%u,\"joints\":%llu,\"meshes\":%u,\"vertices\":%u,\"triangles\":%llu,"
        "\"clips\":%u,\"warnings\":%u}",
        model->node_count, model->skin_count, joints, model->mesh_count, model_vertex_count(model), triangles,
        model->clip_count, model->warning_count);
}

/* Writes ,"markers":[..] unless empty. */
static void put_markers(struct buf *out, const struct model *model, uint32_t clip)
{
    const uint32_t low = LOWER_BOUND(model->markers, model->marker_count, clip, clip);
    if (low == model->marker_count || model->markers[low].clip != clip)
        return;
    const char *before = ",\"markers\":[";
    for (uint32_t i = low; i < model->marker_count && model->markers[i].clip == clip; i++) {
        const struct marker *marker = &model->markers[i];
        buf_put_text(out, before);
        json_printf(out, "{\"name\":%.*s,\"time\":%g", JSON_STR(model, marker->name), marker->time_s);
        if (marker->value.offset != STR_NONE)
            json_printf(out, ",\"value\":%.*s", JSON_STR(model, marker->value));
        buf_put_char(out, '}');
        before = ",";
    }
    buf_put_char(out, ']');
}

/* How palettes of the clip are evaluated (anim/compiled). */
static const char *evaluation_of(const struct model *model, uint32_t clip)
{
    if (!clip_palette_is_compiled(model, (int32_t)clip))
        return "exact";
    return (model->compiled_clips[clip].flags & COMPILED_CUBIC) != 0 ? "cubic" : "linear";
}

static void put_clip(struct buf *out, const struct model *model, uint32_t index)
{
    const struct clip *clip = &model->clips[index];
    unsigned long long keys = 0;
    for (uint32_t c = 0; c < clip->channel_count; c++)
        keys += model->channels[clip->channel_first + c].key_count;
    json_printf(out, "{\"index\":%u,\"name\":%.*s,\"start\":%g,\"duration\":%g,\"channels\":%u,\"keys\":%llu", index,
                JSON_STR(model, clip->name), clip->start_s, clip->duration_s, clip->channel_count, keys);
    buf_put_text(out, ",\"evaluation\":\"");
    buf_put_text(out, evaluation_of(model, index));
    buf_put_char(out, '"');
    uint32_t properties;
    appearance_channels(model, index, &properties);
    if (properties > 0)
        json_printf(out, ",\"properties\":%u", properties);
    put_markers(out, model, index);
    put_extras(out, model, EXTRA_CLIP, index);
    buf_put_char(out, '}');
}

static void put_node(struct buf *out, const struct model *model, uint32_t index)
{
    const struct node *node = &model->nodes[index];
    put_node_head(out, model, index);
    json_printf(out, ",\"parent\":%d", node->parent);
    put_index(out, ",\"mesh\":", node->mesh);
    put_index(out, ",\"skin\":", node->skin);
    buf_put_text(out, ",\"in_scene\":");
    put_bool(out, (node->flags & NODE_IN_SCENE) != 0);
    if ((node->flags & NODE_HIDDEN) != 0)
        buf_put_text(out, ",\"hidden\":true");
    put_extras(out, model, EXTRA_NODE, index);
    buf_put_char(out, '}');
}

static void put_skin(struct buf *out, const struct model *model, uint32_t index)
{
    const struct skin *skin = &model->skins[index];
    json_printf(out, "{\"index\":%u,\"name\":%.*s,\"rigid\":", index, JSON_STR(model, skin->name));
    put_bool(out, (skin->flags & SKIN_RIGID) != 0);
    put_index(out, ",\"mesh_node\":", skin->mesh_node);
    buf_put_char(out, ',');
    put_skin_method(out, skin);
    put_skin_joints(out, model, skin);
    buf_put_char(out, '}');
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

/* The names of a mesh's morph targets, null for those without one. A mesh without targets has no list. */
static void put_targets(struct buf *out, const struct model *model, const struct mesh *mesh)
{
    uint32_t count = 0;
    for (uint32_t p = mesh->primitive_first; p < mesh->primitive_first + mesh->primitive_count; p++)
        count = model->primitives[p].morph_target_count > count ? model->primitives[p].morph_target_count : count;
    for (uint32_t t = 0; t < count; t++) {
        buf_put_text(out, t > 0 ? "," : ",\"targets\":[");
        json_printf(out, "%.*s", JSON_STR(model, model_target_name(model, mesh, t)));
    }
    if (count > 0)
        buf_put_char(out, ']');
}

static void put_mesh(struct buf *out, const struct model *model, uint32_t index)
{
    const struct mesh *mesh = &model->meshes[index];
    json_printf(out, "{\"index\":%u,\"name\":%.*s,\"primitives\":[", index, JSON_STR(model, mesh->name));
    for (uint32_t p = 0; p < mesh->primitive_count; p++) {
        const struct primitive *primitive = &model->primitives[mesh->primitive_first + p];
        put_index(out, p > 0 ? ",{\"material\":" : "{\"material\":", primitive->material);
        json_printf(
            out, ",\"topology\":%s,\"vertices\":%u,\"indices\":%u,\"morph_targets\":%u,\"influences_max\":%u,\"flat\":",
            TOPOLOGY_NAMES[primitive->topology], primitive->vertex_count, primitive->index_count,
            primitive->morph_target_count, most_influences(model, primitive));
        put_bool(out, (primitive->flags & PRIMITIVE_FLAT) != 0);
        buf_put_char(out, '}');
    }
    buf_put_char(out, ']');
    put_targets(out, model, mesh);
    buf_put_char(out, '}');
}

static void put_file(struct buf *out, const struct model *model, uint32_t index)
{
    const struct source_file *file = &model->source_files[index];
    json_printf(out, "{\"path\":%.*s,\"role\":%s,\"missing\":", JSON_STR(model, file->path), SOURCE_ROLES[file->role]);
    put_bool(out, file->is_missing != 0);
    json_printf(out, ",\"bytes\":%llu}", (unsigned long long)file->size_bytes);
}

/* Every model is checked for an adjacent hitbox file. A missing one is normal. */
static bool is_told(const struct model *model, const struct source_file *file)
{
    static const char EXTENSION[] = ".hitboxes.json";
    const struct str path = file->path;
    const size_t size = sizeof EXTENSION - 1;
    return file->is_missing == 0 || path.size_bytes < size ||
           memcmp(json_text_of(model, path) + path.size_bytes - size, EXTENSION, size) != 0;
}

static void put_files(struct buf *out, const struct model *model)
{
    uint32_t count = 0;
    buf_put_text(out, ",\"files\":[");
    for (uint32_t i = 0; i < model->source_file_count && !buf_failed(out); i++) {
        if (!is_told(model, &model->source_files[i]))
            continue;
        json_comma(out, count++ > 0);
        put_file(out, model, i);
    }
    buf_put_char(out, ']');
}

static void put_warning(struct buf *out, const struct model *model, uint32_t index)
{
    const struct warning *warning = &model->warnings[index];
    json_printf(out, "{\"code\":%.*s,\"message\":%.*s}", JSON_STR(model, warning->code),
                JSON_STR(model, warning->message));
}

static void put_camera(struct buf *out, const struct model *model, uint32_t index)
{
    static const char *const KINDS[] = {[CAMERA_PERSPECTIVE] = "perspective", [CAMERA_ORTHOGRAPHIC] = "orthographic"};
    const struct model_camera *camera = &model->cameras[index];
    json_printf(out, "{\"index\":%u,\"name\":%.*s,\"node\":%u,\"kind\":%s}", index, JSON_STR(model, camera->name),
                camera->node, KINDS[camera->kind]);
}

static void put_light(struct buf *out, const struct model *model, uint32_t index)
{
    static const char *const KINDS[LIGHT_KIND_COUNT] = {
        [LIGHT_KIND_DIRECTIONAL] = "directional", [LIGHT_KIND_POINT] = "point", [LIGHT_KIND_SPOT] = "spot"};
    const struct model_light *light = &model->lights[index];
    json_printf(out, "{\"index\":%u,\"name\":%.*s,\"node\":%u,\"kind\":%s,\"color\":", index,
                JSON_STR(model, light->name), light->node, KINDS[light->kind]);
    json_put_floats(out, light->color, 3);
    json_printf(out, ",\"intensity\":%f", (double)light->intensity);
    if (light->range > 0)
        json_printf(out, ",\"range\":%f", (double)light->range);
    if (light->kind == LIGHT_KIND_SPOT)
        json_printf(out, ",\"inner_cone\":%f,\"outer_cone\":%f", (double)light->inner_cone, (double)light->outer_cone);
    buf_put_char(out, '}');
}

static void put_list(struct buf *out, const char *key, const struct model *model, uint32_t count,
                     void (*put)(struct buf *, const struct model *, uint32_t))
{
    buf_put_text(out, key);
    buf_put_char(out, '[');
    for (uint32_t i = 0; i < count && !buf_failed(out); i++) {
        json_comma(out, i > 0);
        put(out, model, i);
    }
    buf_put_char(out, ']');
}

/* Writes ,"humanoid":{"hips":3,..} if the file has one. */
static void put_humanoid(struct buf *out, const struct model *model)
{
    for (uint32_t i = 0; i < model->humanoid_bone_count; i++) {
        const struct humanoid_bone *bone = &model->humanoid_bones[i];
        buf_put_text(out, i == 0 ? ",\"humanoid\":{" : ",");
        json_printf(out, "%.*s:%u", JSON_STR(model, bone->name), bone->node);
    }
    if (model->humanoid_bone_count > 0)
        buf_put_char(out, '}');
}

enum { BONES_NODES_MAX = 2048 }; /* an event loop reads the names of so many nodes in about a millisecond */

/* Writes ,"bones":{"by":..,"score":..,"roles":{..},"missing":[..]}: what retarget=rest takes for the bones of a human.
 * Nothing for a model with less than half of the bones that VRM requires, or with more than BONES_NODES_MAX nodes. */
static void put_bones(struct buf *out, const struct model *model)
{
    const struct humanoid_choice any = {0};
    struct humanoid found;
    struct err err;
    int required = 0, known = 0, put = 0;
    if (model->node_count > BONES_NODES_MAX)
        return;
    humanoid_find(model, &any, &found, &err); /* what is missing is told below */
    for (int role = 0; role < ROLE_COUNT; role++) {
        required += humanoid_is_required(role);
        known += humanoid_is_required(role) && found.nodes[role] >= 0;
    }
    if (found.by == NULL || 2 * known < required)
        return;
    json_printf(out, ",\"bones\":{\"by\":%s,\"score\":%g,\"roles\":{", found.by, (double)known / required);
    for (int role = 0; role < ROLE_COUNT; role++)
        if (found.nodes[role] >= 0)
            json_printf(out, put++ > 0 ? ",%s:%d" : "%s:%d", ROLE_WORDS[role], (int)found.nodes[role]);
    buf_put_text(out, "},\"missing\":[");
    put = 0;
    for (int role = 0; role < ROLE_COUNT; role++)
        if (humanoid_is_required(role) && found.nodes[role] < 0)
            json_printf(out, put++ > 0 ? ",%s" : "%s", ROLE_WORDS[role]);
    buf_put_text(out, "]}");
}

/* Writes ,"variants":["red",..] if the file has any: the values of variant=. */
static void put_variants(struct buf *out, const struct model *model)
{
    for (uint32_t i = 0; i < model->variant_count; i++) {
        buf_put_text(out, i == 0 ? ",\"variants\":[" : ",");
        json_printf(out, "%.*s", JSON_STR(model, model->variants[i].name));
    }
    if (model->variant_count > 0)
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
    if (model->clip_count > 0)
        json_printf(out, ",\"usual_clip\":%u", usual_clip(model));
    else
        buf_put_text(out, ",\"usual_clip\":null");
    put_list(out, ",\"skins\":", model, model->skin_count, put_skin);
    put_list(out, ",\"meshes\":", model, model->mesh_count, put_mesh);
    put_list(out, ",\"materials\":", model, model->material_count, body_list_material);
    put_list(out, ",\"textures\":", model, model->texture_count, body_list_texture);
    put_list(out, ",\"cameras\":", model, model->camera_count, put_camera);
    put_list(out, ",\"lights\":", model, model->light_count, put_light);
    put_humanoid(out, model);
    body_put_faces(out, model);
    body_put_constraints(out, model);
    put_bones(out, model);
    put_variants(out, model);
    put_files(out, model);
    put_list(out, ",\"warnings\":", model, model->warning_count, put_warning);
    put_list(out, ",\"nodes\":", model, model->node_count, put_node);
    buf_put_text(out, "}\n");
}

void body_put_formats(struct buf *out)
{
    static const char *const CLIPS[] = {
        [CLIPS_EXACT] = "exact", [CLIPS_AT_KEYS] = "at_keys", [CLIPS_PARTLY] = "partly", [CLIPS_NONE] = "none"};
    buf_put_text(out, "{\"formats\":[");
    for (size_t i = 0; i < FILE_FORMAT_COUNT; i++) {
        const struct file_format *row = &FILE_FORMATS[i];
        buf_put_text(out, i == 0 ? "\n" : ",\n");
        json_printf(out, "{\"ending\":%s,\"name\":%s,\"reader\":%s,\"companion_of\":%s,\"clips\":%s,\"exact\":",
                    row->extension, row->name, row->reader == READER_ASSIMP ? "assimp" : "own",
                    row->companion_of[0] == '\0' ? NULL : row->companion_of, CLIPS[row->clips]);
        put_bool(out, row->clips == CLIPS_EXACT);
        json_printf(out, ",\"fidelity\":%s}", row->fidelity);
    }
    buf_put_text(out, "]}\n");
}
