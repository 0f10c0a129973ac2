/* encode - reads a PNG file and says how long the renderer's encoder takes for its pixels.
 *
 *   encode < picture.png
 *
 * Prints one line of JSON: the CPU time of one encoding, the median of many, and the size, of each way. */
#include "render/image/png_file.h"
#include "tests/bench/programs/measure.h"

#include <png.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 51, INPUT_MAX = 64 << 20 };

static double now_ms(void) { return clock_ns(CLOCK_PROCESS_CPUTIME_ID) / 1e6; }

static double encode_ms(const uint8_t *pixels, uint32_t width, uint32_t height, bool is_small, size_t *size_bytes)
{
    double times[ROUNDS];
    const struct png_form form = {.has_alpha = true, .is_small = is_small};
    for (int i = 0; i < ROUNDS; i++) {
        struct buf out;
        struct err err = {0};
        buf_init(&out, 0);
        const double begin = now_ms();
        if (png_file_put(&out, pixels, width, height, &form, &err) < 0) {
            fprintf(stderr, "encode: %s\n", err.message);
            exit(1);
        }
        times[i] = now_ms() - begin;
        *size_bytes = out.size_bytes;
        buf_fini(&out);
    }
    qsort(times, ROUNDS, sizeof *times, by_size);
    return times[ROUNDS / 2];
}

int main(void)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    uint8_t *input = malloc(INPUT_MAX), *pixels = NULL;
    const size_t input_bytes = input == NULL ? 0 : fread(input, 1, INPUT_MAX, stdin);
    if (input_bytes > 0 && png_image_begin_read_from_memory(&image, input, input_bytes)) {
        image.format = PNG_FORMAT_RGBA;
        pixels = malloc(PNG_IMAGE_SIZE(image));
    }
    if (pixels == NULL || !png_image_finish_read(&image, NULL, pixels, 0, NULL)) {
        fprintf(stderr, "encode: no PNG file: %s\n", image.message);
        return 1;
    }
    size_t fast_bytes, small_bytes;
    const double fast_ms = encode_ms(pixels, image.width, image.height, false, &fast_bytes);
    const double small_ms = encode_ms(pixels, image.width, image.height, true, &small_bytes);
    printf("{\"fast_ms\":%.4f,\"small_ms\":%.4f,\"fast_bytes\":%zu,\"small_bytes\":%zu}\n", fast_ms, small_ms,
           fast_bytes, small_bytes);
    free(input);
    free(pixels);
    return 0;
}
