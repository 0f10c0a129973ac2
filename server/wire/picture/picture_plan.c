#include "wire/picture/picture_plan.h"

#include "anim/model/material_layers.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *word, *mime_type;
} FILES[TEXTURE_FILE_COUNT] = {
    [TEXTURE_FILE_PNG] = {"png", "image/png"},
    [TEXTURE_FILE_JPEG] = {"jpeg", "image/jpeg"},
    [TEXTURE_FILE_WEBP] = {"webp", "image/webp"},
    [TEXTURE_FILE_KTX2] = {"ktx2", "image/ktx2"},
};

const char *picture_mime_type(enum texture_file file) { return FILES[file].mime_type; }
const char *picture_word(enum texture_file file) { return FILES[file].word; }

static uint32_t longer(uint32_t a, uint32_t b) { return a > b ? a : b; }

/* A picture that has to be encoded keeps its format if there is an encoder for it. */
static enum texture_file encoded_file(const struct texture *texture, enum texture_form form)
{
    static const enum texture_file OF_FORMS[] = {
        [TEXTURES_PNG] = TEXTURE_FILE_PNG, [TEXTURES_JPEG] = TEXTURE_FILE_JPEG, [TEXTURES_WEBP] = TEXTURE_FILE_WEBP};
    if (form != TEXTURES_KEEP)
        return OF_FORMS[form];
    return texture->file == TEXTURE_FILE_JPEG || texture->file == TEXTURE_FILE_WEBP ? (enum texture_file)texture->file
                                                                                    : TEXTURE_FILE_PNG;
}

static uint32_t half(uint32_t side) { return longer(side / 2, 1); }

static uint32_t scaled(uint32_t side, double scale, uint32_t most)
{
    const double exact = side * scale + 0.5;
    return exact < 1 ? 1 : exact < most ? (uint32_t)exact : most;
}

/* The level that becomes the picture: the one of its size, or else the smallest one with twice its sides, from which
 * an area differs little from that of all pixels. */
static struct picture_level level_for(const struct texture *texture, uint32_t width, uint32_t height)
{
    struct picture_level level = {texture->pixel_first, texture->width, texture->height};
    for (;;) {
        const struct picture_level next = {level.pixel_first + 4 * (uint64_t)level.width * level.height,
                                           half(level.width), half(level.height)};
        const bool is_smallest = level.width == 1 && level.height == 1;
        const bool is_enough = next.width / 2 >= width && next.height / 2 >= height;
        if (is_smallest || (!is_enough && (next.width != width || next.height != height)))
            return level;
        level = next;
    }
}

/* A picture of the source's size, or of what is left of it: sides of pixels are powers of two, and those of the answer
 * need not be. */
struct picture_plan picture_plan_pixels(const struct model *model, uint32_t index,
                                        const struct request_textures *request)
{
    const struct texture *texture = &model->textures[index];
    struct picture_plan plan = {.file = encoded_file(texture, request->form)};
    const bool is_known = texture->source_width > 0 && texture->source_height > 0;
    const uint32_t width = is_known ? texture->source_width : texture->width,
                   height = is_known ? texture->source_height : texture->height;
    double scale = fmin(1, fmin((double)texture->width / width, (double)texture->height / height));
    if (request->side_most > 0)
        scale = fmin(scale, (double)request->side_most / longer(width, height));
    plan.width = scaled(width, scale, texture->width);
    plan.height = scaled(height, scale, texture->height);
    plan.level = level_for(texture, plan.width, plan.height);
    return plan;
}

struct picture_plan picture_plan(const struct model *model, uint32_t index, const struct request_textures *request)
{
    const struct texture *texture = &model->textures[index];
    const bool is_wanted = request->form == TEXTURES_KEEP || encoded_file(texture, request->form) == texture->file;
    if (!is_wanted || texture->file == TEXTURE_FILE_NONE || index >= model->picture_place_count ||
        (request->side_most > 0 && longer(texture->source_width, texture->source_height) > request->side_most))
        return picture_plan_pixels(model, index, request);
    return (struct picture_plan){.is_own = true,
                                 .file = (enum texture_file)texture->file,
                                 .width = texture->source_width,
                                 .height = texture->source_height};
}

/* Restoring a pixel of the source takes as long as that many bytes, and averaging one of the level as one. */
static uint64_t resized_bytes(const struct texture *texture, const struct picture_plan *plan)
{
    enum { RESTORED_BYTES = 8 };
    if (plan->width == plan->level.width && plan->height == plan->level.height)
        return 0;
    return plan->width == texture->source_width && plan->height == texture->source_height
               ? RESTORED_BYTES * (uint64_t)plan->width * plan->height
               : (uint64_t)plan->level.width * plan->level.height;
}

uint64_t picture_encoded_bytes(const struct model *model, uint32_t texture, const struct request_textures *request)
{
    enum { PIXEL_BYTES = 4, WEBP_FACTOR = 4 }; /* WebP takes that many times as long as PNG, and JPEG less */
    const struct picture_plan plan = picture_plan(model, texture, request);
    const uint64_t bytes = (uint64_t)plan.width * plan.height * PIXEL_BYTES;
    if (plan.is_own)
        return 0;
    return resized_bytes(&model->textures[texture], &plan) +
           (plan.file == TEXTURE_FILE_WEBP ? WEBP_FACTOR * bytes : bytes);
}

uint64_t picture_answer_bytes(const struct model *model, uint32_t texture, const struct request_textures *request)
{
    enum { PNG_BYTES = 2, LOSSY_BYTES_INVERSE = 4 }; /* for each pixel */
    const struct picture_plan plan = picture_plan(model, texture, request);
    const uint64_t pixels = (uint64_t)plan.width * plan.height;
    return plan.is_own                     ? model->textures[texture].file_bytes
           : plan.file == TEXTURE_FILE_PNG ? PNG_BYTES * pixels
                                           : pixels / LOSSY_BYTES_INVERSE;
}

bool picture_is_normal_map(const struct model *model, uint32_t index)
{
    bool is_used = false;
    for (uint32_t m = 0; m < model->material_count; m++)
        for (uint32_t slot = 0; slot < TEXTURE_ALL_COUNT; slot++) {
            if (material_texture_at(model, &model->materials[m], slot)->texture != (int32_t)index)
                continue;
            if (slot != TEXTURE_NORMAL && slot != TEXTURE_CLEARCOAT_NORMAL)
                return false;
            is_used = true;
        }
    return is_used;
}
