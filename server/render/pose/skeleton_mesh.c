/* skeleton_mesh.c - builds octahedra for bones and joints. */
#include "render/pose/skeleton_mesh.h"

#include "base/mem.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FACES = 8, VERTICES_OF_SOLID = 3 * FACES };

static const double BONE_WIDTH = 0.09;    /* of its length, */
static const double WIDTH_MAX = 0.022;    /* at most, of the skeleton's size */
static const double JOINT_RADIUS = 0.011; /* of the skeleton's size */
static const double WAIST = 0.16;         /* place along a bone where it is thickest */
static const struct rgba8 BONE_COLOR = {176, 182, 196, 255}, JOINT_COLOR = {214, 110, 34, 255};

/* What the vertices of a solid share. */
struct paint {
    struct rgba8 color;
    uint32_t node;
};

static void put_triangle(struct skeleton_mesh *skeleton, double corners[3][3], const double inside[3],
                         const struct paint *paint)
{
    double a[3], b[3], out[3], n[3];
    for (int i = 0; i < 3; i++) {
        a[i] = corners[1][i] - corners[0][i];
        b[i] = corners[2][i] - corners[0][i];
        out[i] = corners[0][i] - inside[i];
    }
    cross3(a, b, n);
    unit3(n);
    const float sign = dot3(n, out) < 0 ? -1.0f : 1.0f;
    for (int c = 0; c < 3; c++) {
        const uint32_t v = skeleton->vertex_count++;
        skeleton->positions[v] = (struct vec3){(float)corners[c][0], (float)corners[c][1], (float)corners[c][2]};
        skeleton->normals[v] = (struct vec3){sign * (float)n[0], sign * (float)n[1], sign * (float)n[2]};
        skeleton->colors[v] = paint->color;
        skeleton->nodes[v] = paint->node;
    }
}

/* Adds an octahedron with its ends at `from` and `to` and its square `waist` of the way between them. */
static void put_solid(struct skeleton_mesh *skeleton, const double from[3], const double to[3], double waist,
                      double radius, const struct paint *paint)
{
    double along[3], side[3], other[3], ring[4][3], inside[3], helper[3] = {0, 0, 0};
    for (int i = 0; i < 3; i++)
        along[i] = to[i] - from[i];
    if (!(unit3(along) > 0))
        return;
    helper[fabs(along[1]) < 0.8 ? 1 : 0] = 1;
    cross3(along, helper, side);
    unit3(side);
    cross3(along, side, other);
    for (int i = 0; i < 3; i++) {
        inside[i] = from[i] + waist * (to[i] - from[i]);
        ring[0][i] = inside[i] + radius * side[i];
        ring[1][i] = inside[i] + radius * other[i];
        ring[2][i] = inside[i] - radius * side[i];
        ring[3][i] = inside[i] - radius * other[i];
    }
    for (int face = 0; face < FACES; face++) {
        double corners[3][3];
        memcpy(corners[0], face < 4 ? from : to, sizeof corners[0]);
        memcpy(corners[1], ring[face % 4], sizeof corners[1]);
        memcpy(corners[2], ring[(face + 1) % 4], sizeof corners[2]);
        put_triangle(skeleton, corners, inside, paint);
    }
}

/* Returns one flag a node: a clip moves it or a skin uses it. If there is no such node, all are set and is_any is
 * false. */
static bool *find_moved(const struct model *model, const struct model *const *movers, uint32_t mover_count,
                        bool *is_any)
{
    bool *is_moved = mem_zalloc((size_t)model->node_count + 1, sizeof *is_moved);
    *is_any = false;
    for (uint32_t m = 0; m < mover_count; m++)
        for (uint32_t c = 0; c < movers[m]->channel_count; c++)
            is_moved[movers[m]->channels[c].node] = true;
    for (uint32_t n = 0; n < model->node_count; n++) {
        is_moved[n] |= (model->nodes[n].flags & NODE_JOINT) != 0;
        *is_any |= is_moved[n] && (model->nodes[n].flags & NODE_IN_SCENE) != 0;
    }
    if (!*is_any)
        memset(is_moved, 1, model->node_count);
    return is_moved;
}

/* Removes nodes without connections (cameras, lights and their targets, which exporters also animate), unless all are
 * such: markers of a motion capture. */
static void drop_lone(const struct model *model, bool *is_moved)
{
    bool *is_joined = mem_zalloc((size_t)model->node_count + 1, sizeof *is_joined), is_any = false;
    for (uint32_t n = 0; n < model->node_count; n++) {
        const int32_t parent = model->nodes[n].parent;
        if (parent < 0 || !is_moved[parent] || (model->nodes[n].flags & NODE_IN_SCENE) == 0)
            continue;
        is_joined[n] = is_joined[parent] = is_any = true;
    }
    for (uint32_t n = 0; is_any && n < model->node_count; n++)
        is_moved[n] = is_moved[n] && is_joined[n];
    free(is_joined);
}

static bool is_drawn(const struct model *model, const bool *is_moved, uint32_t node)
{
    const int32_t parent = model->nodes[node].parent;
    return (model->nodes[node].flags & NODE_IN_SCENE) != 0 && (is_moved[node] || (parent >= 0 && is_moved[parent]));
}

/* Returns the longest side of the box around all drawn nodes; 0 for a single place. Negative: some place is not finite.
 */
static double measure(const struct model *model, const struct pose *pose, const bool *is_moved)
{
    struct box box = BOX_EMPTY;
    for (uint32_t n = 0; n < model->node_count; n++) {
        const double *place = &pose->scene_from_node[n].m[12];
        if (!is_drawn(model, is_moved, n))
            continue;
        for (int i = 0; i < 3; i++)
            if (!(fabs(place[i]) < (double)FLT_MAX / 4))
                return -1;
        box_add(&box, place);
    }
    return box_size(&box);
}

static void put_node(struct skeleton_mesh *skeleton, const struct model *model, const struct pose *pose,
                     const bool *is_moved, uint32_t node, double size)
{
    const double *place = &pose->scene_from_node[node].m[12];
    double low[3], high[3];
    const int32_t parent = model->nodes[node].parent;
    memcpy(low, place, sizeof low);
    memcpy(high, place, sizeof high);
    low[1] -= JOINT_RADIUS * size;
    high[1] += JOINT_RADIUS * size;
    put_solid(skeleton, low, high, 0.5, JOINT_RADIUS * size, &(struct paint){JOINT_COLOR, node});
    if (parent < 0 || !is_moved[parent])
        return;
    const double *from = &pose->scene_from_node[parent].m[12];
    const double length = sqrt(pow(place[0] - from[0], 2) + pow(place[1] - from[1], 2) + pow(place[2] - from[2], 2));
    put_solid(skeleton, from, place, WAIST, fmin(BONE_WIDTH * length, WIDTH_MAX * size),
              &(struct paint){BONE_COLOR, (uint32_t)parent});
}

int skeleton_mesh_init(struct skeleton_mesh *skeleton, const struct model *model, const struct model *const *movers,
                       uint32_t mover_count, const struct pose *pose, struct err *err)
{
    *skeleton = (struct skeleton_mesh){0};
    const size_t vertices = (size_t)model->node_count * 2 * VERTICES_OF_SOLID + 1;
    skeleton->positions = malloc(vertices * sizeof *skeleton->positions);
    skeleton->normals = malloc(vertices * sizeof *skeleton->normals);
    skeleton->colors = malloc(vertices * sizeof *skeleton->colors);
    skeleton->nodes = malloc(vertices * sizeof *skeleton->nodes);
    if (skeleton->nodes == NULL || skeleton->positions == NULL || skeleton->normals == NULL || skeleton->colors == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory to draw a skeleton of %u nodes", model->node_count);
    bool is_any_moved;
    bool *is_moved = find_moved(model, movers, mover_count, &is_any_moved);
    drop_lone(model, is_moved);
    const double size = measure(model, pose, is_moved);
    skeleton->is_one_place = !is_any_moved && size == 0;
    int rc = 0;
    if (size < 0)
        rc = err_set(err, ERR_NOT_FINITE, "the pose puts a node where no float can");
    for (uint32_t n = 0; rc == 0 && n < model->node_count; n++)
        if (is_drawn(model, is_moved, n))
            put_node(skeleton, model, pose, is_moved, n, size > 0 ? size : 1);
    free(is_moved);
    return rc;
}

void skeleton_mesh_fini(struct skeleton_mesh *skeleton)
{
    free(skeleton->positions);
    free(skeleton->normals);
    free(skeleton->colors);
    free(skeleton->nodes);
    *skeleton = (struct skeleton_mesh){0};
}
