#include "paint.h"

#include <math.h>
#include <png.h>
#include <stdlib.h>

struct color color_of(unsigned rgb)
{
    return (struct color){(rgb >> 16 & 255) / 255.0, (rgb >> 8 & 255) / 255.0, (rgb & 255) / 255.0};
}

struct color color_mix(struct color a, struct color b, double share_of_b)
{
    const double s = share_of_b, t = 1 - s;
    return (struct color){a.r * t + b.r * s, a.g * t + b.g * s, a.b * t + b.b * s};
}

struct color color_scale(struct color a, double s) { return (struct color){a.r * s, a.g * s, a.b * s}; }

static uint8_t to_byte(double value) { return (uint8_t)lround(255.0 * fmin(fmax(value, 0.0), 1.0)); }

void canvas_paint(struct canvas *canvas, struct rect rect, struct color (*paint)(double u, double v))
{
    for (int y = 0; y < rect.height; y++)
        for (int x = 0; x < rect.width; x++) {
            const double u = (x + 0.5 - CANVAS_MARGIN) / (rect.width - 2 * CANVAS_MARGIN);
            const double v = (y + 0.5 - CANVAS_MARGIN) / (rect.height - 2 * CANVAS_MARGIN);
            const struct color color = paint(fmin(fmax(u, 0), 1), fmin(fmax(v, 0), 1));
            uint8_t *pixel = canvas->pixels[rect.y + y][rect.x + x];
            pixel[0] = to_byte(color.r);
            pixel[1] = to_byte(color.g);
            pixel[2] = to_byte(color.b);
        }
}

void canvas_bump(struct canvas *canvas, struct rect rect, double (*height)(double u, double v))
{
    const double step_u = 1.0 / (rect.width - 2 * CANVAS_MARGIN), step_v = 1.0 / (rect.height - 2 * CANVAS_MARGIN);
    for (int y = 0; y < rect.height; y++)
        for (int x = 0; x < rect.width; x++) {
            const double u = fmin(fmax((x + 0.5 - CANVAS_MARGIN) * step_u, 0), 1);
            const double v = fmin(fmax((y + 0.5 - CANVAS_MARGIN) * step_v, 0), 1);
            /* rows go down, the green axis goes up */
            const double right = (height(u + step_u, v) - height(u - step_u, v)) / 2;
            const double up = (height(u, v - step_v) - height(u, v + step_v)) / 2;
            const double length = sqrt(right * right + up * up + 1);
            uint8_t *pixel = canvas->pixels[rect.y + y][rect.x + x];
            pixel[0] = to_byte(0.5 - 0.5 * right / length);
            pixel[1] = to_byte(0.5 - 0.5 * up / length);
            pixel[2] = to_byte(0.5 + 0.5 / length);
        }
}

static struct color fill;
static struct color paint_fill(double u, double v)
{
    (void)u;
    (void)v;
    return fill;
}

void canvas_fill(struct canvas *canvas, struct color color)
{
    fill = color;
    canvas_paint(canvas, (struct rect){0, 0, CANVAS_SIDE, CANVAS_SIDE}, paint_fill);
}

/* A repeatable value in 0..1 for a grid point (integer hash after Thomas Mueller's, public domain constants). */
static double grain(int x, int y, unsigned seed)
{
    unsigned h = (unsigned)x * 0x9e3779b1u ^ ((unsigned)y * 0x85ebca77u + seed * 0xc2b2ae3du);
    h = ((h >> 16) ^ h) * 0x45d9f3bu;
    h = ((h >> 16) ^ h) * 0x45d9f3bu;
    return ((h >> 16) ^ h) / 4294967296.0;
}

static int wrap(int x, int period) { return (x % period + period) % period; }

double smooth(double low, double high, double x)
{
    const double s = fmin(fmax((x - low) / (high - low), 0), 1);
    return s * s * (3 - 2 * s);
}

double noise(double u, double v, int period, unsigned seed)
{
    const double x = u * period, y = v * period;
    const int xi = (int)floor(x), yi = (int)floor(y);
    const double fx = smooth(0, 1, x - xi), fy = smooth(0, 1, y - yi);
    const int x0 = wrap(xi, period), x1 = wrap(xi + 1, period);
    const double low = grain(x0, yi, seed) * (1 - fx) + grain(x1, yi, seed) * fx;
    const double high = grain(x0, yi + 1, seed) * (1 - fx) + grain(x1, yi + 1, seed) * fx;
    return low * (1 - fy) + high * fy;
}

double cells(double u, double v, int period, unsigned seed)
{
    const double x = u * period, y = v * period;
    double nearest = 9;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            const int cx = (int)floor(x) + dx, cy = (int)floor(y) + dy;
            const double px = cx + 0.2 + 0.6 * grain(wrap(cx, period), cy, seed);
            const double py = cy + 0.2 + 0.6 * grain(wrap(cx, period), cy, seed + 7);
            nearest = fmin(nearest, sqrt((px - x) * (px - x) + (py - y) * (py - y)));
        }
    return nearest;
}

static void append(png_structp png, png_bytep bytes, size_t size) { buf_put(png_get_io_ptr(png), bytes, size); }
static void no_flush(png_structp png) { (void)png; }

void canvas_png(const struct canvas *canvas, struct buf *out)
{
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    if (info == NULL || setjmp(png_jmpbuf(png)))
        abort();
    png_set_write_fn(png, out, append, no_flush);
    png_set_IHDR(png, info, CANVAS_SIDE, CANVAS_SIDE, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_BASE, PNG_FILTER_TYPE_BASE);
    png_write_info(png, info);
    for (int y = 0; y < CANVAS_SIDE; y++)
        png_write_row(png, &canvas->pixels[y][0][0]);
    png_write_end(png, NULL);
    png_destroy_write_struct(&png, &info);
}
