/* assimp_collada.c - COLLADA by assimp and by our own reader together: meshes, skins and materials are assimp's, where
 * nodes are and how they move is the file's own. */
#include "import/assimp/assimp_clip.h"
#include "import/collada/transform_stack.h"
#include "import/curve/curve_fit.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* assimp's matrices are products of float32 factors; what differs by more is another transform. */
static const double SAME_MATRIX = 1e-3;

/* --- the tree --- */

/* assimp links by the id, else by the sid, cut to what its strings hold. */
static bool is_same_name(const struct collada *collada, uint32_t n, const struct aiString *name)
{
    const char *own = xml_get(&collada->xml, collada->nodes[n].element, "id");
    if (own == NULL || own[0] == '\0')
        own = xml_get(&collada->xml, collada->nodes[n].element, "sid");
    if (own == NULL || own[0] == '\0')
        return assimp_is_auto_name(name);
    return strncmp(own, name->data, sizeof name->data - 1) == 0;
}

/* Whether they differ by no more than a share of the largest of their first `count` numbers. */
static bool is_alike(const struct dmat4 *a, const struct dmat4 *b, int count, double share)
{
    double largest = 0, worst = 0;
    for (int i = 0; i < count; i++) {
        largest = fmax(largest, fmax(fabs(a->m[i]), fabs(b->m[i])));
        worst = fmax(worst, fabs(a->m[i] - b->m[i]));
    }
    return worst <= share * largest;
}

/* assimp takes the up vector of a <lookat> and the axis of a <rotate> as they are, of whatever direction and length,
 * and knows no <skew>. */
static bool is_comparable(const struct collada *collada, uint32_t n)
{
    const struct collada_node *node = &collada->nodes[n];
    for (uint32_t i = 0; i < node->step_count; i++) {
        const struct collada_step *step = &collada->steps[node->step_first + i];
        const double *v = step->values;
        if (step->kind >= COLLADA_LOOKAT)
            return false;
        if (step->kind == COLLADA_ROTATE && fabs(v[0] * v[0] + v[1] * v[1] + v[2] * v[2] - 1) > SAME_MATRIX)
            return false;
    }
    return true;
}

static struct dmat4 rest_of(const struct collada *collada, uint32_t n)
{
    struct transform_stack stack;
    transform_stack_init(&stack, collada, n, NULL);
    const struct dmat4 rest = transform_stack_matrix(&stack, 0);
    transform_stack_fini(&stack);
    return rest;
}

/* Node n of the file is tree node n: both come parents first. Returns 0, or ERR_BAD_MODEL where they are not the same.
 */
static int compare(const struct assimp_job *job, const struct collada *collada, struct dmat4 *rests, struct err *err)
{
    const struct node_tree *tree = &job->tree;
    if (tree->count != collada->node_count)
        return err_set(err, ERR_BAD_MODEL, "the file has %u nodes, and assimp finds %u", collada->node_count - 1,
                       tree->count - 1);
    for (uint32_t n = 0; n < tree->count; n++) {
        const struct aiString *name = &tree->nodes[n].node->mName;
        rests[n] = rest_of(collada, n);
        if (tree->nodes[n].parent != collada->nodes[n].parent || (n > 0 && !is_same_name(collada, n, name)))
            return err_set(err, ERR_BAD_MODEL, "node %u of the file is not assimp's '%s'", n, name->data);
        if (!dmat4_is_finite(&rests[n]))
            return err_set(err, ERR_BAD_MODEL, "the transform of node '%s' is not finite", name->data);
        if (n > 0 && is_comparable(collada, n) &&
            !is_alike(&rests[n], &tree->nodes[n].parent_from_node, 16, SAME_MATRIX))
            return err_set(err, ERR_BAD_MODEL, "node '%s' is elsewhere for assimp", name->data);
    }
    return 0;
}

/* The root is assimp's: it turns and scales the axes (assimp_axes()). */
static void take(struct assimp_job *job, const struct collada *collada, const struct dmat4 *rests)
{
    struct node_tree *tree = &job->tree;
    job->shown.names = mem_zalloc(tree->count, sizeof *job->shown.names);
    job->shown.count = tree->count;
    job->shown.names[0] = tree->nodes[0].node->mName;
    for (uint32_t n = 1; n < tree->count; n++) {
        struct aiString *shown = &job->shown.names[n];
        const char *name = xml_get(&collada->xml, collada->nodes[n].element, "name");
        const size_t size = name == NULL ? 0 : strlen(name);
        shown->length = (ai_uint32)(size < sizeof shown->data ? size : sizeof shown->data - 1);
        memcpy(shown->data, name != NULL ? name : "", shown->length);
        tree->nodes[n].parent_from_node = rests[n];
    }
}

void assimp_collada(struct assimp_job *job)
{
    const struct import *import = job->import;
    if (assimp_is_format(job, "zae"))
        assimp_collada_names(job);
    if (!assimp_is_format(job, "dae"))
        return;
    struct err err = {0};
    struct collada *collada = mem_zalloc(1, sizeof *collada);
    int rc = collada_read(collada, import->bytes, import->size_bytes, import->limits, import->builder, &err);
    if (rc == 0) {
        struct dmat4 *rests = mem_zalloc(collada->node_count, sizeof *rests);
        rc = compare(job, collada, rests, &err);
        if (rc == 0)
            take(job, collada, rests);
        free(rests);
    }
    if (rc == 0) {
        job->collada = collada;
        return;
    }
    collada_fini(collada);
    free(collada);
    bake_warn(import->builder, "read_by_assimp_alone",
              "transforms and clips are assimp's, in single precision and with straight lines between keys: %s",
              err.message);
    assimp_collada_names(job);
}

/* --- motion --- */

struct moving {
    struct transform_stack stack;
    int path;
    bool is_skewed;
};

/* Whether a matrix is more than the roundings of a file's decimals away from what it was taken apart to. */
static bool is_skewed(const struct transform_stack *stack, double time_s, const struct trs *trs)
{
    const struct dmat4 whole = transform_stack_matrix(stack, time_s), parts = dmat4_from_trs(trs);
    return !is_alike(&whole, &parts, 12, 1e-4);
}

static void motion_at(void *user, double time_s, double *out)
{
    struct moving *moving = user;
    struct trs trs;
    if (!transform_stack_trs(&moving->stack, time_s, &trs))
        moving->is_skewed = moving->is_skewed || is_skewed(&moving->stack, time_s, &trs);
    if (moving->path == PATH_ROTATION)
        memcpy(out, trs.rotation, sizeof trs.rotation);
    else
        memcpy(out, moving->path == PATH_SCALE ? trs.scale : trs.translation, sizeof trs.scale);
}

static double motion_turn(void *user, double from_s, double to_s)
{
    return transform_stack_turn(&((struct moving *)user)->stack, from_s, to_s);
}

/* Keeps of the rising times[*count] those within the clip, whose ends take the place of what is cut off; the clip lasts
 * as long as the file says, also where its keys end before. There is room for one more. */
static void cut_times(const struct collada_clip *clip, double *times, uint32_t *count)
{
    if (*count == 0 || !(clip->end_s > clip->start_s))
        return;
    const double first_s = fmin(fmax(times[0], clip->start_s), clip->end_s);
    const double last_s = isfinite(clip->end_s) ? clip->end_s : fmax(times[*count - 1], clip->start_s);
    uint32_t kept = 1;
    times[0] = first_s;
    for (uint32_t i = 1; i < *count; i++)
        if (times[i] > first_s && times[i] < last_s)
            times[kept++] = times[i];
    if (last_s > first_s)
        times[kept++] = last_s;
    *count = kept;
}

static void warn_of(struct assimp_job *job, uint32_t n, bool is_skewed, bool is_near)
{
    const char *name = job->tree.nodes[n].node->mName.data;
    if (is_skewed)
        bake_warn(job->import->builder, "shear_dropped", "node '%s': a clip skews it, which is left out", name);
    if (!is_near)
        bake_warn(
            job->import->builder, "curve_approximated",
            "node '%s': a clip stands upright or turns inside out between keys, which is followed less closely there",
            name);
}

static int add_node(struct assimp_job *job, const struct collada_clip *clip, uint32_t n, struct err *err)
{
    struct moving moving = {0};
    struct motion motion = {0};
    bool is_near = true;
    transform_stack_init(&moving.stack, job->collada, n, clip);
    cut_times(clip, moving.stack.times_s, &moving.stack.time_count);
    int rc = 0;
    for (int path = PATH_TRANSLATION; path <= PATH_SCALE && moving.stack.time_count > 0 && rc == 0; path++) {
        const struct curve_fit fit = {
            .at = motion_at,
            .turn = motion_turn,
            .user = &moving,
            .times_s = moving.stack.times_s,
            .time_count = moving.stack.time_count,
            .components = path == PATH_ROTATION ? 4 : 3,
            .is_rotation = path == PATH_ROTATION,
            .bound = CURVE_FIT_BOUND,
            .key_limit = job->import->limits->value[LIMIT_KEYS] / 10,
        };
        bool is_path_near;
        moving.path = path;
        rc = curve_fit(&motion.paths[path], &fit, &is_path_near, err);
        is_near &= rc < 0 || is_path_near;
    }
    if (rc < 0)
        err_prefix(err, "node '%s'", job->tree.nodes[n].node->mName.data);
    else
        rc = clip_add_motion(job, n, &motion, err);
    warn_of(job, n, moving.is_skewed, is_near);
    motion_fini(&motion);
    transform_stack_fini(&moving.stack);
    return rc;
}

/* --- morph weights --- */

struct weighing {
    const struct collada *collada;
    const uint32_t *channels; /* [channel_count], into collada->channels */
    uint32_t channel_count;
    const float *rest; /* [count] */
    uint32_t count;
};

static void weights_at(void *user, double time_s, double *out)
{
    const struct weighing *weighing = user;
    for (uint32_t w = 0; w < weighing->count; w++)
        out[w] = (double)weighing->rest[w];
    for (uint32_t c = 0; c < weighing->channel_count; c++) {
        const struct collada_channel *channel = &weighing->collada->channels[weighing->channels[c]];
        for (uint32_t i = 0; i < channel->count && i < weighing->count && channel->first < weighing->count - i; i++)
            out[channel->first + i] = sampler_at(&weighing->collada->samplers[channel->sampler], i, time_s);
    }
}

static int add_weights(struct assimp_job *job, const struct collada_clip *clip, uint32_t n, struct err *err)
{
    const struct bake_builder *builder = job->import->builder;
    const struct node *node = &builder->nodes[n];
    const uint32_t source = node->weight_count == 0 ? XML_NONE : collada_weights(job->collada, n);
    struct weighing weighing = {.collada = job->collada, .count = node->weight_count};
    if (source == XML_NONE)
        return 0;
    weighing.channels = clip_channels_of(job->collada, clip, source, &weighing.channel_count);
    if (weighing.channel_count == 0)
        return 0;
    weighing.rest = builder->weights + node->weight_first;
    uint32_t time_count;
    double *times_s = channels_times(job->collada, weighing.channels, weighing.channel_count, &time_count);
    cut_times(clip, times_s, &time_count);
    const struct curve_fit fit = {
        .at = weights_at,
        .user = &weighing,
        .times_s = times_s,
        .time_count = time_count,
        .components = node->weight_count,
        .bound = CURVE_FIT_BOUND,
        .key_limit = job->import->limits->value[LIMIT_KEYS] / node->weight_count,
    };
    struct track track;
    bool is_near;
    int rc = curve_fit(&track, &fit, &is_near, err);
    free(times_s);
    if (rc < 0)
        return err_prefix(err, "morph weights of node '%s'", job->tree.nodes[n].node->mName.data);
    warn_of(job, n, false, is_near);
    rc = track_put(&track, job->import, n, PATH_WEIGHTS, err);
    track_fini(&track);
    return rc;
}

/* --- clips --- */

/* A file without clips of its own plays everything at once. The clip is then called what assimp calls it, where that is
 * one clip too. */
static struct str clip_name(struct assimp_job *job, const struct collada_clip *clip)
{
    struct bake_builder *builder = job->import->builder;
    if (clip->name != NULL)
        return bake_textz(builder, clip->name);
    if (job->collada->clip_count == 1 && job->scene->mNumAnimations == 1)
        return assimp_text(builder, &job->scene->mAnimations[0]->mName);
    return bake_textz(builder, "default");
}

static int add_clip(struct assimp_job *job, const struct collada_clip *clip, struct err *err)
{
    struct bake_builder *builder = job->import->builder;
    const uint32_t channel_first = builder->channel_count;
    int rc = 0;
    for (uint32_t n = 1; n < job->collada->node_count && rc == 0; n++) {
        rc = add_node(job, clip, n, err);
        if (rc == 0)
            rc = add_weights(job, clip, n, err);
    }
    if (rc < 0)
        return err_prefix(err, "clip '%s'", clip->name != NULL ? clip->name : "default");
    const struct clip added = {.name = clip_name(job, clip),
                               .channel_first = channel_first,
                               .channel_count = builder->channel_count - channel_first,
                               .duration_s = clip->end_s > clip->start_s && isfinite(clip->end_s) ? clip->end_s : 0};
    return import_put_clip(job->import, &added, err);
}

int assimp_collada_clips(struct assimp_job *job, struct err *err)
{
    for (uint32_t c = 0; c < job->collada->clip_count; c++)
        if (add_clip(job, &job->collada->clips[c], err) < 0)
            return err->code;
    return 0;
}
