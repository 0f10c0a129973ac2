#include "answer_glb.h"
#include "json.h"
#include "png.h"

#include <string.h>

enum { PIXEL_BYTES_PER_STEP = 64 }; /* compressing so many is about the work for one node */
/* GL's numbers, as the specification has them (5.26). */
static const uint32_t MAG_FILTERS[] = {[TEXTURE_MAG_LINEAR] = 9729, [TEXTURE_MAG_NEAREST] = 9728};
static const uint32_t MIN_FILTERS[] = {[TEXTURE_MIN_LINEAR_MIPMAP_LINEAR] = 9987,
                                       [TEXTURE_MIN_NEAREST] = 9728,
                                       [TEXTURE_MIN_LINEAR] = 9729,
                                       [TEXTURE_MIN_NEAREST_MIPMAP_NEAREST] = 9984,
                                       [TEXTURE_MIN_LINEAR_MIPMAP_NEAREST] = 9985,
                                       [TEXTURE_MIN_NEAREST_MIPMAP_LINEAR] = 9986};
static const uint32_t WRAPS[] = {
    [TEXTURE_WRAP_REPEAT] = 10497, [TEXTURE_WRAP_CLAMP] = 33071, [TEXTURE_WRAP_MIRROR] = 33648};

static void put_uint(struct buf *out, const char *key, uint32_t value)
{
    buf_put_text(out, key);
    json_put_uint(out, value);
}

/* The texture (or -1) of a material that the file has. */
static int32_t texture_of(const struct task *task, const struct glb_scene *scene, uint32_t material)
{
    return scene->materials[material] == GLB_NONE
               ? -1
               : task->model->materials[material].textures[TEXTURE_BASE_COLOR].texture;
}

/* Replaces marks by places, in the model's order. */
static void number(uint32_t *places, uint32_t count)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < count; i++)
        if (places[i] != GLB_NONE)
            places[i] = next++;
}

bool glb_choose_materials(struct task *task, struct glb_scene *scene)
{
    const struct model *model = task->model;
    uint64_t pixel_bytes = 0;
    for (uint32_t e = 0; e < scene->deform->draw_count; e++) {
        const int32_t material = deform_primitive(task, scene->deform, e)->material;
        if (material >= 0)
            scene->materials[material] = 0;
    }
    number(scene->materials, model->material_count);
    for (uint32_t m = 0; m < model->material_count && !task->request->has_no_textures; m++) {
        const int32_t texture = texture_of(task, scene, m);
        if (texture < 0 || model->textures[texture].state != TEXTURE_FOUND || scene->textures[texture] != GLB_NONE)
            continue;
        scene->textures[texture] = 0;
        pixel_bytes += (uint64_t)model->textures[texture].width * model->textures[texture].height * 4;
    }
    number(scene->textures, model->texture_count);
    return parts_is_affordable(task, pixel_bytes / PIXEL_BYTES_PER_STEP);
}

bool glb_is_textured(const struct task *task, const struct glb_scene *scene, int32_t material)
{
    const int32_t texture = material < 0 ? -1 : texture_of(task, scene, (uint32_t)material);
    return texture >= 0 && scene->textures[texture] != GLB_NONE;
}

bool glb_put_pictures(struct task *task, struct glb_scene *scene)
{
    const struct model *model = task->model;
    for (uint32_t t = 0; t < model->texture_count && !glb_failed(scene->glb); t++) {
        const struct texture *texture = &model->textures[t];
        struct err err;
        if (scene->textures[t] == GLB_NONE)
            continue;
        glb_start_picture(scene->glb);
        if (png_put(&scene->glb->bin, model->pixels + texture->pixel_first, texture->width, texture->height, &err) <
            0) {
            parts_fail(task, &err);
            return false;
        }
        scene->pictures[t] = glb_end_picture(scene->glb);
    }
    return true;
}

static float limited(float value, float most) { return value > most ? most : value > 0 ? value : 0; }

static void put_color(struct buf *out, const float color[4])
{
    float limits[4];
    bool is_white = true;
    for (int i = 0; i < 4; i++) {
        limits[i] = limited(color[i], 1);
        is_white = is_white && limits[i] == 1;
    }
    if (is_white)
        return; /* what it is by default */
    buf_put_text(out, ",\"baseColorFactor\":");
    json_put_floats(out, limits, 4);
}

static void put_material(struct task *task, const struct glb_scene *scene, uint32_t index)
{
    const struct model *model = task->model;
    const struct material *material = &model->materials[index];
    struct buf *out = task->out;
    buf_put_char(out, '{');
    if (material->name.offset != STR_NONE) {
        buf_put_text(out, "\"name\":");
        json_put_str(out, model, material->name);
        buf_put_char(out, ',');
    }
    /* metal is what glTF takes by default, and black without surroundings to mirror */
    buf_put_text(out, "\"pbrMetallicRoughness\":{\"metallicFactor\":0");
    put_color(out, material->base_color);
    if (glb_is_textured(task, scene, (int32_t)index)) {
        put_uint(out,
                 ",\"baseColorTexture\":{\"index\":", scene->textures[material->textures[TEXTURE_BASE_COLOR].texture]);
        buf_put_char(out, '}');
    }
    buf_put_char(out, '}');
    if (material->alpha_mode == ALPHA_MASK) {
        buf_put_text(out, ",\"alphaMode\":\"MASK\",\"alphaCutoff\":");
        json_put_float(out, material->alpha_cutoff > 0 ? material->alpha_cutoff : 0);
    } else if (material->alpha_mode == ALPHA_BLEND) {
        buf_put_text(out, ",\"alphaMode\":\"BLEND\"");
    }
    if ((material->flags & MATERIAL_DOUBLE_SIDED) != 0)
        buf_put_text(out, ",\"doubleSided\":true");
    if ((material->flags & MATERIAL_UNLIT) != 0)
        buf_put_text(out, ",\"extensions\":{\"KHR_materials_unlit\":{}}");
    parts_put_extras(out, model, EXTRA_MATERIAL, index);
    buf_put_char(out, '}');
}

/* The file's name in a path or URL of the source. */
static struct str base_name(const struct model *model, struct str uri)
{
    for (uint32_t i = uri.size_bytes; i > 0; i--) {
        const char c = model->text[uri.offset + i - 1];
        if (c == '/' || c == '\\')
            return (struct str){uri.offset + i, uri.size_bytes - i};
    }
    return uri;
}

static void put_texture(struct buf *out, const struct model *model, const struct glb_scene *scene, uint32_t index)
{
    (void)model;
    put_uint(out, "{\"source\":", scene->textures[index]);
    put_uint(out, ",\"sampler\":", scene->textures[index]);
    buf_put_char(out, '}');
}

static void put_sampler(struct buf *out, const struct model *model, const struct glb_scene *scene, uint32_t index)
{
    (void)scene;
    put_uint(out, "{\"magFilter\":", MAG_FILTERS[model->textures[index].mag_filter]);
    put_uint(out, ",\"minFilter\":", MIN_FILTERS[model->textures[index].min_filter]);
    put_uint(out, ",\"wrapS\":", WRAPS[model->textures[index].wrap_s]);
    put_uint(out, ",\"wrapT\":", WRAPS[model->textures[index].wrap_t]);
    buf_put_char(out, '}');
}

static void put_image(struct buf *out, const struct model *model, const struct glb_scene *scene, uint32_t index)
{
    const struct str uri = model->textures[index].uri;
    buf_put_char(out, '{');
    if (uri.offset != STR_NONE && uri.size_bytes > 0) {
        buf_put_text(out, "\"name\":");
        json_put_str(out, model, base_name(model, uri));
        buf_put_char(out, ',');
    }
    put_uint(out, "\"bufferView\":", scene->pictures[index]);
    buf_put_text(out, ",\"mimeType\":\"image/png\"}");
}

/* One list of what every texture of the file has; nothing where there is none. */
static void put_list(struct task *task, const struct glb_scene *scene, const char *start,
                     void (*put)(struct buf *, const struct model *, const struct glb_scene *, uint32_t))
{
    uint32_t count = 0;
    for (uint32_t t = 0; t < task->model->texture_count && !buf_failed(task->out); t++) {
        if (scene->textures[t] == GLB_NONE)
            continue;
        buf_put_text(task->out, count++ == 0 ? start : ",");
        put(task->out, task->model, scene, t);
    }
    if (count > 0)
        buf_put_char(task->out, ']');
}

void glb_put_materials(struct task *task, const struct glb_scene *scene)
{
    const struct model *model = task->model;
    uint32_t count = 0, flags = 0;
    for (uint32_t m = 0; m < model->material_count && !buf_failed(task->out); m++) {
        if (scene->materials[m] == GLB_NONE)
            continue;
        buf_put_text(task->out, count++ == 0 ? ",\"materials\":[" : ",");
        put_material(task, scene, m);
        flags |= model->materials[m].flags;
    }
    if (count > 0)
        buf_put_char(task->out, ']');
    if ((flags & MATERIAL_UNLIT) != 0)
        buf_put_text(task->out, ",\"extensionsUsed\":[\"KHR_materials_unlit\"]");
    put_list(task, scene, ",\"textures\":[", put_texture);
    put_list(task, scene, ",\"samplers\":[", put_sampler);
    put_list(task, scene, ",\"images\":[", put_image);
}

void glb_put_texture_states(struct task *task, const struct glb_scene *scene)
{
    static const char *const STATES[] = {
        [TEXTURE_FOUND] = "left_out", [TEXTURE_MISSING] = "missing", [TEXTURE_BROKEN] = "broken"};
    const struct model *model = task->model;
    uint32_t count = 0;
    for (uint32_t m = 0; m < model->material_count && !buf_failed(task->out); m++) {
        const int32_t t = texture_of(task, scene, m);
        if (t < 0)
            continue;
        buf_put_text(task->out, count++ == 0 ? ",\"textures\":[" : ",");
        put_uint(task->out, "{\"material\":", scene->materials[m]);
        buf_put_text(task->out, ",\"uri\":");
        json_put_str(task->out, model, model->textures[t].uri);
        buf_put_text(task->out, ",\"state\":\"");
        buf_put_text(task->out, scene->textures[t] != GLB_NONE ? "embedded" : STATES[model->textures[t].state]);
        buf_put_text(task->out, "\"}");
    }
    if (count > 0)
        buf_put_char(task->out, ']');
}
