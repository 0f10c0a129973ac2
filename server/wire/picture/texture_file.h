/* texture_file.h - writes a texture into an answer, as its own file or encoded from its pixels. Pure; any thread. */
#pragma once

#include "base/err.h"
#include "wire/picture/own_pictures.h"
#include "wire/picture/picture_plan.h"

/* What texture_file_put() has written. */
struct picture_made {
    bool is_own; /* the bytes of the picture's own file */
    enum texture_file file;
    uint32_t width, height;
};

/* Appends the texture (TEXTURE_FOUND) by its plan. `own`: the bytes of the own files; NULL: the pixels are encoded even
 * where the plan has the own file. Smaller pixels were averaged in linear light at the import; here normals get unit
 * length again. Returns 0 or ERR_NO_MEMORY; a full `out` is marked as failed. */
int texture_file_put(const struct model *model, uint32_t texture, const struct request_textures *request,
                     const struct own_pictures *own, struct buf *out, struct picture_made *made, struct err *err);
