/* texture_image.c - chooses the decoder of an image file by its first bytes. */
#include "import/texture/texture_image.h"

#include "import/source/import.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

typedef int decoder(const uint8_t *, size_t, const struct limits *, struct image *, struct err *);

/* TGA has no magic number, so bytes of no other kind go to its decoder, which checks the header's fields. */
static const struct kind {
    const char *magic;
    size_t magic_bytes;
    size_t offset;   /* of the magic */
    decoder *decode; /* NULL: known, and not read */
    const char *name;
} KINDS[] = {
    {"\x89PNG\r\n\x1a\n", 8, 0, image_decode_png, "PNG"},
    {"\xff\xd8\xff", 3, 0, image_decode_jpeg, "JPEG"},
    {"RIFF", 4, 0, image_decode_webp, "WebP"},
    {"BM", 2, 0, image_decode_stb, "BMP"},
    {"\x0a\x05\x01\x08", 4, 0, image_decode_pcx, "PCX"},
    {"DDS ", 4, 0, image_decode_dds, "DDS"},
    {"\xabKTX 11", 7, 0, NULL, "KTX 1"},
    {"\xabKTX", 4, 0, image_decode_ktx2, "KTX 2"},
    {"ftypavif", 8, 4, NULL, "AVIF"},
    {"ftypavis", 8, 4, NULL, "AVIF"},
    {"GIF8", 4, 0, NULL, "GIF"},
    {"II*", 4, 0, image_decode_tiff, "TIFF"},
    {"MM\0*", 4, 0, image_decode_tiff, "TIFF"},
    {"II+", 4, 0, image_decode_tiff, "TIFF"},
    {"MM\0+", 4, 0, image_decode_tiff, "TIFF"},
    {"8BPS", 4, 0, NULL, "Photoshop"},
    {"\x76\x2f\x31\x01", 4, 0, NULL, "OpenEXR"},
    {"#?", 2, 0, NULL, "Radiance HDR"},
};

/* When a picture cannot be decoded, only its size is kept. */
static int decode(decoder *with, const char *name, const uint8_t *bytes, size_t size_bytes, const struct limits *limits,
                  struct image *image, struct err *err)
{
    if (with(bytes, size_bytes, limits, image, err) == 0)
        return 0;
    free(image->rgba);
    image->rgba = NULL;
    return name != NULL ? err_prefix(err, "%s", name) : err->code;
}

int image_decode(const uint8_t *bytes, size_t size_bytes, const struct limits *limits, struct image *image,
                 struct err *err)
{
    *image = (struct image){0};
    if (size_bytes == 0)
        return err_set(err, ERR_BAD_MODEL, "the file is empty");
    if (size_bytes > INT_MAX)
        return err_set(err, ERR_MODEL_LIMIT, "the file has more than 2 GiB");
    if (format_is_lfs_pointer(bytes, size_bytes))
        return err_set(err, ERR_BAD_MODEL, "it is a Git LFS pointer, not the picture; fetch it with 'git lfs pull'");
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++) {
        const struct kind *kind = &KINDS[i];
        if (size_bytes < kind->offset + kind->magic_bytes ||
            memcmp(bytes + kind->offset, kind->magic, kind->magic_bytes) != 0)
            continue;
        if (kind->decode == NULL)
            return err_set(err, ERR_BAD_MODEL, "%s pictures are not read here", kind->name);
        return decode(kind->decode, kind->name, bytes, size_bytes, limits, image, err);
    }
    return decode(image_decode_stb, NULL, bytes, size_bytes, limits, image, err);
}
