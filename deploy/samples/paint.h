/* paint.h - a square RGB picture painted by functions, and its PNG. Colours are sRGB, 0..1. */
#pragma once

#include "base/buf.h"

#include <stdint.h>

enum { CANVAS_SIDE = 512 };

struct color {
    double r, g, b;
};

/* A part's place in the picture, in pixels; texture coordinates keep `CANVAS_MARGIN` pixels away from its edge, so that
 * smaller mip levels do not mix neighbours. */
struct rect {
    int x, y, width, height;
};
enum { CANVAS_MARGIN = 6 };

struct canvas {
    uint8_t pixels[CANVAS_SIDE][CANVAS_SIDE][3];
};

struct color color_of(unsigned rgb); /* 0xff8800 */
struct color color_mix(struct color a, struct color b, double share_of_b);
struct color color_scale(struct color a, double s);

/* Calls `paint` for each pixel with u, v in 0..1 within the rectangle's texture coordinates. */
void canvas_paint(struct canvas *canvas, struct rect rect, struct color (*paint)(double u, double v));

/* The normals of a surface with bumps, as glTF's normal textures have them: `height` in pixels of the picture. */
void canvas_bump(struct canvas *canvas, struct rect rect, double (*height)(double u, double v));
void canvas_fill(struct canvas *canvas, struct color color);

/* Smooth noise in 0..1 that repeats after `period` cells in u. */
double noise(double u, double v, int period, unsigned seed);
/* Distance (0..~0.7, in cells) to the nearest of a jittered grid of points: cells, scales, spots. Repeats in u. */
double cells(double u, double v, int period, unsigned seed);
double smooth(double low, double high, double x); /* 0 below low, 1 above high, an S between */

/* Appends a PNG file. */
void canvas_png(const struct canvas *canvas, struct buf *out);
