/* texture_stb.c - TGA and BMP by stb_image, compiled without its other decoders. */
#include "import/texture/texture_image.h"

#include <limits.h>
#include <stdlib.h>

#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_ONLY_BMP
#define STBI_ONLY_TGA
#define STBI_NO_STDIO
#define STBI_NO_LINEAR
#define STBI_NO_HDR
#define STBI_NO_THREAD_LOCALS
#define STBI_MAX_DIMENSIONS 16384
/* The header declares the functions of the other decoders too. */
#pragma GCC diagnostic ignored "-Wunused-function"
#include <stb/stb_image.h>

/* Whether an uncompressed TGA is too short for its pixels; stb_image reads zeros beyond the end of the file (Truevision
 * TGA 2.0: an 18-byte header, identification, colour map, then width * height * bits / 8). */
static bool is_short_tga(const uint8_t *bytes, size_t size_bytes, const struct image *image)
{
    const bool is_bmp = size_bytes >= 2 && bytes[0] == 'B' && bytes[1] == 'M';
    if (is_bmp || size_bytes < 18 || bytes[2] < 1 || bytes[2] > 3)
        return false;
    const uint64_t map_entries = bytes[1] != 0 ? (uint64_t)(bytes[5] | bytes[6] << 8) : 0;
    const uint64_t map_bytes = map_entries * ((bytes[7] + 7u) / 8);
    const uint64_t pixel_bytes = (uint64_t)image->width * image->height * ((bytes[16] + 7u) / 8);
    return size_bytes < 18 + bytes[0] + map_bytes + pixel_bytes;
}

int image_decode_stb(const uint8_t *bytes, size_t size_bytes, const struct limits *limits, struct image *image,
                     struct err *err)
{
    int width = 0, height = 0, components = 0;
    if (!stbi_info_from_memory(bytes, (int)size_bytes, &width, &height, &components) || width < 0 || height < -INT_MAX)
        return err_set(err, ERR_BAD_MODEL, "not a PNG, JPEG, WebP, TGA or BMP picture");
    if (height < 0) /* a BMP with the top row first */
        height = -height;
    image->width = (uint32_t)width;
    image->height = (uint32_t)height;
    if (image_check(image, limits, err) < 0)
        return err->code;
    int got_width = 0, got_height = 0;
    stbi_uc *rgba = stbi_load_from_memory(bytes, (int)size_bytes, &got_width, &got_height, &components, 4);
    if (rgba == NULL)
        return err_set(err, ERR_BAD_MODEL, "the TGA or BMP picture is damaged (%s)", stbi_failure_reason());
    if (got_width != width || got_height != height) {
        stbi_image_free(rgba);
        return err_set(err, ERR_BAD_MODEL, "the TGA or BMP picture contradicts its header");
    }
    image->rgba = rgba; /* stb_image's memory is malloc()'s */
    image->is_damaged = is_short_tga(bytes, size_bytes, image);
    return 0;
}
