/* triangulate.c - cuts ears; a grid over the corners that are not convex shows that each is empty. */
#include "import/mesh/triangulate.h"

#include "anim/model/mat.h"
#include "base/mem.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define NO_CORNER UINT32_MAX

/* A search limit. In a typical polygon, a corner needs some tens of looks. A polygon that crowds its corners into few
 * cells to force quadratic time is cut without further checks after this many looks. */
enum { LOOKS_PER_CORNER = 512, LOOKS_FREE = 1000000 };

/* The condition for cutting a corner. Each stage runs when the stages before find no ear. A simple polygon needs only
 * the first, or the second if corners are collinear. */
enum stage { CUT_EARS, CUT_STRAIGHT, CUT_CONVEX, CUT_ANY };

struct triangulate_corner {
    double x, y;
    uint32_t before, after; /* neighbours on the remaining outline */
    uint32_t next_in_cell, next_in_queue;
    bool is_convex, is_queued, is_deferred;
};

/* The outline during ear cutting, and the grid over it. */
struct outline {
    struct triangulate_corner *corners;
    uint32_t *cells; /* [side * side]: the first corner of each */
    uint32_t side;
    double min_x, min_y, cells_per_x, cells_per_y;
    uint64_t looks_left; /* remaining visits of cells and of corners in them; at 0, ears are cut without a check */
};

void triangulator_fini(struct triangulator *triangulator)
{
    free(triangulator->corners);
    free(triangulator->cells);
    *triangulator = (struct triangulator){0};
}

/* Twice the area of a triangle, positive where it turns anticlockwise. */
static double area2(const struct triangulate_corner *a, const struct triangulate_corner *b,
                    const struct triangulate_corner *c)
{
    return (b->x - a->x) * (c->y - a->y) - (b->y - a->y) * (c->x - a->x);
}

/* Newell's normal, relative to the first corner to keep precision far from the origin. */
static void normal_of(const double (*points)[3], uint32_t count, double out[3])
{
    double a[3], b[3], across[3];
    for (int k = 0; k < 3; k++) {
        out[k] = 0;
        a[k] = points[0][k] - points[0][k];
    }
    for (uint32_t i = 0; i < count; i++) {
        const double *next = points[i + 1 < count ? i + 1 : 0];
        for (int k = 0; k < 3; k++)
            b[k] = next[k] - points[0][k];
        cross3(a, b, across);
        for (int k = 0; k < 3; k++) {
            out[k] += across[k];
            a[k] = b[k];
        }
    }
}

/* Drops the axis that the normal is nearest to, and keeps the direction in which the polygon turns. */
static void project(struct triangulate_corner *corners, const double (*points)[3], uint32_t count)
{
    double normal[3];
    normal_of(points, count, normal);
    int axis = fabs(normal[0]) > fabs(normal[1]) ? 0 : 1;
    if (!(fabs(normal[axis]) > fabs(normal[2])))
        axis = 2;
    const double sign = normal[axis] < 0 ? -1 : 1;
    const int x = (axis + 1) % 3, y = (axis + 2) % 3;
    for (uint32_t i = 0; i < count; i++) {
        corners[i].x = (points[i][x] - points[0][x]) * sign;
        corners[i].y = points[i][y] - points[0][y];
    }
}

static uint32_t cell_index(double at, double per_unit, uint32_t side)
{
    const double place = at * per_unit;
    return place <= 0 || isnan(place) ? 0 : place >= side ? side - 1 : (uint32_t)place;
}

static uint32_t column_of(const struct outline *outline, double x)
{
    return cell_index(x - outline->min_x, outline->cells_per_x, outline->side);
}

static uint32_t row_of(const struct outline *outline, double y)
{
    return cell_index(y - outline->min_y, outline->cells_per_y, outline->side);
}

static void make_grid(struct outline *outline, uint32_t count)
{
    struct triangulate_corner *corners = outline->corners;
    double max_x = corners[0].x, max_y = corners[0].y;
    outline->min_x = max_x;
    outline->min_y = max_y;
    for (uint32_t i = 1; i < count; i++) {
        outline->min_x = fmin(outline->min_x, corners[i].x);
        outline->min_y = fmin(outline->min_y, corners[i].y);
        max_x = fmax(max_x, corners[i].x);
        max_y = fmax(max_y, corners[i].y);
    }
    outline->cells_per_x = max_x > outline->min_x ? outline->side / (max_x - outline->min_x) : 0;
    outline->cells_per_y = max_y > outline->min_y ? outline->side / (max_y - outline->min_y) : 0;
    for (uint32_t i = 0; i < outline->side * outline->side; i++)
        outline->cells[i] = NO_CORNER;
    for (uint32_t i = 0; i < count; i++) {
        if (corners[i].is_convex)
            continue;
        uint32_t *cell =
            &outline->cells[row_of(outline, corners[i].y) * outline->side + column_of(outline, corners[i].x)];
        corners[i].next_in_cell = *cell;
        *cell = i;
    }
}

static void update_convex(struct outline *outline, uint32_t i)
{
    struct triangulate_corner *corner = &outline->corners[i];
    corner->is_convex = area2(&outline->corners[corner->before], corner, &outline->corners[corner->after]) > 0;
}

static bool is_same_place(const struct triangulate_corner *a, const struct triangulate_corner *b)
{
    return a->x == b->x && a->y == b->y;
}

/* Whether a corner lies in a triangle or on its border. One at the same place as a corner of the triangle does not
 * count: outlines with holes pass such a place twice. */
static bool is_in_triangle(const struct triangulate_corner *p, const struct triangulate_corner *const t[3])
{
    if (is_same_place(p, t[0]) || is_same_place(p, t[1]) || is_same_place(p, t[2]))
        return false;
    return area2(t[0], t[1], p) >= 0 && area2(t[1], t[2], p) >= 0 && area2(t[2], t[0], p) >= 0;
}

/* Searches a cell, and removes corners that have become convex, because they cannot be in an ear. */
static bool is_cell_clear(struct outline *outline, uint32_t cell, const struct triangulate_corner *const t[3])
{
    uint32_t *link = &outline->cells[cell];
    outline->looks_left -= outline->looks_left > 0;
    while (*link != NO_CORNER) {
        outline->looks_left -= outline->looks_left > 0;
        struct triangulate_corner *p = &outline->corners[*link];
        if (p->is_convex)
            *link = p->next_in_cell;
        else if (p != t[0] && p != t[1] && p != t[2] && is_in_triangle(p, t))
            return false;
        else
            link = &p->next_in_cell;
    }
    return true;
}

/* Extends [*min, *max] by the x range of an edge between two heights. */
static void widen(const struct triangulate_corner *a, const struct triangulate_corner *b, double low, double high,
                  double *min, double *max)
{
    if (a->y > b->y) {
        const struct triangulate_corner *lower = b;
        b = a;
        a = lower;
    }
    if (b->y < low || a->y > high)
        return;
    const double slope = b->y > a->y ? (b->x - a->x) / (b->y - a->y) : 0;
    const double x0 = a->y < low ? a->x + slope * (low - a->y) : a->x;
    const double x1 = b->y > high ? a->x + slope * (high - a->y) : b->x;
    *min = fmin(*min, fmin(x0, x1));
    *max = fmax(*max, fmax(x0, x1));
}

/* Whether no remaining corner is inside the triangle. Searches only the cells between the triangle's edges in each
 * row. */
static bool is_clear(struct outline *outline, const struct triangulate_corner *const t[3])
{
    const uint32_t first = row_of(outline, fmin(fmin(t[0]->y, t[1]->y), t[2]->y));
    const uint32_t last = row_of(outline, fmax(fmax(t[0]->y, t[1]->y), t[2]->y));
    const double height = outline->cells_per_y > 0 ? 1 / outline->cells_per_y : 0;
    for (uint32_t row = first; row <= last; row++) {
        /* Slightly more than the row, so that rounding loses nothing at its border. */
        const double low = row == first ? -HUGE_VAL : outline->min_y + (row - 1e-6) * height;
        const double high = row == last ? HUGE_VAL : outline->min_y + (row + 1 + 1e-6) * height;
        double min = HUGE_VAL, max = -HUGE_VAL;
        for (int k = 0; k < 3; k++)
            widen(t[k], t[(k + 1) % 3], low, high, &min, &max);
        const double margin = outline->cells_per_x > 0 ? 1e-6 / outline->cells_per_x : 0;
        const uint32_t end = column_of(outline, max + margin);
        for (uint32_t column = column_of(outline, min - margin); column <= end; column++)
            if (!is_cell_clear(outline, row * outline->side + column, t))
                return false;
    }
    return true;
}

static bool is_cut(struct outline *outline, uint32_t i, enum stage stage)
{
    const struct triangulate_corner *corner = &outline->corners[i];
    const struct triangulate_corner *const t[3] = {&outline->corners[corner->before], corner,
                                                   &outline->corners[corner->after]};
    if (stage == CUT_ANY)
        return true;
    const double area = area2(t[0], t[1], t[2]);
    if (stage >= CUT_STRAIGHT && area == 0)
        return true;
    return area > 0 && (stage >= CUT_CONVEX || outline->looks_left == 0 || is_clear(outline, t));
}

/* The queue of corners to check. */
struct queue {
    struct triangulate_corner *corners;
    uint32_t first, last;
};

static void push(struct queue *queue, uint32_t i)
{
    struct triangulate_corner *corner = &queue->corners[i];
    if (corner->is_queued)
        return;
    corner->is_queued = true;
    corner->next_in_queue = NO_CORNER;
    if (queue->first == NO_CORNER)
        queue->first = i;
    else
        queue->corners[queue->last].next_in_queue = i;
    queue->last = i;
}

static uint32_t pop(struct queue *queue)
{
    const uint32_t i = queue->first;
    queue->first = queue->corners[i].next_in_queue;
    queue->corners[i].is_queued = false;
    return i;
}

static void push_outline(struct queue *queue, uint32_t any)
{
    uint32_t i = any;
    do {
        push(queue, i);
        i = queue->corners[i].after;
    } while (i != any);
}

static void cut(struct outline *outline, struct queue *queue, uint32_t i)
{
    struct triangulate_corner *corners = outline->corners;
    const uint32_t before = corners[i].before, after = corners[i].after;
    corners[i].is_convex = true; /* it is gone: the grid drops it */
    corners[before].after = after;
    corners[after].before = before;
    update_convex(outline, before);
    update_convex(outline, after);
    push(queue, before);
    push(queue, after);
    corners[after].is_deferred = true;
}

/* Cuts until one triangle is left. Cutting an ear changes only its two neighbours (Eberly, "Triangulation by ear
 * clipping", 2002), so only they are checked again. The next corner waits for a turn, which avoids thin triangles. */
static void cut_ears(struct outline *outline, uint32_t count, uint32_t *out)
{
    struct triangulate_corner *corners = outline->corners;
    struct queue queue = {.corners = corners, .first = NO_CORNER};
    enum stage stage = CUT_EARS;
    uint32_t rest = 0; /* a corner on the remaining outline */
    push_outline(&queue, 1);
    for (uint32_t left = count; left > 3;) {
        if (queue.first == NO_CORNER) {
            stage++;
            push_outline(&queue, rest);
        }
        const uint32_t i = pop(&queue);
        if (corners[i].is_deferred) {
            corners[i].is_deferred = false;
            push(&queue, i);
        } else if (is_cut(outline, i, stage)) {
            *out++ = corners[i].before;
            *out++ = i;
            *out++ = corners[i].after;
            rest = corners[i].after;
            cut(outline, &queue, i);
            left--;
        }
    }
    *out++ = rest;
    *out++ = corners[rest].after;
    *out = corners[rest].before;
}

/* Cuts a quadrilateral in which each corner is an ear as cut_ears() does, without a grid. */
static bool cut_convex_quad(const double (*points)[3], uint32_t *out)
{
    static const uint32_t CORNERS[] = {0, 1, 2, 2, 3, 0};
    struct triangulate_corner corners[4];
    project(corners, points, 4);
    for (int i = 0; i < 4; i++)
        if (!(area2(&corners[(i + 3) % 4], &corners[i], &corners[(i + 1) % 4]) > 0))
            return false;
    memcpy(out, CORNERS, sizeof CORNERS);
    return true;
}

static void make_capacity(struct triangulator *triangulator, uint32_t count, uint32_t side)
{
    if (count > triangulator->corner_capacity) {
        triangulator->corners = mem_realloc(triangulator->corners, sizeof *triangulator->corners * count);
        triangulator->corner_capacity = count;
    }
    if (side * side > triangulator->cell_capacity) {
        triangulator->cells = mem_realloc(triangulator->cells, sizeof *triangulator->cells * side * side);
        triangulator->cell_capacity = side * side;
    }
}

void triangulate(struct triangulator *triangulator, const double (*points)[3], uint32_t count, uint32_t *out)
{
    if (count == 3) {
        for (uint32_t i = 0; i < 3; i++)
            out[i] = i;
        return;
    }
    if (count == 4 && cut_convex_quad(points, out))
        return;
    const uint32_t side = 1 + (uint32_t)sqrt(count / 4.0);
    make_capacity(triangulator, count, side);
    struct outline outline = {.corners = triangulator->corners,
                              .cells = triangulator->cells,
                              .side = side,
                              .looks_left = LOOKS_FREE + LOOKS_PER_CORNER * (uint64_t)count};
    project(outline.corners, points, count);
    for (uint32_t i = 0; i < count; i++) {
        outline.corners[i].before = i == 0 ? count - 1 : i - 1;
        outline.corners[i].after = i == count - 1 ? 0 : i + 1;
        outline.corners[i].is_queued = outline.corners[i].is_deferred = false;
    }
    for (uint32_t i = 0; i < count; i++)
        update_convex(&outline, i);
    make_grid(&outline, count);
    cut_ears(&outline, count, out);
}
