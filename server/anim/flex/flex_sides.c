/* flex_sides.c - from which side a bend zone is seen best: pictures of the zone look from there. The surface at rest is
 * drawn once from each side with a depth buffer, and each triangle's pixels are counted. */
#include "anim/flex/flex_internal.h"

#include "anim/camera/camera.h"

#include <math.h>
#include <stdlib.h>

enum {
    SIDE_PIXELS = 512, /* of the width and height of the drawing: of a person a pixel is 4 mm */
    PIXELS = SIDE_PIXELS * SIDE_PIXELS,
    TRIED_MOST = 32 << 20, /* pixels that are tried for a side; triangles after that are not drawn */
};
static const uint32_t NO_TRIANGLE = UINT32_MAX;

/* The first is that of pictures without yaw= and pitch=. */
static const struct flex_side SIDES[FLEX_SIDES] = {{35, 15},  {-35, 15},  {145, 15},  {-145, 15},
                                                   {35, -35}, {-35, -35}, {145, -35}, {-145, -35}};
/* A side other than the first is worth the change only if it shows so much more. */
static const double BETTER = 1.25;

/* The drawing of one side. */
struct drawing {
    struct camera camera;
    float *nearest;      /* [SIDE_PIXELS * SIDE_PIXELS]: along the view's z, which grows towards the eye */
    uint32_t *triangles; /* the triangle there, or NO_TRIANGLE */
    uint64_t tried;
};

static struct camera camera_of(const struct flex *flex, const struct flex_side *side)
{
    const struct model_info *info = flex->model->infos;
    struct box box = BOX_EMPTY;
    struct vec3 corners[8];
    for (uint32_t e = 0; e < flex->surface.entry_count; e++)
        box_add(&box, DOUBLE3(flex->surface.rest[e]));
    for (int c = 0; c < 8; c++)
        corners[c] =
            (struct vec3){(float)((c & 1) != 0 ? box.max : box.min)[0], (float)((c & 2) != 0 ? box.max : box.min)[1],
                          (float)((c & 4) != 0 ? box.max : box.min)[2]};
    struct camera_query query = {.yaw_deg = side->yaw_deg, .pitch_deg = side->pitch_deg, .is_ortho = true, .aspect = 1};
    for (int i = 0; i < 3; i++) {
        query.up[i] = (double)info->up[i];
        query.forward[i] = (double)info->forward[i];
    }
    return camera_frame(&query, corners, 8);
}

/* Returns the place of an entry in the drawing: pixels, and along the view's z. */
static void place_of(const struct flex *flex, const struct drawing *drawing, uint32_t entry, double out[3])
{
    dmat4_point(&drawing->camera.view_from_scene, DOUBLE3(flex->surface.rest[entry]), out);
    for (int i = 0; i < 2; i++)
        out[i] = (out[i] / drawing->camera.half[i] + 1) * (SIDE_PIXELS / 2);
}

/* Draws a triangle from both sides, by barycentric coordinates at the middles of pixels. */
static void draw(const struct flex *flex, struct drawing *drawing, uint32_t triangle)
{
    double p[3][3];
    int first[2], end[2];
    for (int i = 0; i < 3; i++)
        place_of(flex, drawing, flex->surface.corners[3 * triangle + (uint32_t)i], p[i]);
    for (int i = 0; i < 2; i++) {
        const double least = fmin(p[0][i], fmin(p[1][i], p[2][i])), most = fmax(p[0][i], fmax(p[1][i], p[2][i]));
        first[i] = (int)fmin(SIDE_PIXELS, fmax(0, ceil(least - 0.5)));
        end[i] = (int)fmin(SIDE_PIXELS, fmax(0, floor(most - 0.5) + 1));
    }
    const double area = (p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[2][0] - p[0][0]) * (p[1][1] - p[0][1]);
    if (!(fabs(area) > 0) || end[0] <= first[0] || end[1] <= first[1])
        return;
    drawing->tried += (uint64_t)(end[0] - first[0]) * (uint64_t)(end[1] - first[1]);
    for (int y = first[1]; y < end[1] && drawing->tried <= TRIED_MOST; y++)
        for (int x = first[0]; x < end[0]; x++) {
            const double dx = x + 0.5 - p[0][0], dy = y + 0.5 - p[0][1];
            const double b = (dx * (p[2][1] - p[0][1]) - (p[2][0] - p[0][0]) * dy) / area;
            const double c = ((p[1][0] - p[0][0]) * dy - dx * (p[1][1] - p[0][1])) / area;
            const float z = (float)(p[0][2] + b * (p[1][2] - p[0][2]) + c * (p[2][2] - p[0][2]));
            const size_t at = (size_t)y * SIDE_PIXELS + (size_t)x;
            if (b < 0 || c < 0 || b + c > 1 || (drawing->triangles[at] != NO_TRIANGLE && z <= drawing->nearest[at]))
                continue;
            drawing->nearest[at] = z;
            drawing->triangles[at] = triangle;
        }
}

/* Draws one side, and counts its pixels. */
static void see(struct flex *flex, struct drawing *drawing, uint32_t side)
{
    const uint32_t count = flex->surface.triangle_count;
    memset(drawing->triangles, 0xff, PIXELS * sizeof(uint32_t));
    drawing->camera = camera_of(flex, &SIDES[side]);
    drawing->tried = 0;
    for (uint32_t t = 0; t < count; t++)
        draw(flex, drawing, t);
    for (uint32_t i = 0; i < PIXELS; i++)
        if (drawing->triangles[i] != NO_TRIANGLE)
            flex->seen[(size_t)side * count + drawing->triangles[i]]++;
}

int flex_sides_see(struct flex *flex)
{
    const uint64_t count = (uint64_t)FLEX_SIDES * flex->surface.triangle_count;
    struct drawing drawing = {0};
    if (count == 0)
        return 0;
    bool is_good = flex_spend(flex, 0, count / 4) && flex_array(flex, &drawing.nearest, PIXELS, sizeof(float)) &&
                   flex_array(flex, &drawing.triangles, PIXELS, sizeof(uint32_t)) &&
                   flex_array(flex, &flex->seen, count, sizeof *flex->seen);
    if (is_good)
        memset(flex->seen, 0, (size_t)count * sizeof *flex->seen);
    for (uint32_t side = 0; side < FLEX_SIDES && is_good; side++) {
        see(flex, &drawing, side);
        is_good = flex_spend(flex, 0, 0);
    }
    free(drawing.nearest);
    free(drawing.triangles);
    return is_good ? 0 : flex->err->code;
}

struct flex_side flex_side_of_zone(const struct flex *flex)
{
    uint64_t best = 0;
    uint32_t chosen = 0;
    for (uint32_t side = 0; side < FLEX_SIDES; side++) {
        uint64_t area = 0;
        for (uint32_t i = 0; i < flex->zone.triangle_count; i++)
            area += flex->seen[(size_t)side * flex->surface.triangle_count + flex->zone.triangles[i]];
        if (side == 0 || (double)area > BETTER * (double)best) {
            best = area;
            chosen = side;
        }
    }
    return SIDES[chosen];
}
