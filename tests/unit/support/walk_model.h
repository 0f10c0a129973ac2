/* walk_model.h - uses everything of a decoded model, as the server would: evaluates every clip, deforms every draw,
 * follows every index and reads every text and pixel. Buffers have exactly the size that the rules give, so that ASan
 * detects invalid data that bake_decode() accepted. For tests and fuzz targets. */
#pragma once

#include "anim/entity/entity.h"
#include "anim/model/material_layers.h"
#include "anim/pose/appearance.h"
#include "anim/pose/pose.h"
#include "anim/pose/skin.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Receives everything that is read, so that the compiler cannot remove a read. */
static volatile uint64_t walk_sum;

static void *walk_alloc(size_t count, size_t item_bytes)
{
    void *p = malloc(count * item_bytes == 0 ? 1 : count * item_bytes);
    if (p == NULL)
        abort();
    return p;
}

static void walk_bytes(const void *bytes, uint64_t size_bytes)
{
    const unsigned char *b = bytes;
    uint64_t sum = 0;
    for (uint64_t i = 0; i < size_bytes; i++)
        sum += b[i];
    walk_sum += sum;
}

static void walk_str(const struct model *model, struct str str)
{
    if (str.offset != STR_NONE)
        walk_bytes(model->text + str.offset, str.size_bytes);
}

static void walk_texts(const struct model *model)
{
    walk_str(model, model->infos[0].format);
    walk_str(model, model->infos[0].generator);
    for (uint32_t i = 0; i < model->node_count; i++)
        walk_str(model, model->nodes[i].name);
    for (uint32_t i = 0; i < model->skin_count; i++)
        walk_str(model, model->skins[i].name);
    for (uint32_t i = 0; i < model->mesh_count; i++)
        walk_str(model, model->meshes[i].name);
    for (uint32_t i = 0; i < model->morph_target_count; i++)
        walk_str(model, model->morph_targets[i].name);
    for (uint32_t i = 0; i < model->clip_count; i++)
        walk_str(model, model->clips[i].name);
    for (uint32_t i = 0; i < model->material_count; i++)
        walk_str(model, model->materials[i].name);
    for (uint32_t i = 0; i < model->texture_count; i++)
        walk_str(model, model->textures[i].uri);
    for (uint32_t i = 0; i < model->warning_count; i++) {
        walk_str(model, model->warnings[i].code);
        walk_str(model, model->warnings[i].message);
    }
    for (uint32_t i = 0; i < model->source_file_count; i++)
        walk_str(model, model->source_files[i].path);
}

static void walk_texture(const struct model *model, const struct texture *texture)
{
    uint64_t first = texture->pixel_first;
    uint32_t width = texture->width, height = texture->height;
    for (uint32_t level = 0; level < texture->level_count; level++) {
        walk_bytes(model->pixels + first, (uint64_t)width * height * 4);
        first += (uint64_t)width * height * 4;
        width = width > 1 ? width / 2 : 1;
        height = height > 1 ? height / 2 : 1;
    }
}

static void walk_primitive(const struct model *model, const struct primitive *p)
{
    for (uint32_t i = 0; i < p->index_count; i++) {
        const uint32_t vertex = p->vertex_first + model->indices[p->index_first + i];
        walk_bytes(&model->positions[vertex], sizeof model->positions[vertex]);
        if ((p->flags & PRIMITIVE_TEXCOORDS) != 0)
            walk_bytes(&model->texcoords[vertex], sizeof model->texcoords[vertex]);
        if ((p->flags & PRIMITIVE_COLORS) != 0)
            walk_bytes(&model->colors[vertex], sizeof model->colors[vertex]);
        if ((p->flags & PRIMITIVE_SECOND_TEXCOORDS) != 0)
            walk_bytes(&model->second_texcoords[vertex], sizeof model->second_texcoords[vertex]);
        if ((p->flags & PRIMITIVE_TANGENTS) != 0)
            walk_bytes(&model->tangents[vertex], sizeof model->tangents[vertex]);
    }
    for (uint32_t slot = 0; slot < TEXTURE_ALL_COUNT && p->material >= 0; slot++) {
        const int32_t texture = material_texture_at(model, &model->materials[p->material], slot)->texture;
        if (texture >= 0)
            walk_texture(model, &model->textures[texture]);
    }
}

static void walk_draw(const struct model *model, const struct pose *pose, const struct draw *draw,
                      const struct skin_palette *palette)
{
    const struct node *node = &model->nodes[draw->node];
    const uint32_t count = model->primitives[draw->primitive].vertex_count;
    struct vec3 *points = walk_alloc(count, sizeof *points);
    const double *weights = pose->weights + node->weight_first;
    skin_morph_positions(model, draw->primitive, weights, node->weight_count, points);
    skin_positions(model, draw->primitive, palette, points, points);
    walk_bytes(points, count * sizeof *points);
    skin_morph_normals(model, draw->primitive, weights, node->weight_count, points);
    skin_normals(model, draw->primitive, palette, points, points);
    walk_bytes(points, count * sizeof *points);
    free(points);
}

static void walk_frame(const struct model *model, struct pose *pose, int32_t clip, double time_s)
{
    pose_evaluate(pose, model, clip, time_s);
    for (uint32_t s = 0; s < model->skin_count; s++) {
        struct mat4 *palette = walk_alloc(model->skins[s].joint_count, sizeof *palette);
        bool is_drawable = true;
        for (int space = SPACE_MESH; space >= SPACE_SCENE; space--) {
            struct dmat4 front;
            is_drawable =
                pose_space_from_scene(pose, model, (enum space)space, model->skins[s].mesh_node, &front, NULL) == 0 &&
                pose_palette(pose, model, s, &front, palette, NULL) == 0;
        }
        struct skin_palette whole = {.matrices = palette,
                                     .parts = walk_alloc(model->skins[s].joint_count, sizeof *whole.parts)};
        if (is_drawable)
            skin_palette_take_apart(&whole, model, s);
        for (uint32_t d = 0; d < model->draw_count && is_drawable; d++)
            if (model->draws[d].skin == s)
                walk_draw(model, pose, &model->draws[d], &whole);
        free(palette);
        free(whole.parts);
    }
}

/* Palettes of a compiled clip: always finite, and equal with every kernel. */
static void walk_compiled(const struct model *model, uint32_t clip, double time_s)
{
    for (uint32_t s = 0; s < model->skin_count; s++)
        for (int form = PALETTE_MAT3X4; form <= PALETTE_MAT4; form++) {
            const size_t count = (size_t)model->skins[s].joint_count * (form == PALETTE_MAT4 ? 16 : 12);
            float *first = walk_alloc(count, sizeof *first), *other = walk_alloc(count, sizeof *other);
            for (uint32_t k = 0; kernel_at(k) != NULL; k++) {
                struct clip_palette palette;
                float *out = k == 0 ? first : other;
                clip_palette_init(&palette, kernel_at(k));
                clip_palette_evaluate(&palette, model, clip, time_s, s, (enum palette_form)form, out);
                clip_palette_next(&palette, model, s, (enum palette_form)form, out);
                clip_palette_fini(&palette);
                if (k > 0 && memcmp(first, other, count * sizeof *first) != 0)
                    abort();
            }
            for (size_t i = 0; i < count; i++)
                if (!isfinite(first[i]))
                    abort();
            free(first);
            free(other);
        }
}

/* A blend of a clip, with masks and an additive layer: equal with every kernel, however it is evaluated. */
static void walk_blend(const struct model *model, uint32_t clip, double time_s)
{
    const int32_t other = (int32_t)((clip + 1) % model->clip_count);
    const struct blend_mask mask = {model->node_count / 2, BLEND_EXCEPT};
    const struct blend_layer layers[3] = {
        {.clip = (int32_t)clip, .clip_time_s = time_s, .weight = 0.7},
        {.clip = other, .clip_time_s = time_s / 2, .weight = 0.4, .masks = &mask, .mask_count = 1},
        {.clip = other, .clip_time_s = time_s, .weight = 0.5, .is_additive = true, .reference_clip = (int32_t)clip}};
    const struct entity entity = {.model = model, .layers = layers, .layer_count = 1 + clip % 3};
    for (uint32_t s = 0; s < model->skin_count; s++) {
        const size_t count = (size_t)model->skins[s].joint_count * 12;
        float *first = walk_alloc(count, sizeof *first), *other_floats = walk_alloc(count, sizeof *first);
        for (uint32_t k = 0; kernel_at(k) != NULL; k++) {
            struct entity_work work;
            entity_work_init(&work);
            work.compiled.kernel = kernel_at(k);
            entity_evaluate(&work, &entity);
            const bool is_good = entity_palette(&work, s, LAYOUT_MAT3X4, k == 0 ? first : other_floats, NULL) == 0;
            if (k > 0 && is_good && memcmp(first, other_floats, count * sizeof *first) != 0)
                abort();
            for (size_t i = 0; i < count && is_good; i++)
                if (!isfinite((k == 0 ? first : other_floats)[i]))
                    abort();
            entity_work_fini(&work);
        }
        free(first);
        free(other_floats);
    }
}

/* Materials, lights and cameras at a time keep the rules of those at rest. */
static void walk_appearance(const struct model *model, uint32_t clip, double time_s)
{
    struct appearance appearance = {0};
    struct err err;
    if (appearance_evaluate(&appearance, model, (int32_t)clip, time_s, &err) < 0)
        abort();
    const struct model view = appearance_view(&appearance, model);
    for (uint32_t m = 0; m < view.material_count; m++) {
        const struct material *material = &view.materials[m];
        bool is_good = material->metallic >= 0 && material->metallic <= 1 && isfinite(material->normal_scale) &&
                       floats_are_finite(material->emissive, 3) && floats_are_finite(material->base_color, 4);
        for (uint32_t slot = 0; slot < TEXTURE_ALL_COUNT && is_good; slot++)
            is_good = floats_are_finite(material_texture_at(&view, material, slot)->uv_from_texcoord, 6);
        if (!is_good)
            abort();
    }
    for (uint32_t l = 0; l < view.light_count; l++)
        if (!(view.lights[l].intensity >= 0) ||
            (view.lights[l].kind == LIGHT_KIND_SPOT && !(view.lights[l].inner_cone < view.lights[l].outer_cone)))
            abort();
    for (uint32_t c = 0; c < view.camera_count; c++)
        if (!(view.cameras[c].height > 0) || !(view.cameras[c].z_near >= 0))
            abort();
    appearance_fini(&appearance);
}

static void walk_model(const struct model *model)
{
    struct pose pose;
    pose_init(&pose);
    walk_texts(model);
    for (uint32_t t = 0; t < model->texture_count; t++)
        walk_texture(model, &model->textures[t]);
    for (uint32_t p = 0; p < model->primitive_count; p++)
        walk_primitive(model, &model->primitives[p]);
    walk_frame(model, &pose, POSE_REST, 0);
    for (uint32_t c = 0; c < model->clip_count; c++) {
        const struct clip *clip = &model->clips[c];
        const double times[] = {clip->start_s - 1, clip->start_s, 0.7 * clip->duration_s, clip->duration_s};
        for (size_t i = 0; i < sizeof times / sizeof *times; i++)
            walk_frame(model, &pose, (int32_t)c, times[i]);
        for (size_t i = 0; i < sizeof times / sizeof *times && clip_palette_is_compiled(model, (int32_t)c); i++)
            walk_compiled(model, c, times[i]);
        for (size_t i = 0; i < sizeof times / sizeof *times; i++)
            walk_appearance(model, c, times[i]);
        walk_blend(model, c, times[2]);
    }
    pose_fini(&pose);
}
