/* collada_image.h - finds the picture of an <image>: a file beside the model or in its archive, or bytes in the
 * document. One thread. */
#pragma once

#include "import/collada/collada.h"
#include "import/collada_model/collada_archive.h"
#include "import/texture/texture.h"

/* The picture of one <image>; zeroed before the first use. */
struct collada_picture {
    char *uri;      /* heap; "" if the file gives none */
    uint8_t *bytes; /* heap: bytes in the document, or NULL */
    size_t size_bytes;
};

/* Returns a path on the heap: trimmed, without "file://", percent-decoded. */
char *collada_uri(const char *text);

/* Reads the picture of `image`, or of `path` if image is XML_NONE. */
void collada_picture_read(const struct xml *xml, uint32_t image, const char *path, struct collada_picture *picture);
void collada_picture_fini(struct collada_picture *picture);
/* Fills uri, bytes and image of a request, which borrows the picture. */
void collada_picture_request(const struct collada_picture *picture, uint32_t image,
                             const struct collada_archive *archive, struct texture_request *request);
