/* fbx_node_channels.c - the channels of a node: the file's keys if the baked model can represent them exactly, else
 * fitted keys. */
#include "import/curve/curve_fit.h"
#include "import/fbx/fbx_clip.h"
#include "import/fbx_take/fbx_bound.h"
#include "import/fbx_take/fbx_track.h"

#include <math.h>
#include <string.h>

static const double RAD_PER_DEG = 3.14159265358979323846 / 180;
/* A track of one key is omitted when it is this close to the rest transform, relative to 1 or the value. */
static const double SAME_VALUE = 1e-7;

/* --- as the file has them --- */

/* The property whose curves are a path's numbers, where one is: of a translation without pivots, and of a scale. */
static int plain_property(const struct fbx_node_motion *node, uint32_t path)
{
    const bool is_plain_translation =
        path == PATH_TRANSLATION && !node->is_bent && node->motions[FBX_MOVED_ROTATION_OFFSET].sheet_count == 0;
    const int property = path == PATH_SCALE ? FBX_MOVED_SCALING : is_plain_translation ? FBX_MOVED_TRANSLATION : -1;
    return property >= 0 && fbx_motion_is_plain(&node->motions[property]) ? property : -1;
}

static int exact_track(struct track *track, const struct fbx_node_motion *node, uint32_t path, double stop_s,
                       uint64_t value_limit, bool *is_exact, struct err *err)
{
    struct fbx_component components[3];
    const int property = plain_property(node, path);
    *track = (struct track){0};
    *is_exact = false;
    if (property < 0)
        return 0;
    const struct fbx_sheet *sheet = &node->motions[property].sheets[0];
    for (int c = 0; c < 3; c++) {
        const double offset = path == PATH_TRANSLATION ? node->rest.rotation_offset[c] : 0;
        const bool is_curve = sheet->curves[c].key_count > 0;
        components[c] = (struct fbx_component){
            .curve = &sheet->curves[c], .factor = 1, .constant = is_curve ? offset : offset + sheet->defaults[c]};
    }
    return fbx_track_exact(track, components, 3, stop_s, value_limit, is_exact, err);
}

/* --- fitted --- */

/* What a fit follows. */
struct followed {
    struct fbx_node_motion *node;
    uint32_t path; /* PATH_ */
    double stop_s;
    struct fbx_times extrema;
};

static void rotation_at(void *user, double time_s, double *out)
{
    const struct followed *followed = user;
    fbx_node_motion_turn(followed->node, time_s, out);
}

static void translation_at(void *user, double time_s, double *out)
{
    const struct followed *followed = user;
    const struct trs trs = fbx_node_motion_at(followed->node, time_s);
    memcpy(out, trs.translation, sizeof trs.translation);
}

static void scale_at(void *user, double time_s, double *out)
{
    const struct followed *followed = user;
    fbx_motion_at(&followed->node->motions[FBX_MOVED_SCALING], time_s, out);
}

static double rotation_turn(void *user, double from_s, double to_s)
{
    static const int ANGLES[] = {FBX_MOVED_ROTATION, FBX_MOVED_PRE_ROTATION, FBX_MOVED_POST_ROTATION};
    struct fbx_node_motion *node = ((const struct followed *)user)->node;
    double sum_deg = 0;
    for (size_t i = 0; i < sizeof ANGLES / sizeof *ANGLES; i++)
        sum_deg += fbx_motion_swing(&node->motions[ANGLES[i]], from_s, to_s);
    return sum_deg * RAD_PER_DEG;
}

static double rotation_sixth(void *user, double from_s, double to_s)
{
    struct fbx_node_motion *node = ((const struct followed *)user)->node;
    if (node->motions[FBX_MOVED_PRE_ROTATION].sheet_count > 0 || node->motions[FBX_MOVED_POST_ROTATION].sheet_count > 0)
        return HUGE_VAL;
    return fbx_motion_sixth(&node->motions[FBX_MOVED_ROTATION], from_s, to_s);
}

/* The properties that determine a path. */
static bool follows(const struct fbx_node_motion *node, uint32_t path, int property)
{
    if (path == PATH_SCALE)
        return property == FBX_MOVED_SCALING;
    if (path == PATH_ROTATION)
        return property == FBX_MOVED_ROTATION ||
               (node->rest.is_rotation_space &&
                (property == FBX_MOVED_PRE_ROTATION || property == FBX_MOVED_POST_ROTATION));
    return node->is_bent || property == FBX_MOVED_TRANSLATION || property == FBX_MOVED_ROTATION_OFFSET;
}

static const double *extrema_of(void *user, uint32_t *count)
{
    struct followed *followed = user;
    for (int i = 0; i < FBX_MOVED_COUNT; i++)
        if (follows(followed->node, followed->path, i))
            fbx_motion_extrema(&followed->node->motions[i], followed->stop_s, &followed->extrema);
    *count = followed->extrema.count;
    return followed->extrema.times_s;
}

static bool is_driven(const struct fbx_node_motion *node, uint32_t path)
{
    for (int i = 0; i < FBX_MOVED_COUNT; i++)
        if (follows(node, path, i) && node->motions[i].sheet_count > 0)
            return true;
    return false;
}

static int fitted_track(struct track *track, struct fbx_node_motion *node, uint32_t path, double stop_s,
                        uint64_t key_limit, bool *is_near, struct err *err)
{
    struct fbx_times times = {0};
    struct followed followed = {.node = node, .path = path, .stop_s = stop_s};
    for (int i = 0; i < FBX_MOVED_COUNT; i++)
        if (follows(node, path, i))
            fbx_motion_times(&node->motions[i], stop_s, &times);
    fbx_times_complete(&times);
    const struct curve_fit fit = {
        .at = path == PATH_ROTATION ? rotation_at
              : path == PATH_SCALE  ? scale_at
                                    : translation_at,
        .turn = path == PATH_ROTATION ? rotation_turn : NULL,
        .sixth = path == PATH_ROTATION ? rotation_sixth : NULL,
        .user = &followed,
        .times_s = times.times_s,
        .time_count = times.count,
        .extrema = extrema_of,
        .components = path == PATH_ROTATION ? 4 : 3,
        .is_rotation = path == PATH_ROTATION,
        .bound = CURVE_FIT_BOUND / 2,
        .may_step = true,
        .key_limit = key_limit,
    };
    const int rc = curve_fit(track, &fit, is_near, err);
    fbx_times_fini(&times);
    fbx_times_fini(&followed.extrema);
    return rc;
}

/* --- channels --- */

/* A take often has keys for nodes that do not move. */
static bool is_rest(const struct node *node, uint32_t path, const struct track *track)
{
    const float *rest = path == PATH_TRANSLATION ? node->translation
                        : path == PATH_ROTATION  ? node->rotation
                                                 : node->scale;
    double dot = 0, worst = 0;
    if (track->count != 1)
        return false;
    for (uint32_t c = 0; c < track->components; c++)
        dot += (double)rest[c] * track->values[c];
    for (uint32_t c = 0; c < track->components; c++) {
        const double same = path == PATH_ROTATION && dot < 0 ? -track->values[c] : track->values[c];
        worst = fmax(worst, fabs(same - (double)rest[c]) / fmax(1, fabs((double)rest[c])));
    }
    return worst <= SAME_VALUE;
}

static int add_path(struct fbx *fbx, struct fbx_node_motion *node, uint32_t n, uint32_t path, double stop_s,
                    struct err *err)
{
    const uint64_t key_limit = fbx->import->limits->value[LIMIT_KEYS] / 10;
    struct track track = {0};
    bool is_exact, is_near = true;
    if (!is_driven(node, path))
        return 0;
    int rc = exact_track(&track, node, path, stop_s, fbx->import->limits->value[LIMIT_KEYS], &is_exact, err);
    if (rc == 0 && !is_exact)
        rc = fitted_track(&track, node, path, stop_s, key_limit, &is_near, err);
    if (rc == 0 && !is_near)
        bake_warn(fbx->builder, "curve_approximated",
                  "%s: a clip stands upright or jumps between keys, which is followed less closely there",
                  FBX_OBJECT_TEXT(&fbx->scene, fbx->object_of[n]));
    if (rc == 0 && !is_rest(&fbx->builder->nodes[n], path, &track))
        rc = track_put(&track, fbx->import, n, path, err);
    track_fini(&track);
    return rc;
}

int fbx_add_node_channels(struct fbx *fbx, struct fbx_node_motion *node, uint32_t n, double stop_s, struct err *err)
{
    for (uint32_t path = PATH_TRANSLATION; path <= PATH_SCALE; path++)
        if (add_path(fbx, node, n, path, stop_s, err) < 0)
            return err->code;
    return 0;
}
