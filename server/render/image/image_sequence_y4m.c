/* image_sequence_y4m.c - YUV4MPEG2 without compression, as mjpegtools' yuv4mpeg(5) describes it.
 *
 * It uses 4:2:0, because every video player supports it. A chroma sample lies between its four pixels and is their
 * mean. Y'CbCr follows ITU-R BT.601 in limited range (Y' 16..235, Cb and Cr 16..240), in integers. */
#include "render/image/image_sequence.h"

#include <math.h>

enum { FRACTION = 16, HALF = 1 << (FRACTION - 1) };

/* Finds the intended fraction of a rate: 29.97 is 30000 / 1001, as in television. */
static void find_ratio(double rate, uint32_t ratio[2])
{
    const double television = 1000.0 / 1001;
    for (uint32_t under = 1; under <= 1000; under++) {
        const double over = round(rate * under);
        if (under == 2 && round(rate) >= 1 && fabs(round(rate) * television - rate) <= 2e-6 * rate) {
            ratio[0] = (uint32_t)round(rate) * 1000;
            ratio[1] = 1001;
            return;
        }
        if (over >= 1 && fabs(over / under - rate) <= 1e-9 * rate) {
            ratio[0] = (uint32_t)over;
            ratio[1] = under;
            return;
        }
    }
    ratio[0] = (uint32_t)fmax(round(rate * 100000), 1);
    ratio[1] = 100000;
}

/* The factors, times 2^16, include 219 / 255 and 224 / 255. */
static uint8_t luma(const uint8_t *rgb)
{
    return (uint8_t)((16829 * rgb[0] + 33039 * rgb[1] + 6416 * rgb[2] + (16 << FRACTION) + HALF) >> FRACTION);
}

static void put_luma(const uint8_t *pixels, size_t count, uint8_t *to)
{
    for (size_t i = 0; i < count; i++)
        to[i] = luma(pixels + 4 * i);
}

/* Writes a sample of each chroma plane for a row, from two rows of pixels, which are the same at an odd end. */
static void put_chroma_row(const uint8_t *upper, const uint8_t *lower, uint32_t width, uint8_t *cb, uint8_t *cr)
{
    for (uint32_t x = 0; x < width; x += 2, cb++, cr++) {
        const size_t left = 4 * (size_t)x, right = x + 1 < width ? left + 4 : left;
        int32_t sum[3];
        for (int c = 0; c < 3; c++) {
            const size_t channel = (size_t)c;
            sum[c] = upper[left + channel] + upper[right + channel] + lower[left + channel] + lower[right + channel];
        }
        const int32_t around = (128 << (FRACTION + 2)) + 4 * HALF;
        *cb = (uint8_t)((-9714 * sum[0] - 19070 * sum[1] + 28784 * sum[2] + around) >> (FRACTION + 2));
        *cr = (uint8_t)((28784 * sum[0] - 24103 * sum[1] - 4681 * sum[2] + around) >> (FRACTION + 2));
    }
}

static void put_frame(const uint8_t *pixels, uint32_t width, uint32_t height, uint8_t *to)
{
    const size_t half_width = (width + 1) / 2, half_height = (height + 1) / 2, row_bytes = 4 * (size_t)width;
    const size_t count = (size_t)width * height;
    put_luma(pixels, count, to);
    uint8_t *cb = to + count, *cr = cb + half_width * half_height;
    for (uint32_t y = 0; y < height; y += 2, cb += half_width, cr += half_width) {
        const uint8_t *upper = pixels + y * row_bytes, *lower = y + 1 < height ? upper + row_bytes : upper;
        put_chroma_row(upper, lower, width, cb, cr);
    }
}

int image_sequence_put_y4m(struct buf *out, const struct image_sequence *sequence, struct err *err)
{
    static const char FRAME[] = "FRAME\n";
    const uint32_t width = sequence->width, height = sequence->height;
    const size_t chroma_bytes = (size_t)((width + 1) / 2) * ((height + 1) / 2);
    const size_t frame_bytes = (size_t)width * height + 2 * chroma_bytes;
    uint32_t rate[2];
    find_ratio(sequence->frame_rate, rate);
    buf_printf(out, "YUV4MPEG2 W%u H%u F%u:%u Ip A1:1 C420jpeg XYSCSS=420JPEG XCOLORRANGE=LIMITED\n", width, height,
               rate[0], rate[1]);
    for (uint32_t f = 0; f < sequence->frame_count; f++) {
        buf_put(out, FRAME, sizeof FRAME - 1);
        uint8_t *to = (uint8_t *)buf_reserve(out, frame_bytes);
        if (to == NULL)
            return err_set(err, ERR_NO_MEMORY, "no memory for %u frames of a video", sequence->frame_count);
        put_frame(image_sequence_frame(sequence, f), width, height, to);
        buf_advance(out, frame_bytes);
    }
    return 0;
}
