/* radiance_write.c - writes rows of a panorama, each channel run-length encoded (Ward, Radiance 5:
 * ray/src/common/color.c). */
#include "wire/light/radiance_write.h"

#include "anim/light/rgbe.h"
#include "base/mem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double PI = 3.14159265358979323846;

/* A shorter run does not justify its two bytes; a code cannot count more. */
enum { RUN_MIN = 4, RUN_MAX = 127, OTHERS_MAX = 128 };

static void fill_row(const struct radiance_picture *picture, uint32_t y, uint8_t *row)
{
    const double up = (0.5 - (y + 0.5) / picture->height) * PI;
    for (uint32_t x = 0; x < picture->width; x++) {
        const double around = ((x + 0.5) / picture->width - 0.5) * 2 * PI;
        const double d[3] = {cos(up) * cos(around), sin(up), cos(up) * sin(around)};
        double rgb[3];
        picture->radiance(picture->context, d, rgb);
        rgbe_from_linear((const float[3]){(float)rgb[0], (float)rgb[1], (float)rgb[2]}, row + 4 * (size_t)x);
    }
}

/* Returns how many bytes from x on, one per pixel, are equal. */
static uint32_t run_at(const uint8_t *channel, uint32_t x, uint32_t width)
{
    uint32_t count = 1;
    while (x + count < width && count < RUN_MAX && channel[4 * (x + count)] == channel[4 * x])
        count++;
    return count;
}

static void put_channel(struct buf *out, const uint8_t *channel, uint32_t width)
{
    for (uint32_t x = 0; x < width;) {
        uint32_t run = run_at(channel, x, width), end = x;
        if (run >= RUN_MIN) {
            buf_put_char(out, (char)(128 + run));
            buf_put_char(out, (char)channel[4 * x]);
            x += run;
            continue;
        }
        for (; end < width && end - x < OTHERS_MAX && run < RUN_MIN; run = run_at(channel, end, width))
            end++;
        buf_put_char(out, (char)(end - x));
        for (; x < end; x++)
            buf_put_char(out, (char)channel[4 * x]);
    }
}

void radiance_write(struct buf *out, const struct radiance_picture *picture, const _Atomic bool *is_stopped)
{
    char head[100];
    uint8_t *row = mem_zalloc(picture->width, 4);
    snprintf(head, sizeof head, "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y %u +X %u\n", picture->height, picture->width);
    buf_put_text(out, head);
    for (uint32_t y = 0; y < picture->height && !buf_failed(out); y++) {
        const uint8_t start[4] = {2, 2, (uint8_t)(picture->width >> 8), (uint8_t)picture->width};
        fill_row(picture, y, row);
        buf_put(out, start, sizeof start);
        for (int c = 0; c < 4; c++)
            put_channel(out, row + c, picture->width);
        if (is_stopped != NULL && *is_stopped)
            buf_fail(out, BUF_STOPPED);
    }
    free(row);
}
