#include "render/camera/reach.h"

#include "render/camera/moment.h"

#include "anim/pose/bounds.h"
#include "anim/camera/hull.h"
#include "base/view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    POSES_MIN = 16,
    POSES_MAX = 240,
    VERTICES_MAX = 200000, /* of all poses together, unless those are the fewest */
    GATHERED_MAX = 16384,  /* points until their hull is taken */
};
static const double STEP_S = 1 / 24.0; /* keys further apart than this have poses between them */
static const double TOLERANCE = 2e-4;  /* of what is reached: so little of it may be left out */
static const float FARTHEST = 1e30f;
static const double LAST_MOMENT = 0.999; /* of the part: at its end a clip that loops is where it began */

_Static_assert((int)MOMENT_POSES_MAX == 2 * (int)POSES_MAX + 2, "every pose that is looked at may be the moment");

/* The walk through the clip. */
struct walk {
    const struct reach_work *work;
    struct vec3 *gathered; /* [GATHERED_MAX + of one pose] */
    uint32_t gathered_count;
    struct vec3 *rest; /* the points at rest, as they follow each other in a pose */
    uint32_t rest_count;
    double times_s[2 * POSES_MAX + 2];
    uint32_t time_count;
    struct moments moments; /* the poses that could be evaluated */
    struct box *boxes;      /* [node_count] */
};

/* The most points that a pose can have. */
static uint64_t count_points(const struct reach_work *work)
{
    const struct model *model = work->model;
    uint64_t count = 0;
    for (uint32_t d = 0; d < model->draw_count; d++)
        if ((model->draws[d].flags & DRAW_IN_SCENE) != 0)
            count += outline_count(work->outline, model->draws[d].primitive);
    return count > 0 ? count : model->node_count;
}

static void add_time(struct walk *walk, double time_s)
{
    if (walk->time_count < sizeof walk->times_s / sizeof *walk->times_s)
        walk->times_s[walk->time_count++] = time_s;
}

/* The keys and what lies between those far from each other; evenly spread times where that is too much. */
static void list_times(struct walk *walk, const struct reach_key *key, uint32_t limit)
{
    const double span_s = key->end_s - key->begin_s, step_s = fmax(STEP_S, span_s / limit);
    struct bounds_walk keys = {
        .model = walk->work->model, .clip = key->clip, .from_s = key->begin_s, .to_s = key->end_s};
    double time_s, last_s = key->begin_s;
    while (keys.count <= limit && bounds_next_time(&keys, &time_s)) {
        const double parts = ceil((time_s - last_s) / step_s * (1 - 1e-9));
        for (double part = 1; part < parts; part++)
            add_time(walk, last_s + (time_s - last_s) * part / parts);
        add_time(walk, time_s);
        last_s = time_s;
    }
    if (keys.count <= limit)
        return;
    walk->time_count = 0;
    for (uint32_t i = 0; i <= limit; i++)
        add_time(walk, key->begin_s + span_s * i / limit);
}

/* The points of the pose that the frame has: of the outline, or of a skeleton the places of its nodes. area: theirs. */
static uint32_t pose_points(const struct reach_work *work, struct vec3 *out, double *area)
{
    const struct frame *frame = work->frame;
    const struct model *model = work->model;
    uint32_t count = 0;
    *area = 0;
    for (uint32_t d = 0; d < frame->draw_count; d++) {
        const struct draw *draw = &model->draws[frame->draws[d].draw];
        const struct node *node = &model->nodes[draw->node];
        outline_positions(work->outline, model, draw->primitive, frame->palette + model->skins[draw->skin].joint_first,
                          frame->pose.weights + node->weight_first, node->weight_count, out + count);
        *area += moment_area(out + count, outline_count(work->outline, draw->primitive));
        count += outline_count(work->outline, draw->primitive);
    }
    for (uint32_t n = 0; frame->draw_count == 0 && n < model->node_count; n++) {
        const double *m = frame->pose.scene_from_node[n].m;
        out[count++] = (struct vec3){(float)m[12], (float)m[13], (float)m[14]};
    }
    if (frame->draw_count == 0)
        *area = moment_area(out, count);
    return count;
}

/* False: some point is nowhere, or so far away that everything else would vanish: the pose of a broken clip. */
static bool is_sound(const struct vec3 *points, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!(fabsf(points[i].x) < FARTHEST && fabsf(points[i].y) < FARTHEST && fabsf(points[i].z) < FARTHEST))
            return false;
    return true;
}

/* Root mean squares: of the points' distances from their middle, and from their places at rest. */
static void rate(const struct walk *walk, const struct vec3 *points, uint32_t count, struct moment_score *score)
{
    double sum[6] = {0}, squares[6] = {0};
    for (uint32_t i = 0; i < count; i++) {
        const double at[3] = {(double)points[i].x, (double)points[i].y, (double)points[i].z};
        const double origin[3] = {(double)points[0].x, (double)points[0].y, (double)points[0].z};
        const struct vec3 rest = i < walk->rest_count ? walk->rest[i] : points[i];
        const double from[3] = {(double)rest.x, (double)rest.y, (double)rest.z};
        for (int a = 0; a < 3; a++) {
            const double moved = at[a] - from[a];
            const double beside = at[a] - origin[a];
            sum[a] += beside;
            squares[a] += beside * beside;
            sum[3 + a] += moved;
            squares[3 + a] += moved * moved;
        }
    }
    double variances[2] = {0};
    for (int a = 0; a < 6 && count > 0; a++)
        variances[a / 3] += fmax(squares[a] / count - sum[a] / count * (sum[a] / count), 0);
    score->width = sqrt(variances[0]);
    score->distance = sqrt(variances[1]);
}

static double size_of(const struct vec3 *points, uint32_t count)
{
    struct box box = BOX_EMPTY;
    for (uint32_t i = 0; i < count; i++)
        box_add(&box, (const double[3]){(double)points[i].x, (double)points[i].y, (double)points[i].z});
    double size = 0;
    for (int i = 0; i < 3 && count > 0; i++)
        size = fmax(size, box.max[i] - box.min[i]);
    return size;
}

static void reduce(struct walk *walk)
{
    walk->gathered_count =
        hull_reduce(walk->gathered, walk->gathered_count, TOLERANCE * size_of(walk->gathered, walk->gathered_count));
}

static int gather(struct walk *walk, const struct vec3 *points, uint32_t count, struct err *err)
{
    const uint64_t needed = (uint64_t)walk->gathered_count + count;
    if (needed > GATHERED_MAX && walk->gathered_count > 0)
        reduce(walk);
    const size_t room = (size_t)walk->gathered_count + count;
    struct vec3 *grown = realloc(walk->gathered, (room > GATHERED_MAX ? room : GATHERED_MAX) * sizeof *grown);
    if (grown == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for what a clip reaches");
    walk->gathered = grown;
    memcpy(grown + walk->gathered_count, points, count * sizeof *points);
    walk->gathered_count += count;
    return 0;
}

/* Evaluates one time; what cannot be evaluated is left out. `points` is room for those of a pose. */
static int look_at(struct walk *walk, const struct frame_view *view, struct vec3 *points, struct err *err)
{
    const struct reach_work *work = walk->work;
    struct err why = {0};
    if (frame_move(work->frame, work->model, view, &why) < 0)
        return why.code == ERR_NO_MEMORY ? err_set(err, why.code, "%s", why.message) : 0;
    struct moment_score score;
    const uint32_t count = pose_points(work, points, &score.area);
    if (!is_sound(points, count))
        return 0;
    const bool has_bones = work->frame->draw_count == 0;
    if (gather(walk, has_bones ? work->frame->bones.positions : points,
               has_bones ? work->frame->bones.vertex_count : count, err) < 0)
        return err->code;
    for (uint32_t n = 0; n < work->model->node_count; n++)
        box_add(&walk->boxes[n], &work->frame->pose.scene_from_node[n].m[12]);
    rate(walk, points, count, &score);
    moments_add(&walk->moments, &work->frame->pose, view->clip_time_s, &score);
    return 0;
}

static void take_rest(struct walk *walk, uint64_t point_count)
{
    struct frame_view view = *walk->work->view;
    struct err ignored;
    view.clip = POSE_REST;
    view.root = 0;
    walk->rest = malloc((point_count + 1) * sizeof *walk->rest);
    if (walk->rest == NULL || frame_move(walk->work->frame, walk->work->model, &view, &ignored) < 0)
        return;
    double area;
    const uint32_t count = pose_points(walk->work, walk->rest, &area);
    walk->rest_count = is_sound(walk->rest, count) ? count : 0;
}

static int walk_clip(struct walk *walk, struct reach *reach, struct err *err)
{
    const struct reach_work *work = walk->work;
    const uint64_t point_count = count_points(work);
    const uint64_t affordable = VERTICES_MAX / (point_count + 1);
    struct frame_view view = *work->view;
    struct picture_spec look = *view.look;
    look.view = VIEW_LIT; /* others may need more of a pose */
    view.look = &look;
    if (moments_init(&walk->moments, work->model, view.clip, err) < 0)
        return err->code;
    struct vec3 *points = malloc((point_count + 1) * sizeof *points);
    walk->boxes = malloc(((size_t)work->model->node_count + 1) * sizeof *walk->boxes);
    if (points == NULL || walk->boxes == NULL) {
        free(points);
        return err_set(err, ERR_NO_MEMORY, "no memory for the poses of a clip");
    }
    for (uint32_t n = 0; n < work->model->node_count; n++)
        walk->boxes[n] = BOX_EMPTY;
    take_rest(walk, point_count);
    list_times(walk, &reach->key,
               affordable < POSES_MIN   ? POSES_MIN
               : affordable > POSES_MAX ? POSES_MAX
                                        : (uint32_t)affordable);
    int rc = 0;
    for (uint32_t i = 0; i < walk->time_count && rc == 0; i++) {
        view.clip_time_s = walk->times_s[i];
        rc = look_at(walk, &view, points, err);
    }
    free(points);
    return rc;
}

static int take_middles(const struct walk *walk, struct reach *reach, struct err *err)
{
    const uint32_t node_count = walk->work->model->node_count;
    reach->node_middles = calloc((size_t)node_count + 1, sizeof *reach->node_middles);
    if (reach->node_middles == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for %u nodes", node_count);
    for (uint32_t n = 0; n < node_count && walk->moments.count > 0; n++) {
        const struct box *box = &walk->boxes[n];
        reach->node_middles[n] =
            (struct vec3){(float)(box->min[0] / 2 + box->max[0] / 2), (float)(box->min[1] / 2 + box->max[1] / 2),
                          (float)(box->min[2] / 2 + box->max[2] / 2)};
    }
    return 0;
}

static int make_reach(struct reach *reach, const struct reach_work *work, struct err *err)
{
    struct walk walk = {.work = work};
    int rc = walk_clip(&walk, reach, err);
    if (rc == 0) {
        reduce(&walk);
        reach->moment_s =
            moments_find(&walk.moments, reach->key.begin_s + (reach->key.end_s - reach->key.begin_s) * LAST_MOMENT,
                         reach->key.begin_s);
        rc = take_middles(&walk, reach, err);
    }
    if (rc == 0) {
        reach->points = walk.gathered;
        reach->point_count = walk.gathered_count;
        walk.gathered = NULL;
    }
    free(walk.gathered);
    free(walk.rest);
    moments_fini(&walk.moments);
    free(walk.boxes);
    return rc;
}

static void reach_fini(struct reach *reach)
{
    free(reach->points);
    free(reach->node_middles);
    *reach = (struct reach){0};
}

int reach_get(struct reaches *reaches, const struct reach_key *key, const struct reach_work *work, struct reach **out,
              struct err *err)
{
    struct reach *oldest = &reaches->kept[0];
    reaches->uses++;
    for (int i = 0; i < REACHES_MAX; i++) {
        struct reach *reach = &reaches->kept[i];
        if (reach->used > 0 && memcmp(&reach->key, key, sizeof *key) == 0) {
            reach->used = reaches->uses;
            *out = reach;
            return 0;
        }
        if (reach->used < oldest->used)
            oldest = reach;
    }
    reach_fini(oldest);
    oldest->key = *key;
    if (make_reach(oldest, work, err) < 0) {
        reach_fini(oldest);
        return err->code;
    }
    oldest->used = reaches->uses;
    *out = oldest;
    return 0;
}

static bool is_same(const struct camera_query *a, const struct camera_query *b)
{
    bool is_equal = a->is_ortho == b->is_ortho && a->has_target == b->has_target;
    const double x[] = {a->yaw_deg, a->pitch_deg, a->fov_deg, a->aspect, a->margin, a->distance};
    const double y[] = {b->yaw_deg, b->pitch_deg, b->fov_deg, b->aspect, b->margin, b->distance};
    is_equal = is_equal && memcmp(x, y, sizeof x) == 0 && memcmp(a->target, b->target, sizeof a->target) == 0;
    return is_equal && memcmp(a->up, b->up, sizeof a->up) == 0 &&
           memcmp(a->forward, b->forward, sizeof a->forward) == 0;
}

const struct camera *reach_camera(struct reach *reach, const struct camera_query *query)
{
    if (!reach->has_camera || !is_same(&reach->query, query)) {
        reach->camera = camera_frame(query, reach->points, reach->point_count);
        reach->query = *query;
        reach->has_camera = true;
    }
    return &reach->camera;
}

void reaches_fini(struct reaches *reaches)
{
    for (int i = 0; i < REACHES_MAX; i++)
        reach_fini(&reaches->kept[i]);
}
