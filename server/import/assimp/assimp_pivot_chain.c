/* assimp_pivot_chain.c - the motion of an FBX node, which assimp spreads over a chain of helper nodes, as one
 * translation, rotation and scale. */
#include "import/assimp/assimp_clip.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Behind a pivot the translation follows an arc where the rotation turns; chords of one degree stay within
 * 4e-5 of the pivot's distance: 1 - cos(half a degree). */
static const double STEP_RAD = 3.14159265358979323846 / 180;
enum { STEPS_MAX = 360 };

void motion_fini(struct motion *motion)
{
    for (int p = 0; p < 3; p++)
        track_fini(&motion->paths[p]);
}

int motion_from_channel(struct motion *motion, const struct assimp_job *job, const struct animation_source *source,
                        uint32_t i, struct err *err)
{
    const struct aiNodeAnim *channel = source->of_tree_node[i];
    *motion = (struct motion){0};
    if (track_from_vectors(&motion->paths[PATH_TRANSLATION], channel->mPositionKeys, channel->mNumPositionKeys,
                           source->time, err) < 0 ||
        track_from_rotations(&motion->paths[PATH_ROTATION], channel->mRotationKeys, channel->mNumRotationKeys,
                             source->time, err) < 0 ||
        track_from_vectors(&motion->paths[PATH_SCALE], channel->mScalingKeys, channel->mNumScalingKeys, source->time,
                           err) < 0) {
        motion_fini(motion);
        return err_prefix(err, "clip '%s', node '%s'", source->animation->mName.data,
                          job->tree.nodes[i].node->mName.data);
    }
    return 0;
}

/* One tree node of the chain. */
struct chain_link {
    struct dmat4 rest;
    struct motion motion;
    bool is_animated;
};

static struct dmat4 link_at(const struct chain_link *link, double time_s)
{
    if (!link->is_animated)
        return link->rest;
    struct trs trs = {.rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}};
    if (link->motion.paths[PATH_TRANSLATION].count > 0)
        track_sample(&link->motion.paths[PATH_TRANSLATION], time_s, trs.translation);
    if (link->motion.paths[PATH_ROTATION].count > 0)
        track_sample(&link->motion.paths[PATH_ROTATION], time_s, trs.rotation);
    if (link->motion.paths[PATH_SCALE].count > 0)
        track_sample(&link->motion.paths[PATH_SCALE], time_s, trs.scale);
    return dmat4_from_trs(&trs);
}

static int by_value(const void *a, const void *b)
{
    const double i = *(const double *)a, k = *(const double *)b;
    return (i > k) - (i < k);
}

/* All key times of all links, rising, each once; the caller's to free. */
static double *union_times(const struct chain_link *links, uint32_t link_count, uint32_t *count)
{
    size_t total = 0;
    for (uint32_t l = 0; l < link_count; l++)
        for (int p = 0; p < 3; p++)
            total += links[l].motion.paths[p].count;
    double *times = mem_alloc(total * sizeof *times);
    size_t at = 0;
    for (uint32_t l = 0; l < link_count; l++)
        for (int p = 0; p < 3; p++) {
            const struct track *track = &links[l].motion.paths[p];
            if (track->count > 0)
                memcpy(times + at, track->times_s, track->count * sizeof *times);
            at += track->count;
        }
    qsort(times, at, sizeof *times, by_value);
    *count = 0;
    for (size_t i = 0; i < at; i++)
        if (*count == 0 || times[i] > times[*count - 1])
            times[(*count)++] = times[i];
    return times;
}

/* Into how many parts the time between two keys is cut, so that no link turns by more than STEP_RAD in one. */
static uint32_t steps_between(const struct chain_link *links, uint32_t link_count, double from_s, double to_s)
{
    double widest_rad = 0;
    for (uint32_t l = 0; l < link_count; l++) {
        const struct track *track = &links[l].motion.paths[PATH_ROTATION];
        double a[4], b[4], dot = 0;
        if (track->count == 0)
            continue;
        track_sample(track, from_s, a);
        track_sample(track, to_s, b);
        for (int i = 0; i < 4; i++)
            dot += a[i] * b[i];
        widest_rad = fmax(widest_rad, 2 * acos(fmin(fabs(dot), 1)));
    }
    const double steps = ceil(widest_rad / STEP_RAD);
    return steps < 1 ? 1 : steps > STEPS_MAX ? STEPS_MAX : (uint32_t)steps;
}

/* Adds times between those in *times where the chain needs them. Returns 0, or -1 when that is too many. */
static int refine(const struct chain_link *links, uint32_t link_count, double **times, uint32_t *count, uint64_t limit)
{
    uint64_t total = 1;
    for (uint32_t i = 1; i < *count; i++)
        total += steps_between(links, link_count, (*times)[i - 1], (*times)[i]);
    if (total > limit)
        return -1;
    double *refined = mem_alloc((size_t)total * sizeof *refined);
    uint32_t at = 0;
    refined[at++] = (*times)[0];
    for (uint32_t i = 1; i < *count; i++) {
        const double from_s = (*times)[i - 1], to_s = (*times)[i];
        const uint32_t steps = steps_between(links, link_count, from_s, to_s);
        for (uint32_t k = 1; k <= steps; k++) {
            const double time_s = k == steps ? to_s : from_s + (to_s - from_s) * k / steps;
            if (time_s > refined[at - 1])
                refined[at++] = time_s;
        }
    }
    free(*times);
    *times = refined;
    *count = at;
    return 0;
}

static void allocate(struct motion *motion, const double *times, uint32_t count)
{
    for (int p = 0; p < 3; p++) {
        struct track *track = &motion->paths[p];
        *track =
            (struct track){.count = count, .components = p == PATH_ROTATION ? 4 : 3, .is_rotation = p == PATH_ROTATION};
        track->times_s = mem_alloc((size_t)count * sizeof *track->times_s);
        track->values = mem_alloc((size_t)count * track->components * sizeof *track->values);
        memcpy(track->times_s, times, count * sizeof *times);
    }
}

/* Evaluates the product of the chain at each time. False when some of them have shear that is lost. */
static bool fill(struct motion *motion, const struct chain_link *links, uint32_t link_count)
{
    bool is_whole = true;
    for (uint32_t i = 0; i < motion->paths[0].count; i++) {
        struct dmat4 product = DMAT4_IDENTITY;
        for (uint32_t l = 0; l < link_count; l++) {
            const struct dmat4 factor = link_at(&links[l], motion->paths[0].times_s[i]);
            product = dmat4_mul(&product, &factor);
        }
        struct trs trs;
        is_whole &= trs_from_dmat4(&product, &trs);
        memcpy(motion->paths[PATH_TRANSLATION].values + 3 * (size_t)i, trs.translation, sizeof trs.translation);
        memcpy(motion->paths[PATH_ROTATION].values + 4 * (size_t)i, trs.rotation, sizeof trs.rotation);
        memcpy(motion->paths[PATH_SCALE].values + 3 * (size_t)i, trs.scale, sizeof trs.scale);
    }
    return is_whole;
}

static int combine(struct motion *motion, const struct assimp_job *job, const struct chain_link *links,
                   uint32_t link_count, bool has_pivot, const char *name, struct err *err)
{
    uint32_t count = 0;
    const uint64_t limit = job->import->limits->value[LIMIT_KEYS] / 10;
    double *times = union_times(links, link_count, &count);
    int rc = 0;
    if (count > limit || (has_pivot && count > 0 && refine(links, link_count, &times, &count, limit) < 0))
        rc = err_set(err, ERR_MODEL_LIMIT, "node '%s' has more keys than a tenth of %s", name,
                     LIMIT_TEXT(job->import->limits, LIMIT_KEYS));
    else if (count > 0)
        allocate(motion, times, count);
    if (rc == 0 && count > 0 && !fill(motion, links, link_count))
        bake_warn(job->import->builder, "shear_dropped", "node '%s': a clip skews it, which is left out", name);
    free(times);
    return rc;
}

int motion_from_pivot_chain(struct motion *motion, const struct assimp_job *job, const struct animation_source *source,
                            uint32_t n, struct err *err)
{
    const uint32_t last = job->tree.of_model_node[n], first = job->tree.nodes[last].chain_first;
    struct chain_link *links = mem_zalloc(last - first + 1, sizeof *links);
    uint32_t count = 0;
    bool has_pivot = false;
    int rc = 0;
    *motion = (struct motion){0};
    for (uint32_t i = first; i <= last && rc == 0; i++) {
        const struct tree_node *node = &job->tree.nodes[i];
        if (node->part == PART_GEOMETRIC)
            continue;
        struct chain_link *link = &links[count++];
        has_pivot |= node->part == PART_PIVOT;
        link->rest = node->parent_from_node;
        link->is_animated = source->of_tree_node[i] != NULL;
        if (link->is_animated)
            rc = motion_from_channel(&link->motion, job, source, i, err);
    }
    if (rc == 0)
        rc = combine(motion, job, links, count, has_pivot, job->tree.nodes[last].node->mName.data, err);
    for (uint32_t l = 0; l < count; l++)
        motion_fini(&links[l].motion);
    free(links);
    if (rc < 0)
        motion_fini(motion);
    return rc;
}
