/* shared_camera.c - turns the points of all cells to one direction and frames them. */
#include "render/camera/shared_camera.h"

#include <math.h>
#include <string.h>

/* Shares of the slope of the picture's sides. Planes at each of them select the outermost points to keep. */
static const double SHARES[] = {0, 0.25, 0.5, 0.75, 0.85, 0.92, 1};
enum { SHARE_COUNT = sizeof SHARES / sizeof *SHARES, KEPT_COUNT = 4 * SHARE_COUNT + 2 };

/* A point and its rotation to the first direction: first_from_scene^-1 * seen_from_scene. */
struct shared_point {
    double rotation[9]; /* row-major */
    struct vec3 point;
    float reserved;
};

/* Returns row r of the rotation from scene to eye space. */
static void axis_of(const struct camera *camera, int r, double out[3])
{
    for (int c = 0; c < 3; c++)
        out[c] = camera->view_from_scene.m[4 * c + r];
}

void shared_camera_init(struct shared_camera *shared, const struct camera *level, const struct camera *first)
{
    *shared = (struct shared_camera){.level = *level, .first = *first, .box = BOX_EMPTY};
    /* x in clip space is m[0] * x / -z for a perspective camera, and m[0] * x for an orthographic one, whose sides are
     * parallel */
    const bool is_perspective = first->clip_from_view.m[11] < 0;
    shared->slopes[0] = is_perspective ? 1 / first->clip_from_view.m[0] : 0;
    shared->slopes[1] = is_perspective ? 1 / first->clip_from_view.m[5] : 0;
    struct shared_points *sets[] = {&shared->reached, &shared->posed};
    for (int i = 0; i < 2; i++) {
        buf_init(&sets[i]->kept, SIZE_MAX);
        buf_init(&sets[i]->turned, SIZE_MAX);
    }
}

void shared_camera_fini(struct shared_camera *shared)
{
    struct shared_points *sets[] = {&shared->reached, &shared->posed};
    for (int i = 0; i < 2; i++) {
        buf_fini(&sets[i]->kept);
        buf_fini(&sets[i]->turned);
    }
}

/* Lists the directions, in scene space, whose outermost points are kept. */
static void list_directions(const struct shared_camera *shared, const struct camera *seen, double out[KEPT_COUNT][3])
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
                const double inwards = SHARES[s] * shared->slopes[axis] * axes[2][i];
                out[count][i] = inwards + axes[axis][i];
                out[count + 1][i] = inwards - axes[axis][i];
            }
}

static const double NO_ROTATION[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

static void find_rotation(const struct shared_camera *shared, const struct camera *seen, double rotation[9])
{
    bool is_same = true;
    for (int k = 0; k < 12; k++)
        is_same = is_same && seen->view_from_scene.m[k] == shared->first.view_from_scene.m[k];
    if (is_same) { /* exact, so that cells in the first direction are framed as if they were alone */
        memcpy(rotation, NO_ROTATION, sizeof NO_ROTATION);
        return;
    }
    memset(rotation, 0, 9 * sizeof *rotation);
    for (int k = 0; k < 3; k++) {
        double to[3], from[3];
        axis_of(&shared->first, k, to);
        axis_of(seen, k, from);
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++)
                rotation[3 * r + c] += to[r] * from[c];
    }
}

static void widen(struct shared_camera *shared, const struct vec3 *points, uint64_t point_count)
{
    double level[3][3];
    for (int r = 0; r < 3; r++)
        axis_of(&shared->level, r, level[r]);
    for (uint64_t n = 0; n < point_count; n++) {
        const double *p = DOUBLE3(points[n]);
        box_add(&shared->box, (const double[3]){dot3(level[0], p), dot3(level[1], p), dot3(level[2], p)});
    }
}

static int check_kept(const struct shared_points *set, struct err *err)
{
    const bool is_failed = buf_failed(&set->kept) || buf_failed(&set->turned);
    return is_failed ? err_set(err, ERR_NO_MEMORY, "no memory to frame so many moments") : 0;
}

int shared_camera_add(struct shared_camera *shared, struct shared_points *set, const struct camera *seen,
                      const struct vec3 *points, uint64_t point_count, struct err *err)
{
    double directions[KEPT_COUNT][3], farthest[KEPT_COUNT];
    struct shared_point kept[KEPT_COUNT] = {0};
    list_directions(shared, seen, directions);
    find_rotation(shared, seen, kept[0].rotation);
    for (int k = 0; k < KEPT_COUNT; k++) {
        farthest[k] = -HUGE_VAL;
        memcpy(kept[k].rotation, kept[0].rotation, sizeof kept[0].rotation);
    }
    if (!shared->is_told || set != &shared->posed)
        widen(shared, points, point_count);
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

int shared_camera_add_few(struct shared_camera *shared, struct shared_points *set, const struct camera *seen,
                          const struct vec3 *points, uint64_t point_count, struct err *err)
{
    struct shared_point kept = {.reserved = 0};
    find_rotation(shared, seen, kept.rotation);
    if (memcmp(kept.rotation, NO_ROTATION, sizeof NO_ROTATION) != 0)
        return shared_camera_add(shared, set, seen, points, point_count, err);
    widen(shared, points, point_count);
    for (uint64_t n = 0; n < point_count; n++) {
        kept.point = points[n];
        buf_put(&set->kept, &kept, sizeof kept);
    }
    return check_kept(set, err);
}

void shared_camera_pivot(const struct shared_camera *shared, double pivot[3])
{
    double along[3] = {0};
    if (shared->has_target) {
        memcpy(pivot, shared->target, sizeof shared->target);
        return;
    }
    for (int i = 0; i < 3 && !box_is_empty(&shared->box); i++) {
        const double low = shared->box.min[i], high = shared->box.max[i];
        along[i] = i == 1 ? low : low <= 0 && high >= 0 ? 0 : (low + high) / 2;
    }
    memset(pivot, 0, 3 * sizeof *pivot);
    for (int r = 0; r < 3; r++) {
        double axis[3];
        axis_of(&shared->level, r, axis);
        for (int i = 0; i < 3; i++)
            pivot[i] += along[r] * axis[i];
    }
}

/* Appends the points of a set, turned to the first direction. */
static void put_turned(const struct shared_camera *shared, const struct shared_points *set, struct buf *out)
{
    const struct shared_point *kept = (const struct shared_point *)(const void *)set->kept.data;
    const size_t count = set->kept.size_bytes / sizeof *kept;
    double pivot[3];
    shared_camera_pivot(shared, pivot);
    for (size_t n = 0; n < count; n++) {
        if (memcmp(kept[n].rotation, NO_ROTATION, sizeof NO_ROTATION) == 0) {
            buf_put(out, &kept[n].point, sizeof kept[n].point);
            continue;
        }
        const double from[3] = {(double)kept[n].point.x - pivot[0], (double)kept[n].point.y - pivot[1],
                                (double)kept[n].point.z - pivot[2]};
        double to[3];
        for (int r = 0; r < 3; r++)
            to[r] = pivot[r] + dot3(kept[n].rotation + 3 * r, from);
        const struct vec3 turned = {(float)to[0], (float)to[1], (float)to[2]};
        buf_put(out, &turned, sizeof turned);
    }
}

static const struct vec3 *points_in(const struct buf *buf, uint64_t *count)
{
    *count = buf->size_bytes / sizeof(struct vec3);
    return (const struct vec3 *)(const void *)buf->data;
}

int shared_camera_find(struct shared_camera *shared, const struct camera_query *query, struct camera *out,
                       struct err *err)
{
    struct buf *reached = &shared->reached.turned, *posed = &shared->posed.turned;
    struct camera_query whole = *query; /* a closer camera is meant to cut off the surroundings */
    uint64_t reached_count, posed_count;
    buf_clear(reached);
    buf_clear(posed);
    put_turned(shared, &shared->reached, reached);
    put_turned(shared, &shared->posed, posed);
    if (check_kept(&shared->reached, err) < 0 || check_kept(&shared->posed, err) < 0)
        return err->code;
    const struct vec3 *points = points_in(reached, &reached_count), *poses = points_in(posed, &posed_count);
    whole.distance = query->distance > 1 ? query->distance : 1;
    *out = camera_frame(&whole, points, reached_count);
    if (!shared->is_told && (reached_count == 0 || !camera_sees_all(out, poses, posed_count))) {
        put_turned(shared, &shared->posed, reached);
        points = points_in(reached, &reached_count);
        *out = camera_frame(query, points, reached_count);
        return check_kept(&shared->reached, err);
    }
    *out = camera_frame(query, points, reached_count);
    camera_hold(out, poses, posed_count);
    return 0;
}

struct camera shared_camera_of_cell(const struct shared_camera *shared, const struct camera *all,
                                    const struct camera *seen)
{
    struct dmat4 rotation = DMAT4_IDENTITY; /* about the pivot */
    double rows[9], pivot[3];
    shared_camera_pivot(shared, pivot);
    find_rotation(shared, seen, rows);
    if (memcmp(rows, NO_ROTATION, sizeof NO_ROTATION) == 0)
        return *all;
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++)
            rotation.m[4 * c + r] = rows[3 * r + c];
        rotation.m[12 + r] = pivot[r] - dot3(rows + 3 * r, pivot);
    }
    struct camera camera = *all;
    camera.view_from_scene = dmat4_mul(&all->view_from_scene, &rotation);
    const double *view = camera.view_from_scene.m;
    for (int i = 0; i < 3; i++) /* the point that the view maps to the origin */
        camera.eye[i] = -(view[4 * i] * view[12] + view[4 * i + 1] * view[13] + view[4 * i + 2] * view[14]);
    return camera;
}
