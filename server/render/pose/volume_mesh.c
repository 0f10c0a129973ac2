/* volume_mesh.c - circles, edges and arcs of volumes, mapped to the scene, as three-sided beams. */
#include "render/pose/volume_mesh.h"

#include "anim/shape/volume.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    CIRCLE = 24, /* segments */
    SIDES = 3,
    BEAM_VERTICES = 6 * SIDES,
    BEAMS_MOST = 4 * CIRCLE + 4 /* per volume: two circles, two arcs at each end, four lines */
};
static const double TURN = 6.283185307179586;
static const double THICKNESS = 0.0016;                                              /* of the size of all volumes */
static const struct rgba8 FITTED = {70, 190, 120, 255}, GIVEN = {255, 120, 20, 255}; /* linear */

/* The wires of a volume while they are made. */
struct wires {
    struct skeleton_mesh *mesh; /* NULL: only the box grows */
    struct box *box;
    struct dmat4 scene_from_joint;
    struct rgba8 color;
    uint32_t node;
    double radius;
};

static void put_corner(struct wires *wires, const double at[3], const double normal[3])
{
    struct skeleton_mesh *mesh = wires->mesh;
    const uint32_t v = mesh->vertex_count++;
    mesh->positions[v] = (struct vec3){(float)at[0], (float)at[1], (float)at[2]};
    mesh->normals[v] = (struct vec3){(float)normal[0], (float)normal[1], (float)normal[2]};
    mesh->colors[v] = wires->color;
    mesh->nodes[v] = wires->node;
}

/* Adds the side of a beam between corners k and k + 1 of its rings. */
static void put_side(struct wires *wires, const double ends[2][3], double ring[SIDES][3], int k)
{
    double corners[4][3], normal[3];
    const double *a = ring[k], *b = ring[(k + 1) % SIDES];
    for (int i = 0; i < 3; i++) {
        corners[0][i] = ends[0][i] + wires->radius * a[i];
        corners[1][i] = ends[0][i] + wires->radius * b[i];
        corners[2][i] = ends[1][i] + wires->radius * b[i];
        corners[3][i] = ends[1][i] + wires->radius * a[i];
        normal[i] = a[i] + b[i];
    }
    unit3(normal);
    static const int ORDER[6] = {0, 1, 2, 0, 2, 3};
    for (int c = 0; c < 6; c++)
        put_corner(wires, corners[ORDER[c]], normal);
}

/* Adds a line in joint space. */
static void put_line(struct wires *wires, const double from[3], const double to[3])
{
    double ends[2][3], along[3], side[3], other[3], ring[SIDES][3], helper[3] = {0, 0, 0};
    dmat4_point(&wires->scene_from_joint, from, ends[0]);
    dmat4_point(&wires->scene_from_joint, to, ends[1]);
    if (wires->mesh == NULL) {
        box_add(wires->box, ends[0]);
        box_add(wires->box, ends[1]);
        return;
    }
    for (int i = 0; i < 3; i++)
        along[i] = ends[1][i] - ends[0][i];
    if (!(unit3(along) > 0))
        return;
    helper[fabs(along[1]) < 0.8 ? 1 : 0] = 1;
    cross3(along, helper, side);
    unit3(side);
    cross3(along, side, other);
    for (int k = 0; k < SIDES; k++)
        for (int i = 0; i < 3; i++)
            ring[k][i] = cos(TURN * k / SIDES) * side[i] + sin(TURN * k / SIDES) * other[i];
    for (int k = 0; k < SIDES; k++)
        put_side(wires, (const double(*)[3])ends, ring, k);
}

/* Adds the part of a circle from `x` towards `y`, both as long as the radius. */
static void put_arc(struct wires *wires, const double middle[3], const double x[3], const double y[3], int segments)
{
    double before[3], at[3];
    for (int s = 0; s <= segments; s++) {
        for (int i = 0; i < 3; i++)
            at[i] = middle[i] + cos(TURN * s / CIRCLE) * x[i] + sin(TURN * s / CIRCLE) * y[i];
        if (s > 0)
            put_line(wires, before, at);
        memcpy(before, at, sizeof before);
    }
}

/* Makes three perpendicular vectors as long as `radius`, the first along the axis. */
static void find_axes(const double axis[3], double radius, double out[3][3])
{
    double helper[3] = {0, 0, 0};
    memcpy(out[0], axis, sizeof out[0]);
    if (!(unit3(out[0]) > 0))
        out[0][1] = 1;
    helper[fabs(out[0][1]) < 0.8 ? 1 : 0] = 1;
    cross3(out[0], helper, out[1]);
    unit3(out[1]);
    cross3(out[0], out[1], out[2]);
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < 3; i++)
            out[a][i] *= radius;
}

static void put_capsule(struct wires *wires, const struct hit_volume *volume)
{
    double ends[2][3], axis[3], axes[3][3];
    for (int i = 0; i < 3; i++) {
        ends[0][i] = (double)volume->center[i];
        ends[1][i] = (double)volume->end[i];
        axis[i] = ends[1][i] - ends[0][i];
    }
    find_axes(axis, (double)volume->radius, axes);
    for (int e = 0; e < 2; e++) {
        put_arc(wires, ends[e], axes[1], axes[2], CIRCLE);
        for (int a = 1; a < 3; a++) {
            double out[3];
            for (int i = 0; i < 3; i++)
                out[i] = e == 0 ? -axes[0][i] : axes[0][i];
            put_arc(wires, ends[e], axes[a], out, CIRCLE / 2);
        }
    }
    for (int k = 0; k < 4; k++) {
        double from[3], to[3];
        for (int i = 0; i < 3; i++) {
            from[i] = ends[0][i] + (k % 2 == 0 ? 1 : -1) * axes[1 + k / 2][i];
            to[i] = ends[1][i] + (k % 2 == 0 ? 1 : -1) * axes[1 + k / 2][i];
        }
        put_line(wires, from, to);
    }
}

static void put_sphere(struct wires *wires, const struct hit_volume *volume)
{
    static const double UP[3] = {0, 1, 0};
    const double middle[3] = {(double)volume->center[0], (double)volume->center[1], (double)volume->center[2]};
    double axes[3][3];
    find_axes(UP, (double)volume->radius, axes);
    for (int a = 0; a < 3; a++)
        put_arc(wires, middle, axes[a], axes[(a + 1) % 3], CIRCLE);
}

/* Edges go from corners without the bit of their axis to corners with it. */
static void put_box(struct wires *wires, const struct hit_volume *volume)
{
    double axes[9], corners[8][3];
    volume_axes(volume, axes);
    for (int c = 0; c < 8; c++)
        for (int i = 0; i < 3; i++) {
            corners[c][i] = (double)volume->center[i];
            for (int a = 0; a < 3; a++)
                corners[c][i] += ((c >> a & 1) != 0 ? 1 : -1) * (double)volume->half[a] * axes[3 * a + i];
        }
    for (int c = 0; c < 8; c++)
        for (int a = 0; a < 3; a++)
            if ((c >> a & 1) == 0)
                put_line(wires, corners[c], corners[c | 1 << a]);
}

static void put_volumes(struct wires *wires, const struct hit_set *set, const struct pose *pose)
{
    static void (*const PUT[VOLUME_KIND_COUNT])(struct wires *, const struct hit_volume *) = {
        [VOLUME_CAPSULE] = put_capsule, [VOLUME_BOX] = put_box, [VOLUME_SPHERE] = put_sphere};
    for (uint32_t v = 0; v < set->count; v++) {
        const struct set_volume *volume = &set->volumes[v];
        wires->scene_from_joint = pose->scene_from_node[volume->volume.node];
        wires->color = volume->is_given ? GIVEN : FITTED;
        wires->node = volume->volume.node;
        PUT[volume->volume.kind](wires, &volume->volume);
    }
}

int volume_mesh_init(struct skeleton_mesh *mesh, const struct hit_set *set, const struct model *model,
                     const struct pose *pose, struct err *err)
{
    const size_t vertices = (size_t)set->count * BEAMS_MOST * BEAM_VERTICES + 1;
    struct box box = BOX_EMPTY;
    struct wires wires = {.box = &box};
    *mesh = (struct skeleton_mesh){0};
    put_volumes(&wires, set, pose);
    for (int i = 0; i < 3; i++)
        if (set->count > 0 && !(isfinite((float)box.min[i]) && isfinite((float)box.max[i])))
            return err_set(err, ERR_NOT_FINITE, "a volume is not finite in this pose");
    mesh->positions = malloc(vertices * sizeof *mesh->positions);
    mesh->normals = malloc(vertices * sizeof *mesh->normals);
    mesh->colors = malloc(vertices * sizeof *mesh->colors);
    mesh->nodes = malloc(vertices * sizeof *mesh->nodes);
    if (mesh->nodes == NULL || mesh->positions == NULL || mesh->normals == NULL || mesh->colors == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory to draw %u volumes of %u nodes", set->count, model->node_count);
    wires.mesh = mesh;
    wires.radius = THICKNESS * box_size(&box);
    put_volumes(&wires, set, pose);
    return 0;
}
