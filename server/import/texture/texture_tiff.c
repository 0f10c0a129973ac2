/* texture_tiff.c - decodes the first picture of TIFF files (TIFF 6.0, BigTIFF) by libtiff's RGBA interface: strips and
 * tiles, palettes, grey, RGB, CMYK, YCbCr and CIE L*a*b* of 1 to 16 bits, in all its compressions. */
#include "import/texture/texture_tiff.h"

#include "import/texture/texture_image.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tiffio.h>

/* --- the library --- */

/* The functions of libtiff that are used here, by the rest of their names. */
#define FUNCTIONS(X)                                                                                                   \
    X(OpenOptionsAlloc)                                                                                                \
    X(OpenOptionsFree)                                                                                                 \
    X(OpenOptionsSetMaxSingleMemAlloc)                                                                                 \
    X(OpenOptionsSetErrorHandlerExtR)                                                                                  \
    X(OpenOptionsSetWarningHandlerExtR)                                                                                \
    X(ClientOpenExt)                                                                                                   \
    X(Close)                                                                                                           \
    X(IsCODECConfigured)                                                                                               \
    X(GetField)                                                                                                        \
    X(GetFieldDefaulted)                                                                                               \
    X(SetField)                                                                                                        \
    X(ReadRGBAImageOriented)

static const char LIBRARY[] = "libtiff.so.6";

static struct {
#define X(name) __typeof__(TIFF##name) *name;
    FUNCTIONS(X)
#undef X
    bool is_tried, is_loaded;
    char fault[256]; /* why it is not loaded */
} tiff;

static bool find(void *library, const char *name, void *function)
{
    void *symbol = dlsym(library, name);
    memcpy(function, &symbol, sizeof symbol); /* C has no cast from a pointer to data to one to a function */
    return symbol != NULL;
}

void tiff_load(void)
{
    if (tiff.is_tried)
        return;
    tiff.is_tried = true;
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    tiff.is_loaded = library != NULL;
#define X(name) tiff.is_loaded = tiff.is_loaded && find(library, "TIFF" #name, &tiff.name);
    FUNCTIONS(X)
#undef X
    if (!tiff.is_loaded)
        snprintf(tiff.fault, sizeof tiff.fault, "%s", dlerror());
}

/* --- the file --- */

/* What libtiff reads from, and the first error that it reports. */
struct tiff_input {
    const uint8_t *bytes;
    uint64_t size_bytes, at;
    char error[128]; /* "": none */
};

static tmsize_t read_bytes(thandle_t handle, void *out, tmsize_t size_bytes)
{
    struct tiff_input *input = handle;
    const uint64_t left = input->at < input->size_bytes ? input->size_bytes - input->at : 0;
    const uint64_t count = (uint64_t)size_bytes < left ? (uint64_t)size_bytes : left;
    memcpy(out, input->bytes + (left > 0 ? input->at : 0), count);
    input->at += count;
    return (tmsize_t)count;
}

static tmsize_t write_nothing(thandle_t handle, void *bytes, tmsize_t size_bytes)
{
    (void)handle, (void)bytes, (void)size_bytes;
    return -1;
}

static toff_t seek(thandle_t handle, toff_t offset, int whence)
{
    struct tiff_input *input = handle;
    input->at = offset + (whence == SEEK_CUR ? input->at : whence == SEEK_END ? input->size_bytes : 0);
    return input->at;
}

static int leave_open(thandle_t handle)
{
    (void)handle;
    return 0;
}

static toff_t size_of(thandle_t handle) { return ((struct tiff_input *)handle)->size_bytes; }

/* libtiff 4.5 refuses uncompressed tiles that are not mapped and no multiple of 1024 bytes. */
static int map(thandle_t handle, void **base, toff_t *size_bytes)
{
    const struct tiff_input *input = handle;
    *base = (void *)(uintptr_t)input->bytes;
    *size_bytes = input->size_bytes;
    return 1;
}

static void unmap(thandle_t handle, void *base, toff_t size_bytes) { (void)handle, (void)base, (void)size_bytes; }

__attribute__((format(printf, 4, 0))) static int on_error(TIFF *file, void *context, const char *module,
                                                          const char *format, va_list arguments)
{
    struct tiff_input *input = context;
    (void)file, (void)module;
    if (input->error[0] == '\0')
        vsnprintf(input->error, sizeof input->error, format, arguments);
    return 1; /* the library's own handler would print it */
}

__attribute__((format(printf, 4, 0))) static int on_warning(TIFF *file, void *context, const char *module,
                                                            const char *format, va_list arguments)
{
    (void)file, (void)context, (void)module, (void)format, (void)arguments;
    return 1;
}

enum { SAMPLE_BYTES_MAX = 8 /* of a pixel: RGBA of 16 bits */ };

static TIFF *open_input(struct tiff_input *input, const struct limits *limits)
{
    TIFFOpenOptions *options = tiff.OpenOptionsAlloc();
    if (options == NULL)
        return NULL;
    tiff.OpenOptionsSetErrorHandlerExtR(options, on_error, input);
    tiff.OpenOptionsSetWarningHandlerExtR(options, on_warning, NULL);
    tiff.OpenOptionsSetMaxSingleMemAlloc(options, (tmsize_t)(SAMPLE_BYTES_MAX * limits->value[LIMIT_IMAGE_PIXELS]));
    TIFF *file =
        tiff.ClientOpenExt("", "r", input, read_bytes, write_nothing, seek, leave_open, size_of, map, unmap, options);
    tiff.OpenOptionsFree(options);
    return file;
}

/* --- the picture --- */

enum { EXTRA_SAMPLES_MAX = 60 };

struct tiff_layout {
    uint32_t width, height; /* as stored */
    uint16_t orientation;
    bool is_multiplied; /* by alpha */
};

static uint16_t short_of(TIFF *file, uint32_t tag)
{
    uint16_t value = 0;
    tiff.GetFieldDefaulted(file, tag, &value);
    return value;
}

/* Rounded up to whole tiles, or as it is. */
static uint64_t padded(TIFF *file, uint32_t tag, uint32_t side)
{
    uint32_t tile = 0;
    return tiff.GetField(file, tag, &tile) && tile > 0 ? ((uint64_t)side + tile - 1) / tile * tile : side;
}

/* Also bounds what the samples take, decoded: tiles may be larger than the picture, and pixels may have many samples.
 */
static int check_size(TIFF *file, const struct tiff_layout *layout, const struct limits *limits, struct err *err)
{
    const uint64_t width = padded(file, TIFFTAG_TILEWIDTH, layout->width),
                   height = padded(file, TIFFTAG_TILELENGTH, layout->height);
    const uint64_t pixel_bits =
        (uint64_t)short_of(file, TIFFTAG_BITSPERSAMPLE) * short_of(file, TIFFTAG_SAMPLESPERPIXEL);
    const uint64_t bits_max = 8 * SAMPLE_BYTES_MAX * limits->value[LIMIT_IMAGE_PIXELS];
    if (pixel_bits > 0 && (width > UINT32_MAX || height > UINT32_MAX || width * height > bits_max / pixel_bits))
        return err_set(err, ERR_MODEL_LIMIT, "its samples take more than %u bytes for each pixel of %s",
                       SAMPLE_BYTES_MAX, LIMIT_TEXT(limits, LIMIT_IMAGE_PIXELS));
    return 0;
}

/* libtiff multiplies colours by an alpha that they are not multiplied by; told that they are, it leaves them. */
static int keep_straight(TIFF *file, struct tiff_layout *layout, struct err *err)
{
    uint16_t count = 0, kinds[EXTRA_SAMPLES_MAX];
    const uint16_t *found = NULL;
    if (!tiff.GetFieldDefaulted(file, TIFFTAG_EXTRASAMPLES, &count, &found) || count == 0)
        return 0;
    if (count > EXTRA_SAMPLES_MAX)
        return err_set(err, ERR_BAD_MODEL, "%u extra samples a pixel are more than %d", count, EXTRA_SAMPLES_MAX);
    layout->is_multiplied = found[0] == EXTRASAMPLE_ASSOCALPHA;
    if (found[0] != EXTRASAMPLE_UNASSALPHA)
        return 0;
    memcpy(kinds, found, count * sizeof *kinds);
    kinds[0] = EXTRASAMPLE_ASSOCALPHA;
    tiff.SetField(file, TIFFTAG_EXTRASAMPLES, count, kinds);
    return 0;
}

static void divide_by_alpha(struct image *image)
{
    const size_t count = (size_t)image->width * image->height;
    for (size_t p = 0; p < count; p++) {
        uint8_t *pixel = image->rgba + 4 * p;
        const uint32_t alpha = pixel[3];
        for (int c = 0; c < 3 && alpha > 0; c++) {
            const uint32_t value = (pixel[c] * 255u + alpha / 2) / alpha;
            pixel[c] = (uint8_t)(value < 255 ? value : 255);
        }
    }
}

/* libtiff turns pictures upside down, but not onto their sides: rows and columns change places here. */
static int turn(const struct tiff_layout *layout, struct image *image, struct err *err)
{
    const uint16_t to = layout->orientation;
    const bool is_side = to >= ORIENTATION_LEFTTOP;
    const bool is_right = to == ORIENTATION_TOPRIGHT || to == ORIENTATION_BOTRIGHT || to == ORIENTATION_RIGHTTOP ||
                          to == ORIENTATION_RIGHTBOT;
    const bool is_bottom = to == ORIENTATION_BOTRIGHT || to == ORIENTATION_BOTLEFT || to == ORIENTATION_RIGHTBOT ||
                           to == ORIENTATION_LEFTBOT;
    const size_t count = (size_t)image->width * image->height;
    uint8_t *turned = malloc(4 * count);
    if (turned == NULL)
        return err_set(err, ERR_IMPORT_MEMORY, "no memory for %u x %u pixels", image->width, image->height);
    for (size_t p = 0; p < count; p++) {
        const size_t column = p % layout->width, row = p / layout->width;
        size_t x = is_side ? row : column, y = is_side ? column : row;
        x = is_right ? image->width - 1 - x : x;
        y = is_bottom ? image->height - 1 - y : y;
        memcpy(turned + 4 * (y * image->width + x), image->rgba + 4 * p, 4);
    }
    free(image->rgba);
    image->rgba = turned;
    return 0;
}

static int check_form(TIFF *file, struct err *err)
{
    const uint16_t compression = short_of(file, TIFFTAG_COMPRESSION);
    if (!tiff.IsCODECConfigured(compression))
        return err_set(err, ERR_BAD_MODEL, "its compression %u is not read", compression);
    const unsigned bits = short_of(file, TIFFTAG_BITSPERSAMPLE), format = short_of(file, TIFFTAG_SAMPLEFORMAT);
    const bool is_log = short_of(file, TIFFTAG_PHOTOMETRIC) >= PHOTOMETRIC_LOGL;
    if (is_log || (bits <= 16 && (format == SAMPLEFORMAT_UINT || format == SAMPLEFORMAT_VOID)))
        return 0;
    return err_set(err, ERR_BAD_MODEL, "samples of %u bits%s are not read: integers of 1 to 16 bits are", bits,
                   format == SAMPLEFORMAT_IEEEFP ? ", of floating point,"
                   : format == SAMPLEFORMAT_INT  ? " and a sign"
                                                 : "");
}

static int read_picture(TIFF *file, struct tiff_input *input, const struct limits *limits, struct image *image,
                        struct err *err)
{
    struct tiff_layout layout = {.orientation = short_of(file, TIFFTAG_ORIENTATION)};
    tiff.GetField(file, TIFFTAG_IMAGEWIDTH, &layout.width);
    tiff.GetField(file, TIFFTAG_IMAGELENGTH, &layout.height);
    const bool is_side = layout.orientation >= ORIENTATION_LEFTTOP;
    image->width = is_side ? layout.height : layout.width;
    image->height = is_side ? layout.width : layout.height;
    if (image_check(image, limits, err) < 0 || check_size(file, &layout, limits, err) < 0 ||
        check_form(file, err) < 0 || keep_straight(file, &layout, err) < 0 || image_alloc(image, limits, err) < 0)
        return err->code;
    memset(image->rgba, 0, 4 * (size_t)image->width * image->height);
    tiff.SetField(file, TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT);
    input->error[0] = '\0';
    if (!tiff.ReadRGBAImageOriented(file, layout.width, layout.height, (uint32_t *)(void *)image->rgba,
                                    ORIENTATION_TOPLEFT, 0))
        return err_set(err, ERR_BAD_MODEL, "%s", input->error[0] != '\0' ? input->error : "the picture is damaged");
    image->is_damaged = input->error[0] != '\0';
    if (layout.is_multiplied)
        divide_by_alpha(image);
    return layout.orientation > ORIENTATION_TOPLEFT ? turn(&layout, image, err) : 0;
}

int image_decode_tiff(const uint8_t *bytes, size_t size_bytes, const struct limits *limits, struct image *image,
                      struct err *err)
{
    if (!tiff.is_tried)
        return err_set(err, ERR_UNAVAILABLE, "this process was started without libtiff");
    if (!tiff.is_loaded)
        return err_set(err, ERR_BAD_MODEL,
                       "libtiff reads such pictures, and is missing (%s): install Debian's libtiff6", tiff.fault);
    struct tiff_input input = {.bytes = bytes, .size_bytes = size_bytes};
    TIFF *file = open_input(&input, limits);
    if (file == NULL)
        return err_set(err, ERR_BAD_MODEL, "%s", input.error[0] != '\0' ? input.error : "the header is damaged");
    const int rc = read_picture(file, &input, limits, image, err);
    tiff.Close(file);
    return rc;
}
