/* clip_bounds.c - poses a clip at many times and keeps the hull of all poses. */
#include "render/camera/clip_bounds.h"

#include "render/camera/key_pose.h"

#include "anim/pose/bounds.h"
#include "anim/camera/hull.h"
#include "base/picture/view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    POSES_MIN = 16,
    POSES_MAX = 240,
    VERTICES_MAX = 200000, /* of all poses together, unless the least number of poses has more */
    GATHERED_MAX = 16384,  /* points before their hull is taken */
};
static const double STEP_S = 1 / 24.0; /* keys farther apart than this have poses between them */
static const double TOLERANCE = 2e-4;  /* of the extent: what may be left out */
static const float FARTHEST = 1e30f;
static const double LAST_MOMENT = 0.999; /* of the part: at its very end a looping clip is where it began */

_Static_assert((int)KEY_POSE_POSES_MAX == 2 * (int)POSES_MAX + 2, "every pose that is looked at may be the moment");

/* The state of a walk through the clip. */
struct bounds_walk {
    const struct clip_bounds_input *work;
    struct vec3 *gathered; /* [GATHERED_MAX + those of one pose] */
    uint32_t gathered_count;
    struct vec3 *rest; /* the points at rest, in the order of a pose's points */
    uint32_t rest_count;
    struct vec3 *points, *before; /* of the pose that is looked at, and of the one looked at before it */
    uint32_t before_count;
    struct calibration_joints joints;
    double times_s[2 * POSES_MAX + 2];
    uint32_t time_count;
    struct key_pose_search search; /* the poses that could be evaluated */
    struct box *boxes;             /* [node_count] */
};

/* Returns the greatest number of points in a pose. A clip may show what the file hides. */
static uint64_t count_points(const struct clip_bounds_input *work)
{
    const struct model *model = work->model;
    uint64_t count = 0;
    for (uint32_t d = 0; d < model->draw_count; d++)
        if ((model->nodes[model->draws[d].node].flags & NODE_IN_SCENE) != 0)
            count += hull_vertices_count(work->hull, model->draws[d].primitive);
    return count > 0 ? count : model->node_count;
}

static void add_time(struct bounds_walk *walk, double time_s)
{
    if (walk->time_count < sizeof walk->times_s / sizeof *walk->times_s)
        walk->times_s[walk->time_count++] = time_s;
}

/* Lists the keys, and times between keys that are far apart; evenly spaced times where those are too many. */
static void list_times(struct bounds_walk *walk, const struct clip_bounds_key *key, uint32_t limit)
{
    const double span_s = key->end_s - key->begin_s, step_s = fmax(STEP_S, span_s / limit);
    struct bounds_times keys = {
        .model = walk->work->model, .clip = key->clip, .from_s = key->begin_s, .to_s = key->end_s};
    double time_s, last_s = key->begin_s;
    while (keys.count <= limit && bounds_times_next(&keys, &time_s)) {
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

/* Writes the points of work->posed: those of its outline, or the places of a skeleton's nodes. *area: their area. */
static uint32_t pose_points(const struct clip_bounds_input *work, struct vec3 *out, double *area)
{
    const struct posed_model *posed = work->posed;
    const struct model *model = work->model;
    uint32_t count = 0;
    *area = 0;
    for (uint32_t d = 0; d < posed->draw_count; d++) {
        const struct draw *draw = &model->draws[posed->draws[d].draw];
        const struct node *node = &model->nodes[draw->node];
        const struct skin_palette palette = posed_model_palette(posed, model, draw->skin);
        hull_vertices_positions(work->hull, model, draw->primitive, &palette, posed->pose.weights + node->weight_first,
                                node->weight_count, out + count);
        *area += points_area(out + count, hull_vertices_count(work->hull, draw->primitive));
        count += hull_vertices_count(work->hull, draw->primitive);
    }
    for (uint32_t n = 0; posed->draw_count == 0 && n < model->node_count; n++) {
        const double *m = posed->pose.scene_from_node[n].m;
        out[count++] = (struct vec3){(float)m[12], (float)m[13], (float)m[14]};
    }
    if (posed->draw_count == 0)
        *area = points_area(out, count);
    return count;
}

/* False: some point is not finite, or so far away that everything else would vanish, as in a broken clip. */
static bool is_sound(const struct vec3 *points, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!(fabsf(points[i].x) < FARTHEST && fabsf(points[i].y) < FARTHEST && fabsf(points[i].z) < FARTHEST))
            return false;
    return true;
}

/* Returns the root mean square of the points' distances from their middle; with `from`, of how far each of from_count
 * points has moved from there, apart from what all have in common. */
static double spread_of(const struct vec3 *points, uint32_t count, const struct vec3 *from, uint32_t from_count)
{
    double sum[3] = {0}, squares[3] = {0}, variance = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct vec3 *origin = from == NULL ? &points[0] : i < from_count ? &from[i] : &points[i];
        const double moved[3] = {(double)points[i].x - (double)origin->x, (double)points[i].y - (double)origin->y,
                                 (double)points[i].z - (double)origin->z};
        for (int a = 0; a < 3; a++) {
            sum[a] += moved[a];
            squares[a] += moved[a] * moved[a];
        }
    }
    for (int a = 0; a < 3 && count > 0; a++)
        variance += fmax(squares[a] / count - sum[a] / count * (sum[a] / count), 0);
    return sqrt(variance);
}

static void rate(const struct bounds_walk *walk, uint32_t count, struct pose_score *score)
{
    const struct model *model = walk->work->model;
    const bool is_told = walk->search.is_timeline && count == walk->rest_count;
    score->width = spread_of(walk->points, count, NULL, 0);
    score->distance = walk->rest_count == 0 ? 0 : spread_of(walk->points, count, walk->rest, walk->rest_count);
    score->step = walk->before_count == count ? spread_of(walk->points, count, walk->before, count) : 0;
    score->upright = is_told ? points_upright(walk->rest, walk->points, count, model->infos[0].up) : 1;
    score->calibration = calibration_of_pose(&walk->joints, &walk->work->posed->pose, model->infos[0].up);
}

static double size_of(const struct vec3 *points, uint32_t count)
{
    struct box box = BOX_EMPTY;
    for (uint32_t i = 0; i < count; i++)
        box_add(&box, DOUBLE3(points[i]));
    return box_size(&box);
}

static void reduce(struct bounds_walk *walk)
{
    walk->gathered_count =
        hull_reduce(walk->gathered, walk->gathered_count, TOLERANCE * size_of(walk->gathered, walk->gathered_count));
}

static int gather(struct bounds_walk *walk, const struct vec3 *points, uint32_t count, struct err *err)
{
    const uint64_t needed = (uint64_t)walk->gathered_count + count;
    if (needed > GATHERED_MAX && walk->gathered_count > 0)
        reduce(walk);
    const size_t capacity = (size_t)walk->gathered_count + count;
    struct vec3 *grown = realloc(walk->gathered, (capacity > GATHERED_MAX ? capacity : GATHERED_MAX) * sizeof *grown);
    if (grown == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for what a clip reaches");
    walk->gathered = grown;
    memcpy(grown + walk->gathered_count, points, count * sizeof *points);
    walk->gathered_count += count;
    return 0;
}

/* Evaluates one time. What cannot be evaluated is left out. */
static int look_at(struct bounds_walk *walk, const struct pose_view *view, struct err *err)
{
    const struct clip_bounds_input *work = walk->work;
    struct err why = {0};
    if (posed_model_evaluate(work->posed, work->model, view, &why) < 0)
        return why.code == ERR_NO_MEMORY ? err_set(err, why.code, "%s", why.message) : 0;
    struct pose_score score;
    const uint32_t count = pose_points(work, walk->points, &score.area);
    if (!is_sound(walk->points, count))
        return 0;
    const bool has_bones = work->posed->draw_count == 0;
    if (gather(walk, has_bones ? work->posed->skeleton.positions : walk->points,
               has_bones ? work->posed->skeleton.vertex_count : count, err) < 0)
        return err->code;
    for (uint32_t n = 0; n < work->model->node_count; n++)
        box_add(&walk->boxes[n], &work->posed->pose.scene_from_node[n].m[12]);
    rate(walk, count, &score);
    key_pose_add(&walk->search, &work->posed->pose, view->clip_time_s, &score);
    struct vec3 *looked_at = walk->points;
    walk->points = walk->before;
    walk->before = looked_at;
    walk->before_count = count;
    return 0;
}

static void take_rest(struct bounds_walk *walk, uint64_t point_count)
{
    struct pose_view view = *walk->work->view;
    struct err ignored;
    view.clip = POSE_REST;
    view.on_top = NULL;
    view.root = 0;
    walk->rest = malloc((point_count + 1) * sizeof *walk->rest);
    if (walk->rest == NULL || posed_model_evaluate(walk->work->posed, walk->work->model, &view, &ignored) < 0)
        return;
    double area;
    const uint32_t count = pose_points(walk->work, walk->rest, &area);
    walk->rest_count = is_sound(walk->rest, count) ? count : 0;
}

static int walk_clip(struct bounds_walk *walk, struct clip_bounds *bounds, struct err *err)
{
    const struct clip_bounds_input *work = walk->work;
    const uint64_t point_count = count_points(work);
    const uint64_t affordable = VERTICES_MAX / (point_count + 1);
    struct pose_view view = *work->view;
    struct picture_spec picture = *view.picture;
    picture.view = VIEW_LIT; /* its other users may need more of a pose, */
    view.on_top = NULL;      /* and have nothing on top */
    view.picture = &picture;
    if (key_pose_init(&walk->search, work->model, view.clip, err) < 0)
        return err->code;
    walk->points = malloc((point_count + 1) * sizeof *walk->points);
    walk->before = malloc((point_count + 1) * sizeof *walk->before);
    walk->boxes = malloc(((size_t)work->model->node_count + 1) * sizeof *walk->boxes);
    if (walk->points == NULL || walk->before == NULL || walk->boxes == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for the poses of a clip");
    calibration_joints_find(&walk->joints, work->model);
    for (uint32_t n = 0; n < work->model->node_count; n++)
        walk->boxes[n] = BOX_EMPTY;
    take_rest(walk, point_count);
    list_times(walk, &bounds->key,
               affordable < POSES_MIN   ? POSES_MIN
               : affordable > POSES_MAX ? POSES_MAX
                                        : (uint32_t)affordable);
    int rc = 0;
    for (uint32_t i = 0; i < walk->time_count && rc == 0; i++) {
        view.clip_time_s = walk->times_s[i];
        rc = look_at(walk, &view, err);
    }
    return rc;
}

static int take_middles(const struct bounds_walk *walk, struct clip_bounds *bounds, struct err *err)
{
    const uint32_t node_count = walk->work->model->node_count;
    bounds->node_middles = calloc((size_t)node_count + 1, sizeof *bounds->node_middles);
    if (bounds->node_middles == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for %u nodes", node_count);
    for (uint32_t n = 0; n < node_count && walk->search.count > 0; n++) {
        const struct box *box = &walk->boxes[n];
        bounds->node_middles[n] =
            (struct vec3){(float)(box->min[0] / 2 + box->max[0] / 2), (float)(box->min[1] / 2 + box->max[1] / 2),
                          (float)(box->min[2] / 2 + box->max[2] / 2)};
    }
    return 0;
}

static int make_bounds(struct clip_bounds *bounds, const struct clip_bounds_input *work, struct err *err)
{
    struct bounds_walk walk = {.work = work};
    int rc = walk_clip(&walk, bounds, err);
    if (rc == 0) {
        reduce(&walk);
        bounds->key_pose_s =
            key_pose_find(&walk.search, bounds->key.begin_s + (bounds->key.end_s - bounds->key.begin_s) * LAST_MOMENT,
                          bounds->key.begin_s);
        rc = take_middles(&walk, bounds, err);
    }
    if (rc == 0) {
        bounds->points = walk.gathered;
        bounds->point_count = walk.gathered_count;
        walk.gathered = NULL;
    }
    free(walk.gathered);
    free(walk.rest);
    free(walk.points);
    free(walk.before);
    key_pose_fini(&walk.search);
    free(walk.boxes);
    return rc;
}

static void clip_bounds_fini(struct clip_bounds *bounds)
{
    free(bounds->points);
    free(bounds->node_middles);
    *bounds = (struct clip_bounds){0};
}

int clip_bounds_get(struct clip_bounds_cache *bounds_cache, const struct clip_bounds_key *key,
                    const struct clip_bounds_input *work, struct clip_bounds **out, struct err *err)
{
    struct clip_bounds *oldest = &bounds_cache->kept[0];
    bounds_cache->uses++;
    for (int i = 0; i < CLIP_BOUNDS_KEPT_MAX; i++) {
        struct clip_bounds *bounds = &bounds_cache->kept[i];
        if (bounds->used > 0 && memcmp(&bounds->key, key, sizeof *key) == 0) {
            bounds->used = bounds_cache->uses;
            *out = bounds;
            return 0;
        }
        if (bounds->used < oldest->used)
            oldest = bounds;
    }
    clip_bounds_fini(oldest);
    oldest->key = *key;
    if (make_bounds(oldest, work, err) < 0) {
        clip_bounds_fini(oldest);
        return err->code;
    }
    oldest->used = bounds_cache->uses;
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

const struct camera *clip_bounds_camera(struct clip_bounds *bounds, const struct camera_query *query)
{
    if (!bounds->has_camera || !is_same(&bounds->query, query)) {
        bounds->camera = camera_frame(query, bounds->points, bounds->point_count);
        bounds->query = *query;
        bounds->has_camera = true;
    }
    return &bounds->camera;
}

void clip_bounds_cache_fini(struct clip_bounds_cache *bounds_cache)
{
    for (int i = 0; i < CLIP_BOUNDS_KEPT_MAX; i++)
        clip_bounds_fini(&bounds_cache->kept[i]);
}
