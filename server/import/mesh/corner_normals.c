#include "import/mesh/corner_normals.h"

#include "anim/model/mat.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* 50 degrees */
static const double EDGE_COSINE = 0.64278760968653936;
/* With more corners at a point, it is smooth, like the tip of a cone. This limits the time for pairs. */
enum { TIP_CORNERS = 256 };

/* A corner with data from its face. */
struct corner {
    double face_normal[3]; /* unit vector, or 0 */
    double angle;          /* in radians */
    uint32_t polygon;
    uint32_t before, after; /* corners of its polygon */
};

struct surface {
    const struct polygons *polygons;
    const struct smoothing *smoothing;
    struct corner *corners;
    uint32_t corner_count;
};

static void difference(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = a[k] - b[k];
}

static const double *point_at(const struct surface *surface, uint32_t corner)
{
    return surface->polygons->points[surface->polygons->corners[corner]];
}

/* Newell's sum about the first corner. */
static void face_normal(const struct surface *surface, uint32_t begin, uint32_t end, double out[3])
{
    const double *origin = point_at(surface, begin);
    out[0] = out[1] = out[2] = 0;
    for (uint32_t c = begin + 1; c + 1 < end; c++) {
        double a[3], b[3], part[3];
        difference(point_at(surface, c), origin, a);
        difference(point_at(surface, c + 1), origin, b);
        cross3(a, b, part);
        for (int k = 0; k < 3; k++)
            out[k] += part[k];
    }
    const double length = unit3(out);
    if (!(length > 0) || !isfinite(length))
        out[0] = out[1] = out[2] = 0;
}

static double angle_at(const struct surface *surface, const struct corner *corner, uint32_t c)
{
    double a[3], b[3], across[3];
    difference(point_at(surface, corner->after), point_at(surface, c), a);
    difference(point_at(surface, corner->before), point_at(surface, c), b);
    cross3(a, b, across);
    const double angle = atan2(sqrt(dot3(across, across)), dot3(a, b));
    return isfinite(angle) ? angle : 0;
}

static void read_faces(struct surface *surface)
{
    const struct polygons *polygons = surface->polygons;
    for (uint32_t p = 0; p < polygons->polygon_count; p++) {
        const uint32_t begin = polygons->starts[p], end = polygons->starts[p + 1];
        double normal[3];
        face_normal(surface, begin, end, normal);
        for (uint32_t c = begin; c < end; c++) {
            struct corner *corner = &surface->corners[c];
            memcpy(corner->face_normal, normal, sizeof normal);
            corner->polygon = p;
            corner->before = c == begin ? end - 1 : c - 1;
            corner->after = c + 1 == end ? begin : c + 1;
            corner->angle = angle_at(surface, corner, c);
        }
    }
}

/* Whether two corners at one point share a soft edge that starts there. */
static bool has_soft_edge(const struct surface *surface, uint32_t c, uint32_t d)
{
    const uint32_t *points = surface->polygons->corners;
    const uint8_t *is_hard = surface->smoothing->is_hard;
    const struct corner *a = &surface->corners[c], *b = &surface->corners[d];
    /* Each edge with the corner where it begins on its side. */
    const uint32_t a_ends[2] = {a->after, a->before}, a_begins[2] = {c, a->before};
    const uint32_t b_ends[2] = {b->after, b->before}, b_begins[2] = {d, b->before};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++)
            if (points[a_ends[i]] == points[b_ends[k]] && !is_hard[a_begins[i]] && !is_hard[b_begins[k]])
                return true;
    return false;
}

/* Numbers the parts into which hard edges divide the corners round a point. */
static void find_parts(const struct surface *surface, const uint32_t *at, uint32_t count, uint16_t parts[TIP_CORNERS])
{
    for (uint32_t i = 0; i < count; i++)
        parts[i] = (uint16_t)i;
    for (uint32_t i = 1; i < count; i++)
        for (uint32_t k = 0; k < i; k++) {
            const uint16_t old = parts[i], joined = parts[k];
            if (old == joined || !has_soft_edge(surface, at[i], at[k]))
                continue;
            for (uint32_t m = 0; m <= i; m++)
                if (parts[m] == old)
                    parts[m] = joined;
        }
}

static bool is_smooth(const struct surface *surface, const uint32_t *at, const uint16_t *parts, uint32_t i, uint32_t k)
{
    const struct corner *a = &surface->corners[at[i]], *b = &surface->corners[at[k]];
    if (a->polygon == b->polygon)
        return true;
    switch (surface->smoothing->kind) {
    case SMOOTHING_BY_GROUPS: {
        const uint32_t *groups = surface->smoothing->groups;
        return (groups[a->polygon] & groups[b->polygon]) != 0;
    }
    case SMOOTHING_BY_EDGES:
        return parts[i] == parts[k];
    case SMOOTHING_BY_CREASE:
        return dot3(a->face_normal, b->face_normal) > surface->smoothing->crease_cosine;
    case SMOOTHING_BY_ANGLE:
        break;
    }
    return dot3(a->face_normal, b->face_normal) > EDGE_COSINE;
}

static struct vec3 unit_of(const double sum[3])
{
    double unit[3] = {sum[0], sum[1], sum[2]};
    return unit3(unit) > 1e-9 ? (struct vec3){(float)unit[0], (float)unit[1], (float)unit[2]} : (struct vec3){0, 0, 1};
}

static void add_face(const struct corner *corner, double sum[3])
{
    for (int k = 0; k < 3; k++)
        sum[k] += corner->face_normal[k] * corner->angle;
}

static void normals_at_point(const struct surface *surface, const uint32_t *at, uint32_t count, struct vec3 *out)
{
    uint16_t parts[TIP_CORNERS];
    const bool is_tip = count > TIP_CORNERS;
    double all[3] = {0};
    for (uint32_t i = 0; is_tip && i < count; i++)
        add_face(&surface->corners[at[i]], all);
    if (!is_tip && surface->smoothing->kind == SMOOTHING_BY_EDGES)
        find_parts(surface, at, count, parts);
    for (uint32_t i = 0; i < count; i++) {
        double sum[3] = {0};
        for (uint32_t k = 0; !is_tip && k < count; k++)
            if (is_smooth(surface, at, parts, i, k))
                add_face(&surface->corners[at[k]], sum);
        out[at[i]] = unit_of(is_tip ? all : sum);
    }
}

void corner_normals(const struct polygons *polygons, const struct smoothing *smoothing, struct vec3 *out)
{
    const uint32_t corner_count = polygons->starts[polygons->polygon_count];
    struct surface surface = {polygons, smoothing, mem_alloc(corner_count * sizeof *surface.corners), corner_count};
    read_faces(&surface);
    /* Counting sort of the corners by their point. */
    uint32_t *ends = mem_zalloc((size_t)polygons->point_count + 1, sizeof *ends);
    uint32_t *at = mem_alloc(corner_count * sizeof *at);
    for (uint32_t c = 0; c < corner_count; c++)
        ends[polygons->corners[c] + 1]++;
    for (uint32_t p = 0; p < polygons->point_count; p++)
        ends[p + 1] += ends[p];
    for (uint32_t c = 0; c < corner_count; c++)
        at[ends[polygons->corners[c]]++] = c;
    for (uint32_t p = 0, begin = 0; p < polygons->point_count; begin = ends[p++])
        normals_at_point(&surface, at + begin, ends[p] - begin, out);
    free(surface.corners);
    free(ends);
    free(at);
}
