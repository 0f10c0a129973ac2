#include "render/camera/framing.h"

#include <math.h>
#include <string.h>

/* Shares of the slope of the picture's sides: how far inwards the planes lie whose outermost points are kept. */
static const double SHARES[] = {0, 0.25, 0.5, 0.75, 0.85, 0.92, 1};
enum { SHARE_COUNT = sizeof SHARES / sizeof *SHARES, KEPT_COUNT = 4 * SHARE_COUNT + 2 };

/* A point and how it is turned to the direction of the first: first_from_scene^-1 * seen_from_scene. */
struct framing_point {
    double turn[9]; /* row-major */
    struct vec3 point;
    float reserved;
};

static double dot3(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* Row r of the rotation from scene to eye space. */
static void axis_of(const struct camera *camera, int r, double out[3])
{
    for (int c = 0; c < 3; c++)
        out[c] = camera->view_from_scene.m[4 * c + r];
}

void framing_init(struct framing *framing, const struct camera *level, const struct camera *first)
{
    *framing = (struct framing){.level = *level, .first = *first};
    /* x of clip space is m[0] * x / -z for a perspective camera, for an orthographic one m[0] * x: its sides are
     * parallel */
    const bool is_perspective = first->clip_from_view.m[11] < 0;
    framing->slopes[0] = is_perspective ? 1 / first->clip_from_view.m[0] : 0;
    framing->slopes[1] = is_perspective ? 1 / first->clip_from_view.m[5] : 0;
    for (int i = 0; i < 3; i++) {
        framing->low[i] = HUGE_VAL;
        framing->high[i] = -HUGE_VAL;
    }
    struct framing_set *sets[] = {&framing->reached, &framing->posed};
    for (int i = 0; i < 2; i++) {
        buf_init(&sets[i]->kept, SIZE_MAX);
        buf_init(&sets[i]->turned, SIZE_MAX);
    }
}

void framing_fini(struct framing *framing)
{
    struct framing_set *sets[] = {&framing->reached, &framing->posed};
    for (int i = 0; i < 2; i++) {
        buf_fini(&sets[i]->kept);
        buf_fini(&sets[i]->turned);
    }
}

/* The directions, in scene space, whose outermost points are kept. */
static void list_directions(const struct framing *framing, const struct camera *seen, double out[KEPT_COUNT][3])
{
    double axes[3][3];
    int count = 0;
    for (int r = 0; r < 3; r++)
        axis_of(seen, r, axes[r]);
    for (int i = 0; i < 3; i++) {
        out[count][i] = axes[2][i];
        out[count + 1][i] = -axes[2][i];
    }
    count += 2;
    for (int axis = 0; axis < 2; axis++)
        for (int s = 0; s < SHARE_COUNT; s++, count += 2)
            for (int i = 0; i < 3; i++) {
                const double inwards = SHARES[s] * framing->slopes[axis] * axes[2][i];
                out[count][i] = inwards + axes[axis][i];
                out[count + 1][i] = inwards - axes[axis][i];
            }
}

static const double NO_TURN[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

static void find_turn(const struct framing *framing, const struct camera *seen, double turn[9])
{
    bool is_same = true;
    for (int k = 0; k < 12; k++)
        is_same = is_same && seen->view_from_scene.m[k] == framing->first.view_from_scene.m[k];
    if (is_same) { /* without rounding: such moments are framed as if they alone were there */
        memcpy(turn, NO_TURN, sizeof NO_TURN);
        return;
    }
    memset(turn, 0, 9 * sizeof *turn);
    for (int k = 0; k < 3; k++) {
        double to[3], from[3];
        axis_of(&framing->first, k, to);
        axis_of(seen, k, from);
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++)
                turn[3 * r + c] += to[r] * from[c];
    }
}

static void widen(struct framing *framing, const struct vec3 *points, uint64_t point_count)
{
    double level[3][3];
    for (int r = 0; r < 3; r++)
        axis_of(&framing->level, r, level[r]);
    for (uint64_t n = 0; n < point_count; n++) {
        const double p[3] = {(double)points[n].x, (double)points[n].y, (double)points[n].z};
        for (int i = 0; i < 3; i++) {
            const double at = dot3(level[i], p);
            framing->low[i] = fmin(framing->low[i], at);
            framing->high[i] = fmax(framing->high[i], at);
        }
    }
}

static int check_kept(const struct framing_set *set, struct err *err)
{
    const bool is_failed = buf_failed(&set->kept) || buf_failed(&set->turned);
    return is_failed ? err_set(err, ERR_NO_MEMORY, "no memory to frame so many moments") : 0;
}

int framing_add(struct framing *framing, struct framing_set *set, const struct camera *seen, const struct vec3 *points,
                uint64_t point_count, struct err *err)
{
    double directions[KEPT_COUNT][3], farthest[KEPT_COUNT];
    struct framing_point kept[KEPT_COUNT] = {0};
    list_directions(framing, seen, directions);
    find_turn(framing, seen, kept[0].turn);
    for (int k = 0; k < KEPT_COUNT; k++) {
        farthest[k] = -HUGE_VAL;
        memcpy(kept[k].turn, kept[0].turn, sizeof kept[0].turn);
    }
    widen(framing, points, point_count);
    for (uint64_t n = 0; n < point_count; n++) {
        const double p[3] = {(double)points[n].x, (double)points[n].y, (double)points[n].z};
        for (int k = 0; k < KEPT_COUNT; k++) {
            const double at = dot3(directions[k], p);
            if (at > farthest[k]) {
                farthest[k] = at;
                kept[k].point = points[n];
            }
        }
    }
    if (point_count > 0)
        buf_put(&set->kept, kept, sizeof kept);
    return check_kept(set, err);
}

int framing_add_few(struct framing *framing, struct framing_set *set, const struct camera *seen,
                    const struct vec3 *points, uint64_t point_count, struct err *err)
{
    struct framing_point kept = {.reserved = 0};
    find_turn(framing, seen, kept.turn);
    if (memcmp(kept.turn, NO_TURN, sizeof NO_TURN) != 0)
        return framing_add(framing, set, seen, points, point_count, err);
    widen(framing, points, point_count);
    for (uint64_t n = 0; n < point_count; n++) {
        kept.point = points[n];
        buf_put(&set->kept, &kept, sizeof kept);
    }
    return check_kept(set, err);
}

void framing_pivot(const struct framing *framing, double pivot[3])
{
    double along[3] = {0};
    if (framing->has_target) {
        memcpy(pivot, framing->target, sizeof framing->target);
        return;
    }
    for (int i = 0; i < 3 && framing->low[0] <= framing->high[0]; i++) {
        const bool has_origin = framing->low[i] <= 0 && framing->high[i] >= 0;
        along[i] = i == 1 ? framing->low[1] : has_origin ? 0 : (framing->low[i] + framing->high[i]) / 2;
    }
    memset(pivot, 0, 3 * sizeof *pivot);
    for (int r = 0; r < 3; r++) {
        double axis[3];
        axis_of(&framing->level, r, axis);
        for (int i = 0; i < 3; i++)
            pivot[i] += along[r] * axis[i];
    }
}

/* Appends the points of a set, turned to the direction of the first. */
static void put_turned(const struct framing *framing, const struct framing_set *set, struct buf *out)
{
    const struct framing_point *kept = (const struct framing_point *)(const void *)set->kept.data;
    const size_t count = set->kept.size_bytes / sizeof *kept;
    double pivot[3];
    framing_pivot(framing, pivot);
    for (size_t n = 0; n < count; n++) {
        if (memcmp(kept[n].turn, NO_TURN, sizeof NO_TURN) == 0) {
            buf_put(out, &kept[n].point, sizeof kept[n].point);
            continue;
        }
        const double from[3] = {(double)kept[n].point.x - pivot[0], (double)kept[n].point.y - pivot[1],
                                (double)kept[n].point.z - pivot[2]};
        double to[3];
        for (int r = 0; r < 3; r++)
            to[r] = pivot[r] + dot3(kept[n].turn + 3 * r, from);
        const struct vec3 turned = {(float)to[0], (float)to[1], (float)to[2]};
        buf_put(out, &turned, sizeof turned);
    }
}

static const struct vec3 *points_in(const struct buf *buf, uint64_t *count)
{
    *count = buf->size_bytes / sizeof(struct vec3);
    return (const struct vec3 *)(const void *)buf->data;
}

int framing_find(struct framing *framing, const struct camera_query *query, struct camera *out, struct err *err)
{
    struct buf *reached = &framing->reached.turned, *posed = &framing->posed.turned;
    struct camera_query whole = *query; /* who comes nearer wants to cut off what is around */
    uint64_t reached_count, posed_count;
    buf_clear(reached);
    buf_clear(posed);
    put_turned(framing, &framing->reached, reached);
    put_turned(framing, &framing->posed, posed);
    if (check_kept(&framing->reached, err) < 0 || check_kept(&framing->posed, err) < 0)
        return err->code;
    const struct vec3 *points = points_in(reached, &reached_count), *poses = points_in(posed, &posed_count);
    whole.distance = query->distance > 1 ? query->distance : 1;
    *out = camera_frame(&whole, points, reached_count);
    if (reached_count == 0 || !camera_sees_all(out, poses, posed_count)) {
        put_turned(framing, &framing->posed, reached);
        points = points_in(reached, &reached_count);
        *out = camera_frame(query, points, reached_count);
        return check_kept(&framing->reached, err);
    }
    *out = camera_frame(query, points, reached_count);
    camera_hold(out, poses, posed_count);
    return 0;
}

struct camera framing_camera(const struct framing *framing, const struct camera *all, const struct camera *seen)
{
    struct dmat4 turn = DMAT4_IDENTITY; /* about the pivot */
    double rows[9], pivot[3];
    framing_pivot(framing, pivot);
    find_turn(framing, seen, rows);
    if (memcmp(rows, NO_TURN, sizeof NO_TURN) == 0)
        return *all;
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++)
            turn.m[4 * c + r] = rows[3 * r + c];
        turn.m[12 + r] = pivot[r] - dot3(rows + 3 * r, pivot);
    }
    struct camera camera = *all;
    camera.view_from_scene = dmat4_mul(&all->view_from_scene, &turn);
    const double *view = camera.view_from_scene.m;
    for (int i = 0; i < 3; i++) /* the point that the view takes to the origin */
        camera.eye[i] = -(view[4 * i] * view[12] + view[4 * i + 1] * view[13] + view[4 * i + 2] * view[14]);
    return camera;
}
