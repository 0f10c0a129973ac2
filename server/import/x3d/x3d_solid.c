/* x3d_solid.c - generates boxes and solids of revolution with the texture coordinates of 19775-1, 13.3. */
#include "import/x3d/x3d.h"

#include "base/mem.h"

#include <math.h>
#include <string.h>

enum { SIDES = 48, RINGS = 24, POINTS_MAX = (SIDES + 1) * (RINGS + 1) };

/* A generated solid: points, each with its own texture coordinates. */
struct body {
    const struct x3d *x3d;
    struct x3d_surface *surface;
    struct err *err;
    int rc;
};

static uint32_t put(struct body *body, double x, double y, double z, double s, double t)
{
    struct x3d_surface *surface = body->surface;
    const size_t at = surface->point_count++;
    const double point[3] = {x, y, z};
    memcpy(surface->points + 3 * at, point, sizeof point);
    surface->texcoords[2 * at] = s;
    surface->texcoords[2 * at + 1] = t;
    return (uint32_t)at;
}

static void face(struct body *body, const uint32_t *points, uint32_t count)
{
    if (body->rc == 0)
        body->rc = x3d_add_polygon(body->x3d, body->surface, points, NULL, count, 0, body->err);
}

static void put_box(struct body *body, const double size[3])
{
    /* For each side: its normal's axis and sign, and the directions of s and t. */
    static const double SIDES_OF_BOX[6][3][3] = {
        {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}},  {{0, 0, -1}, {-1, 0, 0}, {0, 1, 0}}, {{1, 0, 0}, {0, 0, -1}, {0, 1, 0}},
        {{-1, 0, 0}, {0, 0, 1}, {0, 1, 0}}, {{0, 1, 0}, {1, 0, 0}, {0, 0, -1}},  {{0, -1, 0}, {1, 0, 0}, {0, 0, 1}},
    };
    static const double CORNERS[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    for (int i = 0; i < 6; i++) {
        uint32_t points[4];
        for (int c = 0; c < 4; c++) {
            double at[3];
            for (int k = 0; k < 3; k++)
                at[k] = (SIDES_OF_BOX[i][0][k] + CORNERS[c][0] * SIDES_OF_BOX[i][1][k] +
                         CORNERS[c][1] * SIDES_OF_BOX[i][2][k]) *
                        size[k] / 2;
            points[c] = put(body, at[0], at[1], at[2], (CORNERS[c][0] + 1) / 2, (CORNERS[c][1] + 1) / 2);
        }
        face(body, points, 4);
    }
}

/* Adds a band between two circles around y; one may be a point. s starts at -z and runs counterclockwise seen from
 * above. */
static void put_band(struct body *body, const double low[2], const double high[2], double low_t, double high_t)
{
    for (int i = 0; i < SIDES; i++) {
        uint32_t points[4];
        const double s[2] = {(double)i / SIDES, (i + 1.0) / SIDES};
        double at[2][2];
        for (int k = 0; k < 2; k++) {
            const double angle = 2 * acos(-1) * (i + k == SIDES ? 0 : s[k]);
            at[k][0] = -sin(angle);
            at[k][1] = -cos(angle);
        }
        uint32_t count = 0;
        points[count++] = put(body, low[0] * at[0][0], low[1], low[0] * at[0][1], s[0], low_t);
        if (low[0] > 0)
            points[count++] = put(body, low[0] * at[1][0], low[1], low[0] * at[1][1], s[1], low_t);
        points[count++] = put(body, high[0] * at[1][0], high[1], high[0] * at[1][1], s[1], high_t);
        if (high[0] > 0)
            points[count++] = put(body, high[0] * at[0][0], high[1], high[0] * at[0][1], s[0], high_t);
        face(body, points, count);
    }
}

static void put_disc(struct body *body, double radius, double y, bool is_top)
{
    uint32_t points[SIDES];
    for (int i = 0; i < SIDES; i++) {
        const double angle = 2 * acos(-1) * i / SIDES;
        const double x = -sin(angle), z = -cos(angle);
        points[is_top ? i : SIDES - 1 - i] =
            put(body, radius * x, y, radius * z, (1 + x) / 2, (1 + (is_top ? -z : z)) / 2);
    }
    face(body, points, SIDES);
}

static void put_sphere(struct body *body, double radius)
{
    for (int i = 0; i < RINGS; i++) {
        double ends[2][2];
        for (int k = 0; k < 2; k++) {
            const double angle = acos(-1) * ((double)(i + k) / RINGS - 0.5);
            ends[k][0] = i + k == 0 || i + k == RINGS ? 0 : radius * cos(angle);
            ends[k][1] = radius * sin(angle);
        }
        put_band(body, ends[0], ends[1], (double)i / RINGS, (i + 1.0) / RINGS);
    }
}

static int put_round(struct body *body, uint32_t element, struct err *err)
{
    const struct x3d *x3d = body->x3d;
    const bool is_cone = xml_is(&x3d->xml, element, "Cone");
    double radius = 1, height = 2;
    if (x3d_get_numbers(x3d, element, is_cone ? "bottomRadius" : "radius", &radius, 1, err) < 0 ||
        x3d_get_numbers(x3d, element, "height", &height, 1, err) < 0)
        return err->code;
    double top = is_cone ? 0 : radius;
    if (is_cone && x3d_get_numbers(x3d, element, "topRadius", &top, 1, err) < 0)
        return err->code;
    const double low[2] = {fabs(radius), -height / 2}, high[2] = {fabs(top), height / 2};
    if (x3d_get_bool(&x3d->xml, element, "side", true))
        put_band(body, low, high, 0, 1);
    if (x3d_get_bool(&x3d->xml, element, "bottom", true) && low[0] > 0)
        put_disc(body, low[0], low[1], false);
    if (high[0] > 0 && x3d_get_bool(&x3d->xml, element, "top", true))
        put_disc(body, high[0], high[1], true);
    return 0;
}

int x3d_solid(const struct x3d *x3d, uint32_t element, struct x3d_surface *surface, struct err *err)
{
    static const double SMOOTH_BELOW = 1; /* radians: sides are smooth, and meet their discs at a hard edge */
    struct body body = {.x3d = x3d, .surface = surface, .err = err};
    double size[3] = {2, 2, 2}, radius = 1;
    if (x3d_get_numbers(x3d, element, "size", size, 3, err) < 0 ||
        x3d_get_numbers(x3d, element, "radius", &radius, 1, err) < 0)
        return err->code;
    surface->points = mem_alloc(sizeof(double[4 * POINTS_MAX][3]));
    surface->texcoords = mem_alloc(sizeof(double[4 * POINTS_MAX][2]));
    surface->topology = TOPOLOGY_TRIANGLES;
    surface->is_clockwise = false;
    surface->crease_cosine = xml_is(&x3d->xml, element, "Box") ? 1 : cos(SMOOTH_BELOW);
    if (xml_is(&x3d->xml, element, "Box"))
        put_box(&body, size);
    else if (xml_is(&x3d->xml, element, "Sphere"))
        put_sphere(&body, fabs(radius));
    else if (put_round(&body, element, err) < 0)
        return err->code;
    return body.rc;
}
