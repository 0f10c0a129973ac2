/* hull.c - quickhull: from four corners outwards, face by face. */
#include "anim/camera/hull.h"

#include "anim/camera/hull_corners.h"

#include <stdlib.h>
#include <string.h>

/* A face sees a point that is farther outside than this, relative to the set's size. It exceeds the rounding of
 * doubles. */
static const double SEEN = 1e-11;

struct face {
    uint32_t corners[3];   /* anticlockwise seen from outside */
    uint32_t neighbors[3]; /* across the edge from corner i to the next */
    double normal[3], offset;
    uint32_t first_outside; /* its list of points outside, linked by hull.next; HULL_NONE: empty */
    uint32_t farthest;
    double distance; /* of the farthest point */
    bool is_gone;
    uint32_t mark; /* the round in which a point saw it */
};

struct horizon_edge {
    uint32_t from, to;
    uint32_t beyond; /* the face on the other side */
};

struct hull {
    struct hull_points set;
    uint32_t *next;
    struct face *faces;
    uint32_t face_count, face_capacity;
    uint32_t *seen; /* faces that the new point sees; has room for all */
    uint32_t seen_count;
    struct horizon_edge *horizon;
    uint32_t horizon_count, horizon_capacity;
    uint32_t round;
};

static double distance_to(const struct face *face, const double point[3])
{
    return dot3(face->normal, point) - face->offset;
}

static bool grow_faces(struct hull *hull)
{
    if (hull->face_count < hull->face_capacity)
        return true;
    const uint32_t capacity = hull->face_capacity * 2 + 64;
    struct face *faces = realloc(hull->faces, capacity * sizeof *faces);
    if (faces == NULL)
        return false;
    hull->faces = faces;
    uint32_t *seen = realloc(hull->seen, capacity * sizeof *seen);
    if (seen == NULL)
        return false;
    hull->seen = seen;
    hull->face_capacity = capacity;
    return true;
}

/* Returns HULL_NONE when the corners span no face. */
static uint32_t add_face(struct hull *hull, uint32_t a, uint32_t b, uint32_t c)
{
    double ab[3], ac[3];
    if (!grow_faces(hull))
        return HULL_NONE;
    struct face *face = &hull->faces[hull->face_count];
    *face =
        (struct face){.corners = {a, b, c}, .neighbors = {HULL_NONE, HULL_NONE, HULL_NONE}, .first_outside = HULL_NONE};
    subtract3(hull->set.points[b], hull->set.points[a], ab);
    subtract3(hull->set.points[c], hull->set.points[a], ac);
    cross3(ab, ac, face->normal);
    if (!(unit3(face->normal) > 0))
        return HULL_NONE;
    face->offset = dot3(face->normal, hull->set.points[a]);
    return hull->face_count++;
}

/* Puts a point on the list of the face that it is farthest outside of, if any. */
static void give_point(struct hull *hull, uint32_t point, uint32_t first_face)
{
    double most = SEEN;
    struct face *best = NULL;
    for (uint32_t f = first_face; f < hull->face_count; f++) {
        const double distance = distance_to(&hull->faces[f], hull->set.points[point]);
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

/* Lists the faces that `point` sees, starting with `first`, and the edges around them. */
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

/* Sorts the edges into a loop. False when they are not a single loop. */
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
        if (face == HULL_NONE)
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

/* Extends the hull to the farthest point of a face. */
static bool reach_out(struct hull *hull, uint32_t f)
{
    const uint32_t point = hull->faces[f].farthest, first = hull->face_count;
    if (!find_horizon(hull, f, hull->set.points[point]) || !close_horizon(hull, point))
        return false;
    for (uint32_t s = 0; s < hull->seen_count; s++) {
        struct face *gone = &hull->faces[hull->seen[s]];
        gone->is_gone = true;
        for (uint32_t p = gone->first_outside, next; p != HULL_NONE; p = next) {
            next = hull->next[p];
            if (p != point)
                give_point(hull, p, first);
        }
        gone->first_outside = HULL_NONE;
    }
    return true;
}

static bool make_tetrahedron(struct hull *hull, const uint32_t corners[4])
{
    static const int FACES[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    double a[3], b[3], c[3], normal[3];
    uint32_t v[4] = {corners[0], corners[1], corners[2], corners[3]};
    subtract3(hull->set.points[v[1]], hull->set.points[v[0]], a);
    subtract3(hull->set.points[v[2]], hull->set.points[v[0]], b);
    subtract3(hull->set.points[v[3]], hull->set.points[v[0]], c);
    cross3(a, b, normal);
    if (dot3(normal, c) > 0) { /* the last corner must lie behind the first face */
        v[1] = corners[2];
        v[2] = corners[1];
    }
    for (int f = 0; f < 4; f++)
        if (add_face(hull, v[FACES[f][0]], v[FACES[f][1]], v[FACES[f][2]]) == HULL_NONE)
            return false;
    for (uint32_t f = 0; f < 4; f++)
        for (int i = 0; i < 3; i++)
            for (uint32_t g = 0; g < 4; g++) {
                const int back = g != f ? edge_of(&hull->faces[g], hull->faces[f].corners[(i + 1) % 3]) : -1;
                if (back >= 0 && hull->faces[g].corners[(back + 1) % 3] == hull->faces[f].corners[i])
                    hull->faces[f].neighbors[i] = g;
            }
    for (uint32_t p = 0; p < hull->set.count; p++)
        give_point(hull, p, 0);
    return true;
}

/* False when the algorithm failed. */
static bool build(struct hull *hull, double tolerance)
{
    uint32_t corners[4];
    if (!hull_find_corners(&hull->set, corners) || !make_tetrahedron(hull, corners))
        return false;
    for (uint32_t f = 0; f < hull->face_count; f++) {
        const struct face *face = &hull->faces[f];
        if (!face->is_gone && face->first_outside != HULL_NONE && face->distance > tolerance && !reach_out(hull, f))
            return false;
    }
    return true;
}

/* Moves the points around 0 and scales them to a size of 1. Returns the size; 0 when they coincide. */
static double take_points(struct hull *hull, const struct vec3 *points)
{
    struct box box = BOX_EMPTY;
    for (uint32_t p = 0; p < hull->set.count; p++) {
        memcpy(hull->set.points[p], DOUBLE3(points[p]), sizeof hull->set.points[p]);
        box_add(&box, hull->set.points[p]);
    }
    const double size = box_size(&box);
    for (uint32_t p = 0; p < hull->set.count && size > 0; p++)
        for (int i = 0; i < 3; i++)
            hull->set.points[p][i] = (hull->set.points[p][i] - box.min[i] / 2 - box.max[i] / 2) / size;
    hull->set.point_count = hull->set.count;
    return size;
}

static uint32_t list_corners(const struct hull *hull, uint32_t *out)
{
    uint32_t found = 0;
    memset(hull->next, 0, hull->set.count * sizeof *hull->next); /* mark now means: 1 = a corner */
    for (uint32_t f = 0; f < hull->face_count; f++)
        for (int i = 0; i < 3 && !hull->faces[f].is_gone; i++)
            if (hull->faces[f].corners[i] < hull->set.count)
                hull->next[hull->faces[f].corners[i]] = 1;
    for (uint32_t p = 0; p < hull->set.count; p++)
        if (hull->next[p] == 1)
            out[found++] = p;
    return found;
}

uint32_t hull_pick(const struct vec3 *points, uint32_t count, double tolerance, uint32_t *out)
{
    struct hull hull = {.set.count = count};
    uint32_t found = 0;
    if (count > 4) {
        hull.set.points = malloc(((size_t)count + 2) * sizeof *hull.set.points);
        hull.next = malloc((size_t)count * sizeof *hull.next);
    }
    if (hull.set.points != NULL && hull.next != NULL) {
        const double size = take_points(&hull, points);
        if (!(size > 0))
            out[found++] = 0;
        else if (build(&hull, tolerance / size))
            found = list_corners(&hull, out);
    }
    for (uint32_t p = 0; p < count && found == 0; p++)
        out[p] = p;
    free(hull.set.points);
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
        points[i] = points[picked[i]]; /* rising, since picked[i] >= i */
    free(picked);
    return kept;
}
