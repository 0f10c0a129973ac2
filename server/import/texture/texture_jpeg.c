/* texture_jpeg.c - decodes JPEG with libjpeg-turbo's TurboJPEG interface, which needs no setjmp and limits scans. */
#include "import/texture/texture_image.h"

#include <string.h>
#include <turbojpeg.h>

/* Whether an Adobe segment (APP14) precedes the picture. Inks are then inverted: 255 means none (libjpeg's
 * documentation, "Special color spaces"). */
static bool has_adobe_marker(const uint8_t *bytes, size_t size_bytes)
{
    enum { START_OF_SCAN = 0xda, APP14 = 0xee };
    size_t at = 2;
    while (at + 9 <= size_bytes && bytes[at] == 0xff && bytes[at + 1] != START_OF_SCAN) {
        const size_t length = (size_t)bytes[at + 2] << 8 | bytes[at + 3];
        if (bytes[at + 1] == APP14 && memcmp(bytes + at + 4, "Adobe", 5) == 0)
            return true;
        at += 2 + length;
    }
    return false;
}

/* Whether every reader of JPEG can read it: baseline or progressive with Huffman codes, grey or in three colours. */
static bool is_common(const uint8_t *bytes, size_t size_bytes)
{
    enum { FRAME = 0xc0, PROGRESSIVE = 0xc2, LAST_FRAME = 0xcf, HUFFMAN = 0xc4, EXTENSION = 0xc8, ARITHMETIC = 0xcc };
    enum { COMPONENTS = 9, MARKER_BYTES = 10 };
    size_t at = 2;
    while (at + MARKER_BYTES <= size_bytes && bytes[at] == 0xff) {
        const uint8_t marker = bytes[at + 1];
        if (marker >= FRAME && marker <= LAST_FRAME && marker != HUFFMAN && marker != EXTENSION && marker != ARITHMETIC)
            return marker <= PROGRESSIVE && (bytes[at + COMPONENTS] == 1 || bytes[at + COMPONENTS] == 3);
        at += marker == 0xff ? 1 : 2 + ((size_t)bytes[at + 2] << 8 | bytes[at + 3]);
    }
    return false;
}

/* Converts CMYK, 255 meaning no ink, to RGB, like viewers without the printer's profile. */
static void rgb_of_cmyk(uint8_t *pixels, uint64_t count, bool is_inverted)
{
    for (uint64_t i = 0; i < count; i++, pixels += 4) {
        const uint32_t black = is_inverted ? pixels[3] : 255u - pixels[3];
        for (int c = 0; c < 3; c++) {
            const uint32_t ink = is_inverted ? pixels[c] : 255u - pixels[c];
            pixels[c] = (uint8_t)((ink * black + 127) / 255);
        }
        pixels[3] = 255;
    }
}

static int decode(tjhandle jpeg, const uint8_t *bytes, size_t size_bytes, const struct limits *limits,
                  struct image *image, struct err *err)
{
    int width = 0, height = 0, subsampling = 0, colorspace = 0;
    if (tjDecompressHeader3(jpeg, bytes, size_bytes, &width, &height, &subsampling, &colorspace) != 0 || width < 0 ||
        height < 0)
        return err_set(err, ERR_BAD_MODEL, "%s", tjGetErrorStr2(jpeg));
    image->width = (uint32_t)width;
    image->height = (uint32_t)height;
    const bool is_cmyk = colorspace == TJCS_CMYK || colorspace == TJCS_YCCK;
    const int format = is_cmyk ? TJPF_CMYK : TJPF_RGBA;
    if (image_alloc(image, limits, err) < 0)
        return err->code;
    if (tjDecompress2(jpeg, bytes, size_bytes, image->rgba, width, 0, height, format, TJFLAG_LIMITSCANS) != 0) {
        if (tjGetErrorCode(jpeg) != TJERR_WARNING)
            return err_set(err, ERR_BAD_MODEL, "%s", tjGetErrorStr2(jpeg));
        image->is_damaged = true;
    }
    image->file = is_common(bytes, size_bytes) ? TEXTURE_FILE_JPEG : TEXTURE_FILE_NONE;
    if (is_cmyk)
        rgb_of_cmyk(image->rgba, (uint64_t)image->width * image->height, has_adobe_marker(bytes, size_bytes));
    return 0;
}

int image_decode_jpeg(const uint8_t *bytes, size_t size_bytes, const struct limits *limits, struct image *image,
                      struct err *err)
{
    tjhandle jpeg = tjInitDecompress();
    if (jpeg == NULL)
        return err_set(err, ERR_IMPORT_MEMORY, "no memory");
    const int rc = decode(jpeg, bytes, size_bytes, limits, image, err);
    tjDestroy(jpeg);
    return rc;
}
