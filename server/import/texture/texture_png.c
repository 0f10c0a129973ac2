/* texture_png.c - decodes PNG with libpng's row interface, because the simplified one applies gamma chunks, which glTF
 * forbids. */
#include "import/texture/texture_image.h"

#include <png.h>
#include <setjmp.h>
#include <string.h>

struct png_input {
    const uint8_t *bytes;
    size_t left;
    struct err *err;
};

static void read_bytes(png_structp png, png_bytep out, size_t size_bytes)
{
    struct png_input *reader = png_get_io_ptr(png);
    if (size_bytes > reader->left)
        png_error(png, "the file ends too early");
    memcpy(out, reader->bytes, size_bytes);
    reader->bytes += size_bytes;
    reader->left -= size_bytes;
}

static void on_error(png_structp png, png_const_charp message)
{
    const struct png_input *reader = png_get_error_ptr(png);
    err_set(reader->err, ERR_BAD_MODEL, "%s", message);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;
}

/* Converts every kind of PNG to 8-bit RGBA. */
static void ask_for_rgba8(png_structp png)
{
    png_set_expand(png);
    png_set_scale_16(png);
    png_set_gray_to_rgb(png);
    png_set_add_alpha(png, 0xff, PNG_FILLER_AFTER);
}

/* libpng leaves this function by longjmp() on failure; *image owns the allocation. */
static int read_image(png_structp png, png_infop info, const struct limits *limits, struct image *image,
                      struct err *err)
{
    png_read_info(png, info);
    image->width = png_get_image_width(png, info);
    image->height = png_get_image_height(png, info);
    if (image_alloc(image, limits, err) < 0)
        return err->code;
    ask_for_rgba8(png);
    const int passes = png_set_interlace_handling(png);
    png_read_update_info(png, info);
    const size_t row_bytes = (size_t)image->width * 4;
    if (png_get_rowbytes(png, info) != row_bytes)
        return err_set(err, ERR_BAD_MODEL, "its rows do not have 4 bytes a pixel");
    /* The passes of an interlaced picture are read into the same pixels. */
    memset(image->rgba, 0, row_bytes * image->height);
    for (int pass = 0; pass < passes; pass++)
        for (uint32_t y = 0; y < image->height; y++)
            png_read_row(png, image->rgba + y * row_bytes, NULL);
    return 0;
}

int image_decode_png(const uint8_t *bytes, size_t size_bytes, const struct limits *limits, struct image *image,
                     struct err *err)
{
    struct png_input reader = {.bytes = bytes, .left = size_bytes, .err = err};
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &reader, on_error, on_warning);
    png_infop info = png != NULL ? png_create_info_struct(png) : NULL;
    volatile int rc = ERR_BAD_MODEL;
    if (info == NULL) {
        rc = err_set(err, ERR_IMPORT_MEMORY, "no memory");
    } else if (setjmp(png_jmpbuf(png)) == 0) {
        png_set_read_fn(png, &reader, read_bytes);
        png_set_user_limits(png, (png_uint_32)limits->value[LIMIT_IMAGE_SIDE],
                            (png_uint_32)limits->value[LIMIT_IMAGE_SIDE]);
        rc = read_image(png, info, limits, image, err);
        image->file = TEXTURE_FILE_PNG;
    }
    png_destroy_read_struct(&png, &info, NULL);
    return rc;
}
