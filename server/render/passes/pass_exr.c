#include "render/passes/pass_exr.h"

#include "anim/light/mip.h"

#include <OpenEXR/openexr.h>
#include <math.h>
#include <stdlib.h>
#include <zlib.h>

enum {
    CHUNK_ROWS = 16, /* of ZIP compression */
    FAST_LEVEL = 1,
    SMALL_LEVEL = 6,
    COLOR_CHANNELS = 4
};
#define FILE_BYTES_MAX (UINT64_C(1) << 32)

/* --- memory in place of a file --- */

struct exr_target {
    struct buf *out;
    size_t begin; /* of the file in `out` */
};

/* The library leaves room for the table of chunks, and goes back to it once it knows where they are. */
static int64_t write_at(exr_const_context_t context, void *userdata, const void *bytes, uint64_t size_bytes,
                        uint64_t offset, exr_stream_error_func_ptr_t tell)
{
    const struct exr_target *target = userdata;
    struct buf *out = target->out;
    const uint64_t used = out->size_bytes - target->begin, end = offset + size_bytes;
    if (offset > FILE_BYTES_MAX || size_bytes > FILE_BYTES_MAX ||
        (end > used && buf_reserve(out, (size_t)(end - used)) == NULL)) {
        tell(context, EXR_ERR_WRITE_IO, "no memory");
        return -1;
    }
    if (offset > used)
        memset(out->data + target->begin + used, 0, (size_t)(offset - used));
    memcpy(out->data + target->begin + offset, bytes, (size_t)size_bytes);
    if (end > used)
        buf_advance(out, (size_t)(end - used));
    return (int64_t)size_bytes;
}

/* Errors are returned; without this the library prints them. */
static void ignore(exr_const_context_t context, exr_result_t code, const char *message)
{
    (void)context;
    (void)code;
    (void)message;
}

/* --- the header --- */

static exr_pixel_type_t type_of(enum pass pass)
{
    return PASS_INFO[pass].type == PASS_I32 ? EXR_PIXEL_UINT : EXR_PIXEL_FLOAT;
}

static exr_result_t add_channels(exr_context_t context, const struct pass_exr *file)
{
    exr_result_t rc = EXR_ERR_SUCCESS;
    char name[PASS_CHANNEL_SIZE];
    for (int p = 0; p < PASS_COUNT; p++)
        for (uint32_t c = 0; c < PASS_INFO[p].components && file->arrays.of[p] != NULL && rc == EXR_ERR_SUCCESS; c++)
            rc = exr_add_channel(context, 0, pass_channel((enum pass)p, c, name), type_of((enum pass)p),
                                 EXR_PERCEPTUALLY_LOGARITHMIC, 1, 1);
    return rc;
}

/* The matrices are for row vectors, row after row, and so as column-major ones are in memory. The camera's space is
 * left-handed, z forward; in NDC 0, 0 is the upper left corner and 1, 1 the lower right one. */
static exr_result_t add_camera(exr_context_t context, const struct camera *camera)
{
    static const struct dmat4 NDC_FROM_CLIP = {{0.5, 0, 0, 0, 0, -0.5, 0, 0, 0, 0, 0.5, 0, 0.5, 0.5, 0.5, 1}};
    const double *view = camera->view_from_scene.m, *clip = camera->clip_from_view.m;
    const struct dmat4 clip_from_scene = dmat4_mul(&camera->clip_from_view, &camera->view_from_scene);
    const struct dmat4 ndc = dmat4_mul(&NDC_FROM_CLIP, &clip_from_scene);
    const double *shift = clip + (camera->is_ortho ? 12 : 8), sign = camera->is_ortho ? -1 : 1;
    const exr_attr_v2f_t center = {.x = (float)(sign * shift[0] / clip[0] + 0),
                                   .y = (float)(sign * shift[1] / clip[5] + 0)};
    exr_attr_m44f_t to_camera, to_ndc;
    for (int k = 0; k < 16; k++) {
        to_camera.m[k] = (float)((k % 4 == 2 ? -view[k] : view[k]) + 0); /* avoids -0 */
        to_ndc.m[k] = (float)ndc.m[k];
    }
    exr_result_t rc = exr_attr_set_m44f(context, 0, "worldToCamera", &to_camera);
    if (rc == EXR_ERR_SUCCESS)
        rc = exr_attr_set_m44f(context, 0, "worldToNDC", &to_ndc);
    if (rc == EXR_ERR_SUCCESS)
        rc = exr_set_screen_window_center(context, 0, &center);
    return rc == EXR_ERR_SUCCESS ? exr_set_screen_window_width(context, 0, (float)(2 / clip[0])) : rc;
}

static exr_result_t put_header(exr_context_t context, const struct pass_exr *file)
{
    static const exr_attr_chromaticities_t SRGB = {0.64f, 0.33f, 0.3f, 0.6f, 0.15f, 0.06f, 0.3127f, 0.329f};
    int part = 0;
    exr_result_t rc = exr_add_part(context, NULL, EXR_STORAGE_SCANLINE, &part);
    if (rc == EXR_ERR_SUCCESS)
        rc = exr_initialize_required_attr_simple(context, 0, (int32_t)file->width, (int32_t)file->height,
                                                 EXR_COMPRESSION_ZIP);
    if (rc == EXR_ERR_SUCCESS)
        rc = add_channels(context, file);
    if (rc == EXR_ERR_SUCCESS && file->arrays.of[PASS_COLOR] != NULL)
        rc = exr_attr_set_chromaticities(context, 0, "chromaticities", &SRGB);
    if (rc == EXR_ERR_SUCCESS)
        rc = add_camera(context, file->camera);
    return rc == EXR_ERR_SUCCESS ? exr_write_header(context) : rc;
}

/* --- pixels --- */

/* Converts rows of colours to linear light times alpha. */
static void make_light(const struct pass_exr *file, uint32_t first_row, uint32_t rows, float *light)
{
    const uint8_t *color = (const uint8_t *)file->arrays.of[PASS_COLOR] + (size_t)first_row * file->width * 4;
    for (size_t i = 0; i < (size_t)rows * file->width; i++, color += 4, light += COLOR_CHANNELS) {
        for (int c = 0; c < 3; c++)
            light[c] = (float)((double)mip_linear_of(color[c]) * color[3] / 255);
        light[3] = (float)(color[3] / 255.0);
    }
}

/* Finds the component of a channel: its first number in row `first_row`. Returns the bytes of a pixel there, or 0. */
static uint32_t find_source(const struct pass_exr *file, const char *channel, uint32_t first_row, const float *light,
                            const uint8_t **source)
{
    char name[PASS_CHANNEL_SIZE];
    for (int p = 0; p < PASS_COUNT; p++)
        for (uint32_t c = 0; c < PASS_INFO[p].components; c++) {
            if (file->arrays.of[p] == NULL || strcmp(pass_channel((enum pass)p, c, name), channel) != 0)
                continue;
            const uint32_t pixel_bytes = 4 * PASS_INFO[p].components;
            const uint8_t *array = file->arrays.of[p];
            *source =
                (p == PASS_COLOR ? (const uint8_t *)light : array + (size_t)first_row * file->width * pixel_bytes) +
                (size_t)4 * c;
            return pixel_bytes;
        }
    return 0;
}

static exr_result_t put_chunk(exr_context_t context, const struct pass_exr *file, uint32_t first_row, float *light,
                              exr_encode_pipeline_t *pipeline)
{
    const uint32_t left = file->height - first_row, rows = left < CHUNK_ROWS ? left : CHUNK_ROWS;
    exr_chunk_info_t chunk;
    exr_result_t rc = exr_write_scanline_chunk_info(context, 0, (int)first_row, &chunk);
    if (rc == EXR_ERR_SUCCESS)
        rc = first_row == 0 ? exr_encoding_initialize(context, 0, &chunk, pipeline)
                            : exr_encoding_update(context, 0, &chunk, pipeline);
    if (light != NULL)
        make_light(file, first_row, rows, light);
    for (int c = 0; c < pipeline->channel_count && rc == EXR_ERR_SUCCESS; c++) {
        exr_coding_channel_info_t *channel = &pipeline->channels[c];
        const uint8_t *source = NULL;
        const uint32_t pixel_bytes = find_source(file, channel->channel_name, first_row, light, &source);
        if (pixel_bytes == 0)
            return EXR_ERR_INVALID_ARGUMENT;
        channel->encode_from_ptr = source;
        channel->user_pixel_stride = (int32_t)pixel_bytes;
        channel->user_line_stride = (int32_t)(pixel_bytes * file->width);
    }
    if (rc == EXR_ERR_SUCCESS && first_row == 0)
        rc = exr_encoding_choose_default_routines(context, 0, pipeline);
    return rc == EXR_ERR_SUCCESS ? exr_encoding_run(context, 0, pipeline) : rc;
}

static exr_result_t put_chunks(exr_context_t context, const struct pass_exr *file)
{
    const bool has_color = file->arrays.of[PASS_COLOR] != NULL;
    float *light = has_color ? malloc(sizeof *light * COLOR_CHANNELS * CHUNK_ROWS * file->width) : NULL;
    exr_encode_pipeline_t pipeline = EXR_ENCODE_PIPELINE_INITIALIZER;
    exr_result_t rc = has_color && light == NULL ? EXR_ERR_OUT_OF_MEMORY : EXR_ERR_SUCCESS;
    for (uint32_t row = 0; row < file->height && rc == EXR_ERR_SUCCESS; row += CHUNK_ROWS)
        rc = put_chunk(context, file, row, light, &pipeline);
    exr_encoding_destroy(context, &pipeline);
    free(light);
    return rc;
}

int pass_exr_put(struct buf *out, const struct pass_exr *file, struct err *err)
{
    struct exr_target target = {.out = out, .begin = out->size_bytes};
    exr_context_initializer_t how = EXR_DEFAULT_CONTEXT_INITIALIZER;
    exr_context_t context = NULL;
    how.error_handler_fn = ignore;
    how.user_data = &target;
    how.write_fn = write_at;
    how.zip_level = file->is_small ? SMALL_LEVEL : FAST_LEVEL;
    exr_result_t rc = exr_start_write(&context, "memory", EXR_WRITE_FILE_DIRECTLY, &how);
    if (rc == EXR_ERR_SUCCESS)
        rc = put_header(context, file);
    if (rc == EXR_ERR_SUCCESS)
        rc = put_chunks(context, file);
    const exr_result_t end = context != NULL ? exr_finish(&context) : EXR_ERR_SUCCESS;
    rc = rc == EXR_ERR_SUCCESS ? end : rc;
    if (rc == EXR_ERR_OUT_OF_MEMORY || buf_failed(out))
        return err_set(err, ERR_NO_MEMORY, "no memory for the file of the passes");
    if (rc != EXR_ERR_SUCCESS)
        return err_set(err, ERR_INTERNAL, "OpenEXR failed: %s", exr_get_error_code_as_string(rc));
    return 0;
}

const char *pass_exr_libraries(void) { return "OpenEXR " OPENEXR_VERSION_STRING ", zlib " ZLIB_VERSION; }
