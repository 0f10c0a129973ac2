/* collada_image.h - the picture of an <image>: a file beside the model or in its archive, or bytes in the text. One
 * thread. */
#pragma once

#include "import/collada/collada.h"
#include "import/collada_model/collada_archive.h"
#include "import/texture/texture.h"

/* What one <image> is; zeroes before the first use. */
struct collada_picture {
    char *uri;      /* heap; "" where the file gives none */
    uint8_t *bytes; /* heap: those in the text, or NULL */
    size_t size_bytes;
};

/* A path without white space round it and without "file://", its percent-escapes decoded; heap. */
char *collada_uri(const char *text);

/* `image` may be XML_NONE: then `path` stands for it. */
void collada_picture_read(const struct xml *xml, uint32_t image, const char *path, struct collada_picture *picture);
void collada_picture_fini(struct collada_picture *picture);
/* Fills uri, bytes and image of a request, which borrows the picture. */
void collada_picture_request(const struct collada_picture *picture, uint32_t image,
                             const struct collada_archive *archive, struct texture_request *request);
