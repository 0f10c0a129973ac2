/* environment_picture.c - radiance from an equirectangular picture. */
#include "anim/light/environment.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

/* Interpolates between the centres of four pixels. At the poles rows are clamped; columns wrap around. */
void environment_equirectangular(const void *context, const double d[3], double rgb[3])
{
    const struct environment_picture *picture = context;
    const double width = picture->width, height = picture->height;
    const double column = (0.5 + atan2(d[0], -d[2]) / (2 * PI)) * width - 0.5;
    const double row = fmin(fmax(acos(fmin(fmax(d[1], -1), 1)) / PI * height - 0.5, 0), height - 1);
    const double left = floor(column), top = floor(row), x = column - left, y = row - top;
    const uint32_t columns[2] = {(uint32_t)(left + width) % picture->width,
                                 (uint32_t)(left + 1 + width) % picture->width};
    const uint32_t rows[2] = {(uint32_t)top, (uint32_t)fmin(top + 1, height - 1)};
    for (int c = 0; c < 3; c++) {
        double lines[2];
        for (int r = 0; r < 2; r++) {
            const float *line = picture->rgb + (uint64_t)rows[r] * picture->width * 3 + c;
            lines[r] = (double)line[3 * (uint64_t)columns[0]] * (1 - x) + (double)line[3 * (uint64_t)columns[1]] * x;
        }
        rgb[c] = lines[0] * (1 - y) + lines[1] * y;
    }
}
