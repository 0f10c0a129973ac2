/* bake_check.c - checks the sizes, the info and the assets of a model, and runs all checks in order. */
#include "anim/bake/bake_check.h"

#include "anim/model/material_layers.h"
#include "base/json_check.h"
#include "base/limits.h"
#include "base/utf8.h"

#include <math.h>
#include <string.h>

/* Evaluation allocates by these counts, and every request checks each source file, so a block may not ask for more than
 * an importer may give. */
static int check_sizes(const struct model *model, struct err *err)
{
    const struct {
        const char *section;
        uint64_t count;
        enum limit limit;
    } rows[] = {
        {"nodes", model->node_count, LIMIT_NODES},
        {"joints", model->joint_count, LIMIT_JOINTS},
        {"clips", model->clip_count, LIMIT_CLIPS},
        {"positions", model->position_count, LIMIT_VERTICES},
        {"indices", model->index_count, LIMIT_INDICES},
        {"key_values", model->key_value_count, LIMIT_KEYS},
        {"textures", model->texture_count, LIMIT_TEXTURES},
        {"weights", model->weight_count, LIMIT_WEIGHTS},
        {"markers", model->marker_count, LIMIT_MARKERS},
        {"source_files", model->source_file_count, LIMIT_SOURCE_FILES},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].count > LIMIT_INFO[rows[i].limit].initial)
            return err_set(err, ERR_MODEL_LIMIT, "%s has %llu elements, more than %llu", rows[i].section,
                           (unsigned long long)rows[i].count, (unsigned long long)LIMIT_INFO[rows[i].limit].initial);
    return 0;
}

static bool is_unit(const float v[3])
{
    const double x = (double)v[0], y = (double)v[1], z = (double)v[2];
    return fabs(x * x + y * y + z * z - 1) <= 1e-3; /* false for NaN */
}

static bool is_bounds(struct vec3 low, struct vec3 high)
{
    const bool is_some = low.x <= high.x && low.y <= high.y && low.z <= high.z;
    const bool is_none = low.x > high.x && low.y > high.y && low.z > high.z;
    return vec3_is_finite(&low) && vec3_is_finite(&high) && (is_some || is_none);
}

static int check_info(const struct model *model, struct err *err)
{
    const int rc = check_sizes(model, err);
    if (rc < 0)
        return rc;
    if (model->text_byte_count > 0 && (memchr(model->text, '\0', model->text_byte_count) != NULL ||
                                       !utf8_is_valid(model->text, model->text_byte_count)))
        return err_set(err, ERR_BAD_BAKE, "text is not UTF-8 without NUL bytes");
    if (model->info_count != 1)
        return err_set(err, ERR_BAD_BAKE, "infos has %u elements instead of 1", model->info_count);
    const struct model_info *info = model->infos;
    const uint32_t flags = MODEL_HAS_UP | MODEL_HAS_FORWARD | MODEL_HAS_UNIT | MODEL_OWN_SCALES | MODEL_T_POSE;
    const char *field = !bake_is_str(model, info->format)                        ? "format"
                        : !bake_is_str(model, info->generator)                   ? "generator"
                        : (info->flags & ~flags) != 0                            ? "flags"
                        : !is_unit(info->up)                                     ? "up"
                        : !is_unit(info->forward)                                ? "forward"
                        : !(isfinite(info->unit_m) && info->unit_m > 0)          ? "unit_m"
                        : !is_bounds(info->rest_min, info->rest_max)             ? "rest_min"
                        : !(isfinite(info->frame_rate) && info->frame_rate >= 0) ? "frame_rate"
                                                                                 : NULL;
    return field == NULL ? 0 : bake_check_fail(err, "infos", 0, field);
}

/* --- materials, textures, extras, warnings and source files --- */

enum { TEXTURE_SIDE_MAX = 32768 }; /* keeps the size of all levels far below 2^64 */

/* The content of a texture decides how its pixels were made and are sampled, so a slot for colours takes no data. */
static bool are_textures(const struct model *model, const struct material_texture *uses, uint32_t first_slot,
                         uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct material_texture *use = &uses[i];
        if (!bake_is_index(use->texture, model->texture_count) || use->texcoord_set > 1 ||
            !floats_are_finite(use->uv_from_texcoord, 6))
            return false;
        if (use->texture >= 0 && model->textures[use->texture].content != texture_slot_content(first_slot + i))
            return false;
    }
    return true;
}

static const char *layers_fault(const struct model *model, uint32_t i)
{
    const struct material_layers *layers = &model->material_layers[i];
    if (layers->present == 0 || layers->present >= 1U << LAYER_COUNT)
        return "present";
    for (int n = 0; n < LAYER_NUMBER_COUNT; n++)
        for (uint32_t k = 0; k < LAYER_NUMBERS[n].count; k++) {
            const float value = layer_number_at(layers, &LAYER_NUMBERS[n])[k];
            if (!(value >= LAYER_NUMBERS[n].least && value <= LAYER_NUMBERS[n].most))
                return LAYER_NUMBERS[n].member;
        }
    return !isfinite(layers->clearcoat_normal_scale)                                      ? "clearcoat_normal_scale"
           : layers->ior > 0 && layers->ior < 1                                           ? "ior"
           : !are_textures(model, layers->textures, TEXTURE_SLOT_COUNT, LAYER_SLOT_COUNT) ? "textures"
                                                                                          : NULL;
}

static bool is_fraction(float value) { return value >= 0 && value <= 1; }

static const char *material_fault(const struct model *model, uint32_t i)
{
    const struct material *material = &model->materials[i];
    const uint32_t flags = MATERIAL_DOUBLE_SIDED | MATERIAL_UNLIT;
    return !bake_is_str(model, material->name)                               ? "name"
           : !floats_are_finite(material->base_color, 4)                     ? "base_color"
           : !floats_are_finite(material->emissive, 3)                       ? "emissive"
           : !is_fraction(material->metallic)                                ? "metallic"
           : !is_fraction(material->roughness)                               ? "roughness"
           : !isfinite(material->normal_scale)                               ? "normal_scale"
           : !is_fraction(material->occlusion_strength)                      ? "occlusion_strength"
           : !isfinite(material->alpha_cutoff)                               ? "alpha_cutoff"
           : material->alpha_mode > ALPHA_BLEND                              ? "alpha_mode"
           : (material->flags & ~flags) != 0                                 ? "flags"
           : !bake_is_index(material->layers, model->material_layer_count)   ? "layers"
           : !are_textures(model, material->textures, 0, TEXTURE_SLOT_COUNT) ? "textures"
                                                                             : NULL;
}

static bool is_side(uint32_t side) { return side > 0 && side <= TEXTURE_SIDE_MAX && (side & (side - 1)) == 0; }

/* All levels down to 1x1 must have their pixels. Without FOUND there are none. */
static bool is_picture(const struct model *model, const struct texture *texture)
{
    if (texture->state != TEXTURE_FOUND)
        return texture->width == 0 && texture->height == 0 && texture->level_count == 0;
    if (!is_side(texture->width) || !is_side(texture->height))
        return false;
    uint64_t size_bytes = 0;
    uint32_t levels = 1, width = texture->width, height = texture->height;
    for (;; levels++) {
        size_bytes += (uint64_t)width * height * 4;
        if (width == 1 && height == 1)
            break;
        width = width > 1 ? width / 2 : 1;
        height = height > 1 ? height / 2 : 1;
    }
    return texture->level_count == levels && bake_is_range(texture->pixel_first, size_bytes, model->pixel_byte_count);
}

/* A picture without a file has zeros in place of one. */
static bool is_texture_file(const struct texture *texture)
{
    static const uint8_t NONE[TEXTURE_HASH_SIZE] = {0};
    if (texture->file_reserved != 0 || texture->file >= TEXTURE_FILE_COUNT)
        return false;
    if (texture->file == TEXTURE_FILE_NONE)
        return texture->file_bytes == 0 && memcmp(texture->file_hash, NONE, sizeof NONE) == 0;
    return texture->state == TEXTURE_FOUND && texture->file_bytes > 0;
}

static const char *texture_fault(const struct model *model, uint32_t i)
{
    const struct texture *texture = &model->textures[i];
    return !bake_is_str(model, texture->uri)                         ? "uri"
           : texture->state > TEXTURE_BROKEN                         ? "state"
           : !is_picture(model, texture)                             ? "pixels"
           : texture->wrap_s > TEXTURE_WRAP_MIRROR                   ? "wrap_s"
           : texture->wrap_t > TEXTURE_WRAP_MIRROR                   ? "wrap_t"
           : texture->mag_filter > TEXTURE_MAG_NEAREST               ? "mag_filter"
           : texture->min_filter > TEXTURE_MIN_NEAREST_MIPMAP_LINEAR ? "min_filter"
           : texture->content > TEXTURE_RADIANCE                     ? "content"
           : texture->reserved != 0                                  ? "reserved"
           : !is_texture_file(texture)                               ? "file"
                                                                     : NULL;
}

/* Texts may overlap, so the sum of their sizes bounds the work of checking and later sending them. */
static int check_extras(const struct model *model, struct err *err)
{
    const uint32_t counts[] = {
        [EXTRA_NODE] = model->node_count, [EXTRA_MATERIAL] = model->material_count, [EXTRA_CLIP] = model->clip_count};
    const uint64_t limit = LIMIT_INFO[LIMIT_EXTRAS_BYTES].initial;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < model->extra_count; i++) {
        const struct extra *extra = &model->extras[i], *before = i > 0 ? extra - 1 : NULL;
        const bool is_owner = extra->owner <= EXTRA_CLIP;
        const char *field = !is_owner                              ? "owner"
                            : extra->index >= counts[extra->owner] ? "index"
                            : before != NULL && (before->owner > extra->owner ||
                                                 (before->owner == extra->owner && before->index >= extra->index))
                                ? "index"
                            : !bake_is_long_str(model, extra->json) || extra->json.offset == STR_NONE ? "json"
                                                                                                      : NULL;
        bytes += extra->json.size_bytes;
        if (field == NULL && bytes > limit)
            return err_set(err, ERR_MODEL_LIMIT, "extras have more than %llu bytes", (unsigned long long)limit);
        if (field == NULL && !json_is_compact(model->text + extra->json.offset, extra->json.size_bytes))
            field = "json";
        if (field != NULL)
            return bake_check_fail(err, "extras", i, field);
    }
    return 0;
}

static bool is_after(const struct model *model, const struct carried *before, const struct carried *at)
{
    if (before->owner != at->owner || before->index != at->index)
        return before->owner < at->owner || (before->owner == at->owner && before->index < at->index);
    const struct str a = before->member, b = at->member;
    const uint32_t least = a.size_bytes < b.size_bytes ? a.size_bytes : b.size_bytes;
    const int order = memcmp(model->text + a.offset, model->text + b.offset, least);
    return order < 0 || (order == 0 && a.size_bytes < b.size_bytes);
}

static const char *carried_fault(const struct model *model, uint32_t i)
{
    const uint32_t counts[CARRY_OWNER_COUNT] = {1,
                                                1,
                                                CARRIED_SCENES_MAX,
                                                model->node_count,
                                                model->mesh_count,
                                                model->primitive_count,
                                                model->skin_count,
                                                model->camera_count,
                                                model->light_count,
                                                model->material_count,
                                                model->texture_count,
                                                model->carried_count};
    const struct carried *at = &model->carried_members[i];
    return at->owner >= CARRY_OWNER_COUNT                                         ? "owner"
           : at->index >= counts[at->owner]                                       ? "index"
           : !bake_is_str(model, at->member) || at->member.offset == STR_NONE     ? "member"
           : i > 0 && !is_after(model, at - 1, at)                                ? "member"
           : !bake_is_long_str(model, at->json) || at->json.offset == STR_NONE    ? "json"
           : !json_is_compact(model->text + at->json.offset, at->json.size_bytes) ? "json"
                                                                                  : NULL;
}

/* As with extras, the sum of the sizes bounds the work. */
static int check_carried(const struct model *model, struct err *err)
{
    const uint64_t limit = LIMIT_INFO[LIMIT_EXTRAS_BYTES].initial;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < model->carried_count && bytes <= limit; i++)
        bytes += model->carried_members[i].json.size_bytes;
    if (bytes > limit)
        return err_set(err, ERR_MODEL_LIMIT, "carried members have more than %llu bytes", (unsigned long long)limit);
    return bake_check_each(model, "carried_members", model->carried_count, carried_fault, err);
}

static const char *warning_fault(const struct model *model, uint32_t i)
{
    const struct warning *warning = &model->warnings[i];
    return bake_is_str(model, warning->code) && bake_is_str(model, warning->message) ? NULL : "message";
}

static const char *source_file_fault(const struct model *model, uint32_t i)
{
    const struct source_file *source = &model->source_files[i];
    return !bake_is_str(model, source->path)                          ? "path"
           : source->role > SOURCE_SEARCHED || source->is_missing > 1 ? "role"
                                                                      : NULL;
}

/* A byte of deflate stands for no more bytes (zlib's technical details). */
enum { DEFLATE_RATIO_MOST = 1032 };

/* The server reads the file at a place, so it must lie within a file that the import read. */
static const char *picture_place_fault(const struct model *model, uint32_t i)
{
    const struct picture_place *place = &model->picture_places[i];
    const struct texture *texture = &model->textures[i];
    if (place->source_file < 0)
        return place->source_file == -1 && place->encoding == 0 && place->offset == 0 && place->size_bytes == 0 &&
                       texture->file == TEXTURE_FILE_NONE
                   ? NULL
                   : "source_file";
    if (texture->file == TEXTURE_FILE_NONE || (uint32_t)place->source_file >= model->source_file_count)
        return "source_file";
    const struct source_file *source = &model->source_files[place->source_file];
    if (source->is_missing != 0 || source->role > SOURCE_TEXTURE || source->path.offset == STR_NONE)
        return "source_file";
    const bool is_as_it_is = place->encoding == TEXTURE_AS_IT_IS && place->size_bytes == texture->file_bytes;
    const bool is_base64 = place->encoding >= TEXTURE_BASE64 && place->encoding <= TEXTURE_BASE64_PIECES &&
                           place->size_bytes / 4 >= texture->file_bytes / 3;
    const bool is_deflated =
        place->encoding == TEXTURE_DEFLATED && place->size_bytes > texture->file_bytes / DEFLATE_RATIO_MOST;
    return !is_as_it_is && !is_base64 && !is_deflated                             ? "encoding"
           : !bake_is_range(place->offset, place->size_bytes, source->size_bytes) ? "offset"
                                                                                  : NULL;
}

/* A model that was not imported from files, such as one of a test, has no places. */
static int check_places(const struct model *model, struct err *err)
{
    if (model->picture_place_count != 0 && model->picture_place_count != model->texture_count)
        return err_set(err, ERR_BAD_BAKE, "picture_places has %u elements for %u textures", model->picture_place_count,
                       model->texture_count);
    return bake_check_each(model, "picture_places", model->picture_place_count, picture_place_fault, err);
}

static int check_assets(const struct model *model, struct err *err)
{
    int rc = bake_check_each(model, "materials", model->material_count, material_fault, err);
    if (rc == 0)
        rc = bake_check_each(model, "material_layers", model->material_layer_count, layers_fault, err);
    if (rc == 0)
        rc = bake_check_each(model, "textures", model->texture_count, texture_fault, err);
    if (rc == 0)
        rc = check_extras(model, err);
    if (rc == 0)
        rc = check_carried(model, err);
    if (rc == 0)
        rc = bake_check_each(model, "warnings", model->warning_count, warning_fault, err);
    if (rc == 0)
        rc = bake_check_each(model, "source_files", model->source_file_count, source_file_fault, err);
    return rc == 0 ? check_places(model, err) : rc;
}

int bake_check(const struct model *model, struct err *err)
{
    static int (*const checks[])(const struct model *, struct err *) = {
        check_info,       check_assets,      bake_check_skins, bake_check_nodes, bake_check_constraints,
        bake_check_faces, bake_check_meshes, bake_check_draws, bake_check_clips, bake_check_compiled,
    };
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        const int rc = checks[i](model, err);
        if (rc < 0)
            return rc;
    }
    return 0;
}
