/* picture_plan.h - decides in which form an answer has a texture: the bytes of the picture's own file, or pixels that
 * are encoded again. Pure; any thread. */
#pragma once

#include "anim/model/model.h"
#include "wire/request/request.h"

/* A mip level of a texture. */
struct picture_level {
    uint64_t pixel_first; /* index into the model's pixels */
    uint32_t width, height;
};

struct picture_plan {
    bool is_own;                /* the bytes of its own file */
    enum texture_file file;     /* the format; a JPEG becomes a PNG if a pixel is not opaque */
    uint32_t width, height;     /* in the answer; with the source's proportions */
    struct picture_level level; /* of the pixels that become these */
};

/* The plan for a texture with TEXTURE_FOUND. picture_plan_pixels(): the plan of an answer that does not have the own
 * file. */
struct picture_plan picture_plan(const struct model *model, uint32_t texture, const struct request_textures *request);
struct picture_plan picture_plan_pixels(const struct model *model, uint32_t texture,
                                        const struct request_textures *request);

/* Bytes of pixels that encoding the texture takes as long as; 0 for an own file. */
uint64_t picture_encoded_bytes(const struct model *model, uint32_t texture, const struct request_textures *request);
/* An estimate of its bytes in the answer; exact for an own file. */
uint64_t picture_answer_bytes(const struct model *model, uint32_t texture, const struct request_textures *request);

/* True if materials use the texture for normals, and for nothing else. */
bool picture_is_normal_map(const struct model *model, uint32_t texture);

/* "image/png", ... of any format but TEXTURE_FILE_NONE. */
const char *picture_mime_type(enum texture_file file);
/* "png", ... */
const char *picture_word(enum texture_file file);
