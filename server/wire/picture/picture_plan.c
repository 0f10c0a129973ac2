#include "wire/picture/picture_plan.h"

#include "anim/model/material_layers.h"

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

struct picture_plan picture_plan(const struct model *model, uint32_t index, const struct request_textures *request)
{
    const struct texture *texture = &model->textures[index];
    struct picture_plan plan = {.file = encoded_file(texture, request->form)};
    const uint32_t side = request->side_most == 0 ? UINT32_MAX : request->side_most;
    const bool is_wanted = request->form == TEXTURES_KEEP || plan.file == texture->file;
    if (is_wanted && texture->file != TEXTURE_FILE_NONE && index < model->picture_place_count &&
        longer(texture->source_width, texture->source_height) <= side) {
        plan.is_own = true;
        plan.file = (enum texture_file)texture->file;
        plan.width = texture->source_width;
        plan.height = texture->source_height;
        return plan;
    }
    plan.width = texture->width;
    plan.height = texture->height;
    while (longer(plan.width, plan.height) > side) { /* at the latest 1 x 1 fits */
        plan.level++;
        plan.width = longer(plan.width / 2, 1);
        plan.height = longer(plan.height / 2, 1);
    }
    return plan;
}

uint64_t picture_encoded_bytes(const struct model *model, uint32_t texture, const struct request_textures *request)
{
    enum { PIXEL_BYTES = 4, WEBP_FACTOR = 4 }; /* WebP takes that many times as long as PNG, and JPEG less */
    const struct picture_plan plan = picture_plan(model, texture, request);
    const uint64_t bytes = (uint64_t)plan.width * plan.height * PIXEL_BYTES;
    return plan.is_own ? 0 : plan.file == TEXTURE_FILE_WEBP ? WEBP_FACTOR * bytes : bytes;
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
