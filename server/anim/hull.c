#include "hull.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX
/* A face sees a point that is further outside than this, of the set's size: beyond rounding in doubles. */
static const double SEEN = 1e-11;
/* Sets thinner than this, of their size, count as flat: what float32 can tell apart. */
static const double FLAT = 1e-6;

struct face {
    uint32_t corners[3];   /* anticlockwise seen from outside */
    uint32_t neighbors[3]; /* over the edge from corner i to the next */
    double normal[3], offset;
    uint32_t first_outside; /* its list of points outside, linked by hull.next; NONE: empty */
    uint32_t farthest;
    double distance; /* of that point */
    bool is_gone;
    uint32_t mark; /* the round in which it was seen */
};

struct horizon_edge {
    uint32_t from, to;
    uint32_t beyond; /* the face on the other side */
};

struct hull {
    double (*points)[3]; /* relative to the middle, in units of the size; up to two more than were given */
    uint32_t count, point_count;
    uint32_t *next;
    struct face *faces;
    uint32_t face_count, face_capacity;
    uint32_t *seen; /* faces that the new point sees; as many as there is room for */
    uint32_t seen_count;
    struct horizon_edge *horizon;
    uint32_t horizon_count, horizon_capacity;
    uint32_t round;
};

static void subtract(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = a[i] - b[i];
}

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static double distance_to(const struct face *face, const double point[3])
{
    return dot(face->normal, point) - face->offset;
}

static bool grow_faces(struct hull *hull)
{
    if (hull->face_count < hull->face_capacity)
        return true;
    const uint32_t capacity = hull->face_capacity * 2 + 64;
    struct face *faces = realloc(hull->faces, capacity * sizeof *faces);
    hull->faces = faces != NULL ? faces : hull->faces;
    uint32_t *seen = realloc(hull->seen, capacity * sizeof *seen);
    hull->seen = seen != NULL ? seen : hull->seen;
    if (faces == NULL || seen == NULL)
        return false;
    hull->face_capacity = capacity;
    return true;
}

/* NONE when the corners span no face. */
static uint32_t add_face(struct hull *hull, uint32_t a, uint32_t b, uint32_t c)
{
    double ab[3], ac[3];
    if (!grow_faces(hull))
        return NONE;
    struct face *face = &hull->faces[hull->face_count];
    *face = (struct face){.corners = {a, b, c}, .neighbors = {NONE, NONE, NONE}, .first_outside = NONE};
    subtract(hull->points[b], hull->points[a], ab);
    subtract(hull->points[c], hull->points[a], ac);
    cross(ab, ac, face->normal);
    const double length = sqrt(dot(face->normal, face->normal));
    if (!(length > 0))
        return NONE;
    for (int i = 0; i < 3; i++)
        face->normal[i] /= length;
    face->offset = dot(face->normal, hull->points[a]);
    return hull->face_count++;
}

/* Puts a point on the list of the face that it is furthest outside of, if there is one. */
static void give_point(struct hull *hull, uint32_t point, uint32_t first_face)
{
    double most = SEEN;
    struct face *best = NULL;
    for (uint32_t f = first_face; f < hull->face_count; f++) {
        const double distance = distance_to(&hull->faces[f], hull->points[point]);
        if (distance > most) {
            most = distance;
            best = &hull->faces[f];
        }
    }
    if (best == NULL)
        return;
    hull->next[point] = best->first_outside;
    best->first_outside = point;
    if (most > best->distance) {
        best->distance = most;
        best->farthest = point;
    }
}

static int edge_of(const struct face *face, uint32_t from)
{
    for (int i = 0; i < 3; i++)
        if (face->corners[i] == from)
            return i;
    return -1;
}

static bool add_edge(struct hull *hull, struct horizon_edge edge)
{
    if (hull->horizon_count == hull->horizon_capacity) {
        const uint32_t capacity = hull->horizon_capacity * 2 + 64;
        struct horizon_edge *edges = realloc(hull->horizon, capacity * sizeof *edges);
        if (edges == NULL)
            return false;
        hull->horizon = edges;
        hull->horizon_capacity = capacity;
    }
    hull->horizon[hull->horizon_count++] = edge;
    return true;
}

/* Lists the faces that `point` sees, beginning with `first`, and the edges around them. */
static bool find_horizon(struct hull *hull, uint32_t first, const double point[3])
{
    hull->horizon_count = 0;
    hull->round++;
    hull->seen[0] = first;
    hull->seen_count = 1;
    hull->faces[first].mark = hull->round;
    for (uint32_t s = 0; s < hull->seen_count; s++) {
        const struct face *face = &hull->faces[hull->seen[s]];
        for (int i = 0; i < 3; i++) {
            struct face *neighbor = &hull->faces[face->neighbors[i]];
            if (neighbor->mark == hull->round)
                continue;
            if (distance_to(neighbor, point) > SEEN) {
                neighbor->mark = hull->round;
                hull->seen[hull->seen_count++] = face->neighbors[i];
            } else if (!add_edge(hull, (struct horizon_edge){face->corners[i], face->corners[(i + 1) % 3],
                                                             face->neighbors[i]})) {
                return false;
            }
        }
    }
    return hull->horizon_count >= 3;
}

/* Puts the edges in the order in which they go round. False when they are not one loop. */
static bool order_horizon(struct hull *hull)
{
    struct horizon_edge *edges = hull->horizon;
    for (uint32_t i = 1; i < hull->horizon_count; i++) {
        uint32_t follower = i;
        while (follower < hull->horizon_count && edges[follower].from != edges[i - 1].to)
            follower++;
        if (follower == hull->horizon_count)
            return false;
        const struct horizon_edge edge = edges[follower];
        edges[follower] = edges[i];
        edges[i] = edge;
    }
    return edges[hull->horizon_count - 1].to == edges[0].from;
}

/* Joins the edges of the horizon to `point`. */
static bool close_horizon(struct hull *hull, uint32_t point)
{
    const uint32_t first = hull->face_count;
    if (!order_horizon(hull))
        return false;
    for (uint32_t i = 0; i < hull->horizon_count; i++) {
        const struct horizon_edge *edge = &hull->horizon[i];
        const uint32_t face = add_face(hull, edge->from, edge->to, point);
        if (face == NONE)
            return false;
        const int back = edge_of(&hull->faces[edge->beyond], edge->to);
        if (back < 0)
            return false;
        hull->faces[edge->beyond].neighbors[back] = face;
        hull->faces[face].neighbors[0] = edge->beyond;
        hull->faces[face].neighbors[1] = first + (i + 1) % hull->horizon_count;
        hull->faces[face].neighbors[2] = first + (i + hull->horizon_count - 1) % hull->horizon_count;
    }
    return true;
}

/* Makes the hull reach to the farthest point of a face. */
static bool reach_out(struct hull *hull, uint32_t f)
{
    const uint32_t point = hull->faces[f].farthest, first = hull->face_count;
    if (!find_horizon(hull, f, hull->points[point]) || !close_horizon(hull, point))
        return false;
    for (uint32_t s = 0; s < hull->seen_count; s++) {
        struct face *gone = &hull->faces[hull->seen[s]];
        gone->is_gone = true;
        for (uint32_t p = gone->first_outside, next; p != NONE; p = next) {
            next = hull->next[p];
            if (p != point)
                give_point(hull, p, first);
        }
        gone->first_outside = NONE;
    }
    return true;
}

/* The point farthest from the line through a and b, or from the plane through a, b and c (NONE: of a line). */
static uint32_t farthest_from(const struct hull *hull, uint32_t a, uint32_t b, uint32_t c, double *distance)
{
    double ab[3], ac[3], normal[3] = {0}, most = -1;
    uint32_t found = a;
    subtract(hull->points[b], hull->points[a], ab);
    if (c != NONE) {
        subtract(hull->points[c], hull->points[a], ac);
        cross(ab, ac, normal);
    }
    const double length = sqrt(c != NONE ? dot(normal, normal) : dot(ab, ab));
    for (uint32_t p = 0; p < hull->count; p++) {
        double ap[3], across[3];
        subtract(hull->points[p], hull->points[a], ap);
        cross(ab, ap, across);
        const double value = c != NONE ? fabs(dot(normal, ap)) : sqrt(dot(across, across));
        if (value > most) {
            most = value;
            found = p;
        }
    }
    *distance = most / length;
    return found;
}

/* Adds a point that nobody gave, away from the others along `direction`: a flat set is then a cone's base. */
static uint32_t add_helper(struct hull *hull, uint32_t from, const double direction[3])
{
    const double length = sqrt(dot(direction, direction));
    for (int i = 0; i < 3; i++)
        hull->points[hull->point_count][i] = hull->points[from][i] + direction[i] / length;
    return hull->point_count++;
}

/* The first tetrahedron. False when all points are one. */
static bool find_corners(struct hull *hull, uint32_t corners[4])
{
    double ab[3], ac[3], across[3], helper[3] = {0, 0, 0}, distance;
    uint32_t low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
    int axis = 0;
    for (uint32_t p = 1; p < hull->count; p++)
        for (int i = 0; i < 3; i++) {
            low[i] = hull->points[p][i] < hull->points[low[i]][i] ? p : low[i];
            high[i] = hull->points[p][i] > hull->points[high[i]][i] ? p : high[i];
        }
    for (int i = 1; i < 3; i++)
        if (hull->points[high[i]][i] - hull->points[low[i]][i] >
            hull->points[high[axis]][axis] - hull->points[low[axis]][axis])
            axis = i;
    corners[0] = low[axis];
    corners[1] = high[axis];
    subtract(hull->points[corners[1]], hull->points[corners[0]], ab);
    if (!(dot(ab, ab) > 0))
        return false;
    corners[2] = farthest_from(hull, corners[0], corners[1], NONE, &distance);
    if (!(distance > FLAT)) {
        helper[axis == 0 ? 1 : 0] = 1;
        cross(ab, helper, across);
        corners[2] = add_helper(hull, corners[0], across);
    }
    corners[3] = farthest_from(hull, corners[0], corners[1], corners[2], &distance);
    if (!(distance > FLAT)) {
        subtract(hull->points[corners[2]], hull->points[corners[0]], ac);
        cross(ab, ac, across);
        corners[3] = add_helper(hull, corners[0], across);
    }
    return true;
}

static bool make_tetrahedron(struct hull *hull, const uint32_t corners[4])
{
    static const int FACES[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    double a[3], b[3], c[3], normal[3];
    uint32_t v[4] = {corners[0], corners[1], corners[2], corners[3]};
    subtract(hull->points[v[1]], hull->points[v[0]], a);
    subtract(hull->points[v[2]], hull->points[v[0]], b);
    subtract(hull->points[v[3]], hull->points[v[0]], c);
    cross(a, b, normal);
    if (dot(normal, c) > 0) { /* the last corner lies before the first face, which is to look away from it */
        v[1] = corners[2];
        v[2] = corners[1];
    }
    for (int f = 0; f < 4; f++)
        if (add_face(hull, v[FACES[f][0]], v[FACES[f][1]], v[FACES[f][2]]) == NONE)
            return false;
    for (uint32_t f = 0; f < 4; f++)
        for (int i = 0; i < 3; i++)
            for (uint32_t g = 0; g < 4; g++) {
                const int back = g != f ? edge_of(&hull->faces[g], hull->faces[f].corners[(i + 1) % 3]) : -1;
                if (back >= 0 && hull->faces[g].corners[(back + 1) % 3] == hull->faces[f].corners[i])
                    hull->faces[f].neighbors[i] = g;
            }
    for (uint32_t p = 0; p < hull->count; p++)
        give_point(hull, p, 0);
    return true;
}

/* False when it came to nothing. */
static bool build(struct hull *hull, double tolerance)
{
    uint32_t corners[4];
    if (!find_corners(hull, corners) || !make_tetrahedron(hull, corners))
        return false;
    for (uint32_t f = 0; f < hull->face_count; f++) {
        const struct face *face = &hull->faces[f];
        if (!face->is_gone && face->first_outside != NONE && face->distance > tolerance && !reach_out(hull, f))
            return false;
    }
    return true;
}

/* Moves the points to around 0 and to a size of 1. Returns their size; 0 when they are one point. */
static double take_points(struct hull *hull, const struct vec3 *points)
{
    double low[3], high[3], size = 0;
    for (uint32_t p = 0; p < hull->count; p++) {
        const double at[3] = {(double)points[p].x, (double)points[p].y, (double)points[p].z};
        for (int i = 0; i < 3; i++) {
            low[i] = p == 0 ? at[i] : fmin(low[i], at[i]);
            high[i] = p == 0 ? at[i] : fmax(high[i], at[i]);
            hull->points[p][i] = at[i];
        }
    }
    for (int i = 0; i < 3; i++)
        size = fmax(size, high[i] - low[i]);
    for (uint32_t p = 0; p < hull->count && size > 0; p++)
        for (int i = 0; i < 3; i++)
            hull->points[p][i] = (hull->points[p][i] - low[i] / 2 - high[i] / 2) / size;
    hull->point_count = hull->count;
    return size;
}

static uint32_t list_corners(const struct hull *hull, uint32_t *out)
{
    uint32_t found = 0;
    memset(hull->next, 0, hull->count * sizeof *hull->next); /* now marks: 1 = a corner */
    for (uint32_t f = 0; f < hull->face_count; f++)
        for (int i = 0; i < 3 && !hull->faces[f].is_gone; i++)
            if (hull->faces[f].corners[i] < hull->count)
                hull->next[hull->faces[f].corners[i]] = 1;
    for (uint32_t p = 0; p < hull->count; p++)
        if (hull->next[p] == 1)
            out[found++] = p;
    return found;
}

uint32_t hull_pick(const struct vec3 *points, uint32_t count, double tolerance, uint32_t *out)
{
    struct hull hull = {.count = count};
    uint32_t found = 0;
    if (count > 4) {
        hull.points = malloc(((size_t)count + 2) * sizeof *hull.points);
        hull.next = malloc((size_t)count * sizeof *hull.next);
    }
    if (hull.points != NULL && hull.next != NULL) {
        const double size = take_points(&hull, points);
        if (!(size > 0))
            out[found++] = 0;
        else if (build(&hull, tolerance / size))
            found = list_corners(&hull, out);
    }
    for (uint32_t p = 0; p < count && found == 0; p++)
        out[p] = p;
    free(hull.points);
    free(hull.next);
    free(hull.faces);
    free(hull.seen);
    free(hull.horizon);
    return found > 0 ? found : count;
}

uint32_t hull_reduce(struct vec3 *points, uint32_t count, double tolerance)
{
    uint32_t *picked = malloc((size_t)count * sizeof *picked + 1);
    if (picked == NULL)
        return count;
    const uint32_t kept = hull_pick(points, count, tolerance, picked);
    for (uint32_t i = 0; i < kept; i++)
        points[i] = points[picked[i]]; /* picked[i] >= i: they rise */
    free(picked);
    return kept;
}
