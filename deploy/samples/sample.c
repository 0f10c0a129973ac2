#include "sample.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The binary part and the JSON text of a GLB grow side by side: each array adds a view and an accessor. */
struct writer {
    const struct sample *sample;
    struct buf binary;
    struct buf views, accessors, animations;
    int view_count, accessor_count;
};

enum component { COMPONENT_U8 = 5121, COMPONENT_U32 = 5125, COMPONENT_F32 = 5126 };

/* Ends the view that began at `start` and returns its index; target 0: none. */
static int end_view(struct writer *w, size_t start, int target)
{
    buf_printf(&w->views, "%s{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu", w->view_count ? "," : "", start,
               w->binary.size_bytes - start);
    if (target != 0)
        buf_printf(&w->views, ",\"target\":%d", target);
    buf_put_char(&w->views, '}');
    buf_align(&w->binary, 4);
    return w->view_count++;
}

static int add_accessor(struct writer *w, int view, enum component component, const char *type, uint32_t count,
                        const char *extra)
{
    buf_printf(&w->accessors, "%s{\"bufferView\":%d,\"componentType\":%d,\"type\":\"%s\",\"count\":%u%s}",
               w->accessor_count ? "," : "", view, (int)component, type, count, extra);
    return w->accessor_count++;
}

static void put_f32(struct buf *out, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    buf_put_u32(out, bits);
}

static void put_v3(struct buf *out, struct v3 v)
{
    put_f32(out, (float)v.x);
    put_f32(out, (float)v.y);
    put_f32(out, (float)v.z);
}

/* min and max, as glTF demands of POSITION. */
static void position_bounds(const struct surface *surface, char *extra, size_t size)
{
    float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t i = 0; i < surface->vertex_count; i++) {
        const struct v3 p = surface->vertices[i].position;
        const float xyz[3] = {(float)p.x, (float)p.y, (float)p.z};
        for (int k = 0; k < 3; k++) {
            low[k] = fminf(low[k], xyz[k]);
            high[k] = fmaxf(high[k], xyz[k]);
        }
    }
    snprintf(extra, size, ",\"min\":[%.9g,%.9g,%.9g],\"max\":[%.9g,%.9g,%.9g]", (double)low[0], (double)low[1],
             (double)low[2], (double)high[0], (double)high[1], (double)high[2]);
}

/* Accessors 0..5: indices, POSITION, NORMAL, TEXCOORD_0, JOINTS_0, WEIGHTS_0. */
static void add_surface(struct writer *w)
{
    enum { ARRAY_BUFFER = 34962, ELEMENT_ARRAY_BUFFER = 34963 };
    const struct surface *s = &w->sample->surface;
    const uint32_t n = s->vertex_count;
    char bounds[256];
    size_t start = w->binary.size_bytes;
    for (uint32_t i = 0; i < s->index_count; i++)
        buf_put_u32(&w->binary, s->indices[i]);
    add_accessor(w, end_view(w, start, ELEMENT_ARRAY_BUFFER), COMPONENT_U32, "SCALAR", s->index_count, "");
    start = w->binary.size_bytes;
    for (uint32_t i = 0; i < n; i++)
        put_v3(&w->binary, s->vertices[i].position);
    position_bounds(s, bounds, sizeof bounds);
    add_accessor(w, end_view(w, start, ARRAY_BUFFER), COMPONENT_F32, "VEC3", n, bounds);
    start = w->binary.size_bytes;
    for (uint32_t i = 0; i < n; i++)
        put_v3(&w->binary, s->vertices[i].normal);
    add_accessor(w, end_view(w, start, ARRAY_BUFFER), COMPONENT_F32, "VEC3", n, "");
    start = w->binary.size_bytes;
    for (uint32_t i = 0; i < n; i++) {
        put_f32(&w->binary, (float)s->vertices[i].u);
        put_f32(&w->binary, (float)s->vertices[i].v);
    }
    add_accessor(w, end_view(w, start, ARRAY_BUFFER), COMPONENT_F32, "VEC2", n, "");
    start = w->binary.size_bytes;
    for (uint32_t i = 0; i < n; i++)
        buf_put(&w->binary, s->vertices[i].joints, 4);
    add_accessor(w, end_view(w, start, ARRAY_BUFFER), COMPONENT_U8, "VEC4", n, "");
    start = w->binary.size_bytes;
    for (uint32_t i = 0; i < n; i++)
        for (int k = 0; k < 4; k++)
            put_f32(&w->binary, (float)s->vertices[i].weights[k]);
    add_accessor(w, end_view(w, start, ARRAY_BUFFER), COMPONENT_F32, "VEC4", n, "");
}

/* TANGENT, which a normal texture wants. */
static int add_tangents(struct writer *w)
{
    enum { ARRAY_BUFFER = 34962 };
    const struct surface *s = &w->sample->surface;
    const size_t start = w->binary.size_bytes;
    for (uint32_t i = 0; i < s->vertex_count; i++) {
        put_v3(&w->binary, s->vertices[i].tangent);
        put_f32(&w->binary, 1);
    }
    return add_accessor(w, end_view(w, start, ARRAY_BUFFER), COMPONENT_F32, "VEC4", s->vertex_count, "");
}

static int add_inverse_binds(struct writer *w)
{
    const struct rig *rig = &w->sample->rig;
    const size_t start = w->binary.size_bytes;
    for (int j = 0; j < rig->joint_count; j++) {
        const struct v3 head = rig->joints[j].head;
        const double m[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -head.x, -head.y, -head.z, 1};
        for (int i = 0; i < 16; i++)
            put_f32(&w->binary, (float)m[i]);
    }
    return add_accessor(w, end_view(w, start, 0), COMPONENT_F32, "MAT4", (uint32_t)rig->joint_count, "");
}

enum path { TRANSLATION, ROTATION, SCALE, PATH_COUNT };
static const char *const PATH_NAME[PATH_COUNT] = {"translation", "rotation", "scale"};

static void path_value(const struct joint_pose *pose, enum path path, double out[4])
{
    const struct v3 v = path == TRANSLATION ? pose->translation : pose->scale;
    const double xyz[4] = {v.x, v.y, v.z, 0};
    memcpy(out, path == ROTATION ? pose->rotation : xyz, 4 * sizeof *out);
}

static void value_at(const struct sample *sample, const struct clip_def *clip, int joint, enum path path, double phase,
                     double out[4])
{
    struct joint_pose poses[RIG_JOINTS_MAX];
    rig_rest(&sample->rig, poses);
    clip->pose(phase, poses);
    path_value(&poses[joint], path, out);
}

static int key_count(const struct sample *sample, const struct clip_def *clip, int joint)
{
    return sample->rig.joints[joint].is_stepped ? clip->step_count : clip->key_count;
}

static bool is_moved(const struct sample *sample, const struct clip_def *clip, int joint, enum path path)
{
    double first[4], later[4];
    struct joint_pose rest[RIG_JOINTS_MAX];
    rig_rest(&sample->rig, rest);
    path_value(&rest[joint], path, first);
    const int keys = key_count(sample, clip, joint);
    for (int k = 0; k < keys; k++) {
        value_at(sample, clip, joint, path, (double)k / keys, later);
        for (int i = 0; i < 4; i++)
            if (fabs(later[i] - first[i]) > 1e-6)
                return true;
    }
    return false;
}

static void put_values(struct buf *out, const double *values, int count, double factor)
{
    for (int i = 0; i < count; i++)
        put_f32(out, (float)(values[i] * factor));
}

/* CUBICSPLINE keys carry the curve's slope, by central differences, on both sides (glTF 2.0, appendix C.4). */
static void put_key(struct writer *w, const struct clip_def *clip, int joint, enum path path, double phase,
                    bool is_cubic)
{
    const int count = path == ROTATION ? 4 : 3;
    const double step = 1e-4;
    double value[4], before[4], after[4], slope[4];
    value_at(w->sample, clip, joint, path, phase, value);
    value_at(w->sample, clip, joint, path, phase - step, before);
    value_at(w->sample, clip, joint, path, phase + step, after);
    for (int i = 0; i < 4; i++)
        slope[i] = (after[i] - before[i]) / (2 * step * clip->duration_s);
    if (is_cubic)
        put_values(&w->binary, slope, count, 1);
    put_values(&w->binary, value, count, 1);
    if (is_cubic)
        put_values(&w->binary, slope, count, 1);
}

static int add_times(struct writer *w, const struct clip_def *clip, int keys)
{
    const size_t start = w->binary.size_bytes;
    for (int k = 0; k <= keys; k++)
        put_f32(&w->binary, (float)(clip->duration_s * k / keys));
    char bounds[64];
    snprintf(bounds, sizeof bounds, ",\"min\":[0],\"max\":[%.9g]", (double)(float)clip->duration_s);
    return add_accessor(w, end_view(w, start, 0), COMPONENT_F32, "SCALAR", (uint32_t)keys + 1, bounds);
}

static void add_clip(struct writer *w, const struct clip_def *clip)
{
    const struct rig *rig = &w->sample->rig;
    const int times = add_times(w, clip, clip->key_count), step_times = add_times(w, clip, clip->step_count);
    struct buf samplers, channels;
    buf_init(&samplers, 0);
    buf_init(&channels, 0);
    int count = 0;
    for (int j = 0; j < rig->joint_count; j++)
        for (enum path path = 0; path < PATH_COUNT; path++) {
            if (!is_moved(w->sample, clip, j, path))
                continue;
            const char *interpolation = rig->joints[j].is_stepped ? "STEP" : clip->interpolation;
            const bool is_cubic = strcmp(interpolation, "CUBICSPLINE") == 0;
            const size_t start = w->binary.size_bytes;
            const int keys = key_count(w->sample, clip, j);
            for (int k = 0; k <= keys; k++)
                put_key(w, clip, j, path, (double)k / keys, is_cubic);
            const uint32_t values = (uint32_t)(keys + 1) * (is_cubic ? 3u : 1u);
            const int output =
                add_accessor(w, end_view(w, start, 0), COMPONENT_F32, path == ROTATION ? "VEC4" : "VEC3", values, "");
            buf_printf(&samplers, "%s{\"input\":%d,\"output\":%d,\"interpolation\":\"%s\"}", count ? "," : "",
                       rig->joints[j].is_stepped ? step_times : times, output, interpolation);
            buf_printf(&channels, "%s{\"sampler\":%d,\"target\":{\"node\":%d,\"path\":\"%s\"}}", count ? "," : "",
                       count, j + 1, PATH_NAME[path]);
            count++;
        }
    buf_printf(&w->animations, "%s{\"name\":\"%s\",\"samplers\":[%.*s],\"channels\":[%.*s]}",
               w->animations.size_bytes ? "," : "", clip->name, (int)samplers.size_bytes, samplers.data,
               (int)channels.size_bytes, channels.data);
    buf_fini(&samplers);
    buf_fini(&channels);
}

/* Node 0 is the mesh, node j + 1 is joint j. */
static void put_nodes(const struct sample *sample, struct buf *json)
{
    const struct rig *rig = &sample->rig;
    struct joint_pose rest[RIG_JOINTS_MAX];
    rig_rest(rig, rest);
    buf_printf(json, "\"nodes\":[{\"name\":\"%s\",\"mesh\":0,\"skin\":0}", sample->name);
    for (int j = 0; j < rig->joint_count; j++) {
        const struct v3 t = rest[j].translation;
        buf_printf(json, ",{\"name\":\"%s\",\"translation\":[%.9g,%.9g,%.9g]", rig->joints[j].name, (double)(float)t.x,
                   (double)(float)t.y, (double)(float)t.z);
        const char *separator = ",\"children\":[";
        for (int c = j + 1; c < rig->joint_count; c++)
            if (rig->joints[c].parent == j) {
                buf_printf(json, "%s%d", separator, c + 1);
                separator = ",";
            }
        buf_put_text(json, *separator == ',' && separator[1] == '\0' ? "]}" : "}");
    }
    buf_put_text(json, "],\"skins\":[{\"skeleton\":1,\"inverseBindMatrices\":6,\"joints\":[");
    for (int j = 0; j < rig->joint_count; j++)
        buf_printf(json, "%s%d", j ? "," : "", j + 1);
    buf_put_text(json, "]}]");
}

/* "materials", "textures" and "images"; the pictures lie in views one after the other. */
static void put_material(const struct sample *sample, int image_view, struct buf *json)
{
    static const char *const NAMES[MAP_COUNT] = {[MAP_COLOR] = "baseColorTexture",
                                                 [MAP_METALLIC_ROUGHNESS] = "metallicRoughnessTexture",
                                                 [MAP_NORMAL] = "normalTexture",
                                                 [MAP_EMISSIVE] = "emissiveTexture"};
    const bool is_rough = sample->has_map[MAP_METALLIC_ROUGHNESS];
    struct buf textures, images;
    int count = 0;
    buf_init(&textures, 0);
    buf_init(&images, 0);
    buf_put_text(json, "\"materials\":[{\"name\":\"skin\",\"doubleSided\":true,\"pbrMetallicRoughness\":{");
    buf_printf(json, "\"metallicFactor\":%d,\"roughnessFactor\":%.9g", is_rough, is_rough ? 1 : sample->roughness);
    for (int map = 0; map < MAP_COUNT; map++) {
        if (map == MAP_NORMAL)
            buf_put_char(json, '}');
        if (map != MAP_COLOR && !sample->has_map[map])
            continue;
        buf_printf(json, ",\"%s\":{\"index\":%d}", NAMES[map], count);
        buf_printf(&textures, "%s{\"source\":%d}", count > 0 ? "," : "", count);
        buf_printf(&images, "%s{\"mimeType\":\"image/png\",\"bufferView\":%d}", count > 0 ? "," : "",
                   image_view + count);
        count++;
    }
    if (sample->has_map[MAP_EMISSIVE])
        buf_printf(json,
                   ",\"emissiveFactor\":[1,1,1],\"extensions\":{\"KHR_materials_emissive_strength\":{"
                   "\"emissiveStrength\":%.9g}}",
                   sample->emissive_strength);
    buf_printf(json, "}],\"textures\":[%.*s],\"images\":[%.*s],", (int)textures.size_bytes, textures.data,
               (int)images.size_bytes, images.data);
    if (sample->has_map[MAP_EMISSIVE])
        buf_put_text(json, "\"extensionsUsed\":[\"KHR_materials_emissive_strength\"],");
    buf_fini(&textures);
    buf_fini(&images);
}

/* `tangents`: their accessor, or -1. */
static void put_json(const struct writer *w, int tangents, int image_view, struct buf *json)
{
    buf_put_text(json, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"posed samples\"},\"scene\":0,"
                       "\"scenes\":[{\"nodes\":[0,1]}],");
    put_nodes(w->sample, json);
    buf_printf(
        json,
        ",\"meshes\":[{\"name\":\"%s\",\"primitives\":[{\"indices\":0,\"material\":0,\"attributes\":{\"POSITION\":1,"
        "\"NORMAL\":2,\"TEXCOORD_0\":3,\"JOINTS_0\":4,\"WEIGHTS_0\":5",
        w->sample->name);
    if (tangents >= 0)
        buf_printf(json, ",\"TANGENT\":%d", tangents);
    buf_put_text(json, "}}]}],");
    put_material(w->sample, image_view, json);
    buf_printf(json,
               "\"animations\":[%.*s],\"buffers\":[{\"byteLength\":%zu}],\"bufferViews\":[%.*s],\"accessors\":[%.*s]}",
               (int)w->animations.size_bytes, w->animations.data, w->binary.size_bytes, (int)w->views.size_bytes,
               w->views.data, (int)w->accessors.size_bytes, w->accessors.data);
    while (json->size_bytes % 4 != 0)
        buf_put_char(json, ' ');
}

static void write_file(const char *folder, const char *name, const struct buf *json, const struct buf *binary)
{
    struct buf glb;
    buf_init(&glb, 0);
    buf_put_text(&glb, "glTF");
    buf_put_u32(&glb, 2);
    buf_put_u32(&glb, (uint32_t)(12 + 8 + json->size_bytes + 8 + binary->size_bytes));
    buf_put_u32(&glb, (uint32_t)json->size_bytes);
    buf_put_text(&glb, "JSON");
    buf_put(&glb, json->data, json->size_bytes);
    buf_put_u32(&glb, (uint32_t)binary->size_bytes);
    buf_put(&glb, "BIN", 4);
    buf_put(&glb, binary->data, binary->size_bytes);
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.glb", folder, name);
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(glb.data, 1, glb.size_bytes, file) != glb.size_bytes || fclose(file) != 0) {
        fprintf(stderr, "cannot write %s: %s\n", path, strerror(errno));
        exit(1);
    }
    buf_fini(&glb);
}

void sample_write(const struct sample *sample, const char *folder)
{
    struct writer w = {.sample = sample};
    struct buf json;
    buf_init(&json, 0);
    add_surface(&w);
    add_inverse_binds(&w);
    const int tangents = sample->has_map[MAP_NORMAL] ? add_tangents(&w) : -1;
    for (int i = 0; i < sample->clip_count; i++)
        add_clip(&w, &sample->clips[i]);
    const int image_view = w.view_count;
    for (int map = 0; map < MAP_COUNT; map++) {
        const size_t start = w.binary.size_bytes;
        if (map != MAP_COLOR && !sample->has_map[map])
            continue;
        canvas_png(&sample->maps[map], &w.binary);
        end_view(&w, start, 0);
    }
    put_json(&w, tangents, image_view, &json);
    write_file(folder, sample->name, &json, &w.binary);
    buf_fini(&json);
    buf_fini(&w.binary);
    buf_fini(&w.views);
    buf_fini(&w.accessors);
    buf_fini(&w.animations);
}
