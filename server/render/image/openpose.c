#include "render/image/openpose.h"

#include <math.h>
#include <string.h>

static const uint8_t COLORS[OPENPOSE_POINTS][3] = {
    {255, 0, 0}, {255, 85, 0}, {255, 170, 0}, {255, 255, 0}, {170, 255, 0}, {85, 255, 0},
    {0, 255, 0}, {0, 255, 85}, {0, 255, 170}, {0, 255, 255}, {0, 170, 255}, {0, 85, 255},
    {0, 0, 255}, {85, 0, 255}, {170, 0, 255}, {255, 0, 255}, {255, 0, 170}, {255, 0, 85}};

/* The ends of each limb, in the order in which they are painted. Limb n has COLORS[n]. */
enum { LIMBS = 17 };
static const uint8_t ENDS[LIMBS][2] = {{1, 2}, {1, 5},  {2, 3},   {3, 4},  {5, 6},   {6, 7},
                                       {1, 8}, {8, 9},  {9, 10},  {1, 11}, {11, 12}, {12, 13},
                                       {1, 0}, {0, 14}, {14, 16}, {0, 15}, {15, 17}};

/* Half the width of a limb and the radius of a joint, as a share of the picture's shorter side: 4 of 512 pixels. */
static const double HALF_WIDTH = 1.0 / 128;
/* Of a limb's colour: this many tenths. */
enum { LIMB_TENTHS = 6 };

/* An ellipse: points p with |(p - middle) . along| / length squared + |(p - middle) . across| / width squared <= 1. */
struct ellipse {
    double middle[2], along[2]; /* along: unit vector */
    double length, width;       /* half axes, pixels */
};

/* Returns a number of samples: `value` between 0 and `most`. */
static uint32_t clip(double value, uint32_t most) { return value > 0 ? (uint32_t)fmin(value, most) : 0; }

static void paint(const struct ellipse *shape, const uint8_t color[3], uint32_t width, uint32_t height, uint8_t *out)
{
    const double reach[2] = {hypot(shape->along[0] * shape->length, shape->along[1] * shape->width),
                             hypot(shape->along[1] * shape->length, shape->along[0] * shape->width)};
    const uint32_t left = clip(floor(shape->middle[0] - reach[0]), width),
                   right = clip(ceil(shape->middle[0] + reach[0]), width);
    const uint32_t top = clip(floor(shape->middle[1] - reach[1]), height),
                   bottom = clip(ceil(shape->middle[1] + reach[1]), height);
    for (uint32_t y = top; y < bottom; y++)
        for (uint32_t x = left; x < right; x++) {
            const double away[2] = {x + 0.5 - shape->middle[0], y + 0.5 - shape->middle[1]};
            const double along = (away[0] * shape->along[0] + away[1] * shape->along[1]) / shape->length;
            const double across = (away[1] * shape->along[0] - away[0] * shape->along[1]) / shape->width;
            uint8_t *to = out + ((size_t)(height - 1 - y) * width + x) * 4;
            if (along * along + across * across > 1)
                continue;
            memcpy(to, color, 3);
            to[3] = 255;
        }
}

static void paint_limb(const struct openpose_point *a, const struct openpose_point *b, const uint8_t color[3],
                       double half_width, uint32_t width, uint32_t height, uint8_t *out)
{
    const double length = hypot(b->x - a->x, b->y - a->y);
    const struct ellipse shape = {.middle = {(a->x + b->x) / 2, (a->y + b->y) / 2},
                                  .along = {(b->x - a->x) / length, (b->y - a->y) / length},
                                  .length = length / 2,
                                  .width = half_width};
    if (length > 0)
        paint(&shape, color, width, height, out);
}

void openpose_paint(const struct openpose_point points[OPENPOSE_POINTS], uint32_t width, uint32_t height, uint8_t *out)
{
    const double half_width = HALF_WIDTH * (width < height ? width : height);
    for (int limb = 0; limb < LIMBS; limb++) {
        const struct openpose_point *a = &points[ENDS[limb][0]], *b = &points[ENDS[limb][1]];
        const uint8_t color[3] = {(uint8_t)(COLORS[limb][0] * LIMB_TENTHS / 10),
                                  (uint8_t)(COLORS[limb][1] * LIMB_TENTHS / 10),
                                  (uint8_t)(COLORS[limb][2] * LIMB_TENTHS / 10)};
        if (a->is_there && b->is_there)
            paint_limb(a, b, color, half_width, width, height, out);
    }
    for (int p = 0; p < OPENPOSE_POINTS; p++) {
        const struct ellipse disc = {
            .middle = {points[p].x, points[p].y}, .along = {1, 0}, .length = half_width, .width = half_width};
        if (points[p].is_there)
            paint(&disc, COLORS[p], width, height, out);
    }
}
