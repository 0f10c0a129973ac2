/* x3d_swept.c - ElevationGrid and Extrusion (19775-1, 13.3.4 and 13.3.5). */
#include "import/x3d/x3d.h"

#include "anim/model/mat.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- ElevationGrid --- */

static int read_grid(const struct x3d *x3d, uint32_t element, struct x3d_surface *surface, struct err *err)
{
    double columns = 0, rows = 0, step_x = 1, step_z = 1, *heights;
    uint32_t count;
    if (x3d_get_numbers(x3d, element, "xDimension", &columns, 1, err) < 0 ||
        x3d_get_numbers(x3d, element, "zDimension", &rows, 1, err) < 0 ||
        x3d_get_numbers(x3d, element, "xSpacing", &step_x, 1, err) < 0 ||
        x3d_get_numbers(x3d, element, "zSpacing", &step_z, 1, err) < 0 ||
        x3d_numbers(x3d, element, "height", &heights, &count, err) < 0)
        return err->code;
    if (!(columns >= 2) || !(rows >= 2) || columns * rows > count) {
        free(heights);
        return columns * rows > count ? err_set(err, ERR_BAD_MODEL, "%s: %g times %g points, but %u heights",
                                                X3D_WHERE(x3d, element), columns, rows, count)
                                      : 0;
    }
    const uint32_t nx = (uint32_t)columns, nz = (uint32_t)rows;
    surface->point_count = nx * nz;
    surface->points = mem_alloc(surface->point_count * sizeof(double[3]));
    surface->texcoords = mem_alloc(surface->point_count * sizeof(double[2]));
    for (uint32_t i = 0; i < nx * nz; i++) {
        const double point[3] = {i % nx * step_x, heights[i], i / nx * step_z};
        memcpy(surface->points + 3 * (size_t)i, point, sizeof point);
        surface->texcoords[2 * (size_t)i] = (double)(i % nx) / (nx - 1);
        surface->texcoords[2 * (size_t)i + 1] = (double)(i / nx) / (nz - 1);
    }
    free(heights);
    for (uint32_t z = 0; z + 1 < nz; z++)
        for (uint32_t x = 0; x + 1 < nx; x++) {
            const uint32_t at = z * nx + x, quad[4] = {at, at + nx, at + nx + 1, at + 1};
            if (x3d_add_polygon(x3d, surface, quad, NULL, 4, 0, err) < 0)
                return err->code;
        }
    return 0;
}

/* --- Extrusion --- */

struct sweep {
    double *section, *spine, *scale, *orientation;
    uint32_t section_count, spine_count, scale_count, orientation_count;
};

static bool is_same(const double *a, const double *b, int count)
{
    for (int k = 0; k < count; k++)
        if (a[k] != b[k])
            return false;
    return true;
}

static void minus(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = a[k] - b[k];
}

/* Computes the y axes along the spine and the z axes across its bends. The z axes of straight parts stay 0. */
static void find_axes(const struct sweep *sweep, double (*y)[3], double (*z)[3])
{
    const double(*at)[3] = (const double(*)[3])sweep->spine;
    const uint32_t n = sweep->spine_count;
    const bool is_closed = n > 2 && is_same(at[0], at[n - 1], 3);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t before = i > 0 ? i - 1 : is_closed ? n - 2 : 0;
        const uint32_t after = i + 1 < n ? i + 1 : is_closed ? 1 : n - 1;
        double forth[3], back[3];
        minus(at[after], at[before], y[i]);
        unit3(y[i]);
        minus(at[after], at[i], forth);
        minus(at[before], at[i], back);
        unit3(forth);
        unit3(back);
        cross3(forth, back, z[i]);
        if (!(unit3(z[i]) > 1e-6))
            z[i][0] = z[i][1] = z[i][2] = 0;
    }
}

/* For a straight spine, the shortest rotation from (0, 1, 0) to the spine gives the z axis. */
static void straight_z(const double y[3], double out[3])
{
    double across[3];
    const double from[3] = {0, 1, 0};
    cross3(from, y, across);
    const double sine = unit3(across), cosine = y[1], z[3] = {0, 0, 1};
    double turned[3];
    memcpy(out, z, sizeof z);
    if (!(sine > 1e-9)) {
        out[2] = cosine < 0 ? -1 : 1;
        return;
    }
    cross3(across, z, turned);
    for (int k = 0; k < 3; k++)
        out[k] = z[k] * cosine + turned[k] * sine + across[k] * dot3(across, z) * (1 - cosine);
}

static void fill_axes(uint32_t n, const double (*y)[3], double (*z)[3])
{
    uint32_t first = 0;
    while (first < n && dot3(z[first], z[first]) == 0)
        first++;
    if (first == n)
        straight_z(y[0], z[0]);
    else
        memcpy(z[0], z[first], sizeof *z);
    for (uint32_t i = 1; i < n; i++) {
        if (dot3(z[i], z[i]) == 0)
            memcpy(z[i], z[i - 1], sizeof *z);
        else if (dot3(z[i], z[i - 1]) < 0)
            for (int k = 0; k < 3; k++)
                z[i][k] = -z[i][k];
    }
}

/* Rotates the vector about the axis turn[0..2] by turn[3] (Rodrigues' formula). */
static void turned(const double turn[4], const double v[3], double out[3])
{
    double axis[3] = {turn[0], turn[1], turn[2]}, across[3];
    if (!(unit3(axis) > 0)) {
        memcpy(out, v, sizeof(double[3]));
        return;
    }
    cross3(axis, v, across);
    for (int k = 0; k < 3; k++)
        out[k] = v[k] * cos(turn[3]) + across[k] * sin(turn[3]) + axis[k] * dot3(axis, v) * (1 - cos(turn[3]));
}

static void put_points(const struct sweep *sweep, struct x3d_surface *surface)
{
    const uint32_t n = sweep->spine_count, m = sweep->section_count;
    double(*y)[3] = mem_zalloc(n, sizeof *y), (*z)[3] = mem_zalloc(n, sizeof *z);
    find_axes(sweep, y, z);
    fill_axes(n, (const double(*)[3])y, z);
    for (uint32_t i = 0; i < n; i++) {
        double x[3];
        cross3(y[i], z[i], x);
        const uint32_t s = i < sweep->scale_count ? i : sweep->scale_count - 1;
        const uint32_t o = i < sweep->orientation_count ? i : sweep->orientation_count - 1;
        for (uint32_t k = 0; k < m; k++) {
            const size_t out = (size_t)i * m + k;
            const double flat[3] = {sweep->section[2 * k] * sweep->scale[2 * s], 0,
                                    sweep->section[2 * k + 1] * sweep->scale[2 * s + 1]};
            double at[3];
            turned(sweep->orientation + 4 * (size_t)o, flat, at);
            for (int a = 0; a < 3; a++)
                surface->points[3 * out + (size_t)a] =
                    sweep->spine[3 * (size_t)i + (size_t)a] + at[0] * x[a] + at[1] * y[i][a] + at[2] * z[i][a];
            surface->texcoords[2 * out] = m > 1 ? (double)k / (m - 1) : 0;
            surface->texcoords[2 * out + 1] = n > 1 ? (double)i / (n - 1) : 0;
        }
    }
    free(y);
    free(z);
}

static int put_cap(const struct x3d *x3d, const struct sweep *sweep, struct x3d_surface *surface, bool is_end,
                   struct err *err)
{
    const uint32_t m = sweep->section_count;
    const bool is_closed = is_same(sweep->section, sweep->section + 2 * (size_t)(m - 1), 2);
    const uint32_t count = is_closed ? m - 1 : m, first = is_end ? (sweep->spine_count - 1) * m : 0;
    if (count < 3)
        return 0;
    uint32_t *points = mem_alloc(count * sizeof *points);
    for (uint32_t k = 0; k < count; k++)
        points[k] = first + (is_end ? k : count - 1 - k);
    const int rc = x3d_add_polygon(x3d, surface, points, NULL, count, 0, err);
    free(points);
    return rc;
}

static int put_faces(const struct x3d *x3d, uint32_t element, const struct sweep *sweep, struct x3d_surface *surface,
                     struct err *err)
{
    const uint32_t m = sweep->section_count;
    for (uint32_t i = 0; i + 1 < sweep->spine_count; i++)
        for (uint32_t k = 0; k + 1 < m; k++) {
            const uint32_t at = i * m + k, quad[4] = {at, at + 1, at + m + 1, at + m};
            if (x3d_add_polygon(x3d, surface, quad, NULL, 4, 0, err) < 0)
                return err->code;
        }
    if (x3d_get_bool(&x3d->xml, element, "beginCap", true) && put_cap(x3d, sweep, surface, false, err) < 0)
        return err->code;
    return x3d_get_bool(&x3d->xml, element, "endCap", true) ? put_cap(x3d, sweep, surface, true, err) : 0;
}

/* Reads an attribute's numbers, or its default. */
static int read_list(const struct x3d *x3d, uint32_t element, const char *attribute, const double *fallback,
                     uint32_t fallback_count, uint32_t components, double **out, uint32_t *count, struct err *err)
{
    if (x3d_numbers(x3d, element, attribute, out, count, err) < 0)
        return err->code;
    if (*count < components) {
        free(*out);
        *count = fallback_count * components;
        *out = mem_alloc(*count * sizeof **out);
        memcpy(*out, fallback, *count * sizeof **out);
    }
    *count /= components;
    return 0;
}

static int read_sweep(const struct x3d *x3d, uint32_t element, struct sweep *out, struct err *err)
{
    static const double SECTION[] = {1, 1, 1, -1, -1, -1, -1, 1, 1, 1}, SPINE[] = {0, 0, 0, 0, 1, 0}, SCALE[] = {1, 1},
                        ORIENTATION[] = {0, 0, 1, 0};
    if (read_list(x3d, element, "crossSection", SECTION, 5, 2, &out->section, &out->section_count, err) < 0 ||
        read_list(x3d, element, "spine", SPINE, 2, 3, &out->spine, &out->spine_count, err) < 0 ||
        read_list(x3d, element, "scale", SCALE, 1, 2, &out->scale, &out->scale_count, err) < 0 ||
        read_list(x3d, element, "orientation", ORIENTATION, 1, 4, &out->orientation, &out->orientation_count, err) < 0)
        return err->code;
    const uint64_t count = (uint64_t)out->section_count * out->spine_count;
    return import_check_limit(x3d->import, LIMIT_VERTICES, 0, count, X3D_WHERE(x3d, element), err);
}

static int read_extrusion(const struct x3d *x3d, uint32_t element, struct x3d_surface *surface, struct err *err)
{
    struct sweep sweep = {0};
    int rc = read_sweep(x3d, element, &sweep, err);
    if (rc == 0) {
        surface->point_count = sweep.section_count * sweep.spine_count;
        surface->points = mem_alloc(surface->point_count * sizeof(double[3]));
        surface->texcoords = mem_alloc(surface->point_count * sizeof(double[2]));
        put_points(&sweep, surface);
        rc = put_faces(x3d, element, &sweep, surface, err);
    }
    free(sweep.section);
    free(sweep.spine);
    free(sweep.scale);
    free(sweep.orientation);
    return rc;
}

int x3d_swept(const struct x3d *x3d, uint32_t element, struct x3d_surface *surface, struct err *err)
{
    surface->topology = TOPOLOGY_TRIANGLES;
    return xml_is(&x3d->xml, element, "Extrusion") ? read_extrusion(x3d, element, surface, err)
                                                   : read_grid(x3d, element, surface, err);
}
