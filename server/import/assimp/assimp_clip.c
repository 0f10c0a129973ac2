/* assimp_clip.c - converts assimp's animations to clips with one channel for each animated path of a node. */
#include "import/assimp/assimp_clip.h"
#include "import/assimp/assimp_track.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The rate that users of assimp assume if a file gives none, as X files may. */
static const double TICKS_PER_S_UNKNOWN = 25;

/* The largest difference between two decompositions of one matrix, relative to 1 or the value. */
static const double SAME_VALUE = 1e-6;

/* Translation, rotation, scale, as PATH_ numbers them; count 0 = none. */
struct motion {
    struct track paths[3];
};

/* One assimp animation by node. */
struct animation_source {
    const struct aiAnimation *animation;
    const struct aiNodeAnim **of_node; /* [tree->count], NULL = none */
    double ticks_per_s;                /* not 0 */
};

/* assimp gives every channel all three tracks; one that the file does not have is a key of the rest value. */
static bool is_rest(const struct node *node, uint32_t path, const struct track *track)
{
    const float *rest = path == PATH_TRANSLATION ? node->translation
                        : path == PATH_ROTATION  ? node->rotation
                                                 : node->scale;
    if (track->count != 1)
        return false;
    double dot = 0;
    for (uint32_t c = 0; c < track->components; c++) {
        dot += (double)rest[c] * track->values[c];
        if (path != PATH_ROTATION &&
            fabs((double)rest[c] - track->values[c]) > SAME_VALUE * fmax(1, fabs((double)rest[c])))
            return false;
    }
    /* 1 - cos of the half angle; its square root is proportional to the angle. */
    return path != PATH_ROTATION || 1 - fabs(dot) < SAME_VALUE * SAME_VALUE;
}

static void motion_fini(struct motion *motion)
{
    for (int p = 0; p < 3; p++)
        track_fini(&motion->paths[p]);
}

/* Adds the tracks of a node to the model, except tracks of one key that equals the rest transform. */
static int clip_add_motion(struct assimp_job *job, uint32_t node, const struct motion *motion, struct err *err)
{
    for (uint32_t path = 0; path < 3; path++) {
        const struct track *track = &motion->paths[path];
        if (track->count == 0 || is_rest(&job->import->builder->nodes[node], path, track))
            continue;
        if (track_put(track, job->import, node, path, err) < 0)
            return err->code;
    }
    return 0;
}

/* MS3D: a key is relative to the joint at rest, local = rest * key (MilkShape 3D viewer, EvaluateJoint); assimp adds
 * the key's translation without rotating it by the joint's rest rotation. */
static void turn_ms3d_moves(const struct assimp_job *job, uint32_t n, struct motion *motion)
{
    struct track *track = &motion->paths[PATH_TRANSLATION];
    const double *rest = job->tree.nodes[n].parent_from_node.m;
    for (uint32_t k = 0; k < track->count; k++) {
        double *at = track->values + 3 * (size_t)k;
        const double move[3] = {at[0] - rest[12], at[1] - rest[13], at[2] - rest[14]};
        for (int r = 0; r < 3; r++)
            at[r] = rest[12 + r] + rest[r] * move[0] + rest[4 + r] * move[1] + rest[8 + r] * move[2];
    }
}

/* Reads the motion of node `n` from its own channel. Returns 0 or an error of track_from_*(), which names the node. */
static int motion_from_channel(struct motion *motion, const struct assimp_job *job,
                               const struct animation_source *source, uint32_t n, struct err *err)
{
    const struct aiNodeAnim *channel = source->of_node[n];
    *motion = (struct motion){0};
    if (track_from_vectors(&motion->paths[PATH_TRANSLATION], channel->mPositionKeys, channel->mNumPositionKeys,
                           source->ticks_per_s, err) < 0 ||
        track_from_rotations(&motion->paths[PATH_ROTATION], channel->mRotationKeys, channel->mNumRotationKeys,
                             source->ticks_per_s, err) < 0 ||
        track_from_vectors(&motion->paths[PATH_SCALE], channel->mScalingKeys, channel->mNumScalingKeys,
                           source->ticks_per_s, err) < 0) {
        motion_fini(motion);
        return err_prefix(err, "clip '%s', node '%s'", source->animation->mName.data,
                          job->tree.nodes[n].node->mName.data);
    }
    return 0;
}

static int add_node_motion(struct assimp_job *job, const struct animation_source *source, uint32_t n, struct err *err)
{
    struct motion motion;
    if (source->of_node[n] == NULL)
        return 0;
    if (motion_from_channel(&motion, job, source, n, err) < 0)
        return err->code;
    if (assimp_is_format(job, "ms3d"))
        turn_ms3d_moves(job, n, &motion);
    const int rc = clip_add_motion(job, n, &motion, err);
    motion_fini(&motion);
    return rc;
}

static double rate_of(const struct aiAnimation *animation, double ticks_per_s)
{
    double rate = ticks_per_s != 0 ? ticks_per_s : animation->mTicksPerSecond;
    if (isnan(rate) || rate == 0)
        rate = TICKS_PER_S_UNKNOWN;
    return rate;
}

static void find_channels(struct assimp_job *job, struct animation_source *source)
{
    const struct aiAnimation *animation = source->animation;
    struct bake_builder *builder = job->import->builder;
    for (uint32_t c = 0; c < animation->mNumChannels; c++) {
        const struct aiNodeAnim *channel = animation->mChannels[c];
        const uint32_t i = node_tree_find(&job->tree, &channel->mNodeName);
        if (i == NODE_TREE_NONE)
            bake_warn(builder, "channel_without_node", "clip '%s': no node is called '%s'", animation->mName.data,
                      channel->mNodeName.data);
        else if (source->of_node[i] != NULL)
            bake_warn(builder, "channel_twice", "clip '%s': two channels for nodes called '%s'; the first is taken",
                      animation->mName.data, channel->mNodeName.data);
        else
            source->of_node[i] = channel;
    }
}

/* Returns the node of a morph channel, whose name is the node's, optionally followed by '*' and a number. */
static uint32_t find_morph_node(const struct assimp_job *job, const struct aiString *name)
{
    uint32_t i = node_tree_find(&job->tree, name);
    const char *star = memrchr(name->data, '*', name->length);
    if (i == NODE_TREE_NONE && star != NULL) {
        struct aiString cut = {.length = (ai_uint32)(star - name->data)};
        memcpy(cut.data, name->data, cut.length);
        i = node_tree_find(&job->tree, &cut);
    }
    return i;
}

static int morph_track(const struct assimp_job *job, const struct animation_source *source,
                       const struct aiMeshMorphAnim *from, const struct node *node, struct track *track,
                       struct err *err)
{
    const uint32_t width = node->weight_count;
    const uint64_t total = (uint64_t)from->mNumKeys * width;
    if (import_check_limit(job->import, LIMIT_KEYS, 0, total, "the clips' morph weights", err) < 0)
        return err->code;
    double *ticks = mem_alloc(from->mNumKeys * sizeof *ticks);
    double *values = mem_alloc((size_t)total * sizeof *values);
    for (uint32_t k = 0; k < from->mNumKeys; k++) {
        const struct aiMeshMorphKey *key = &from->mKeys[k];
        ticks[k] = key->mTime;
        for (uint32_t w = 0; w < width; w++)
            values[(size_t)k * width + w] = (double)job->import->builder->weights[node->weight_first + w];
        for (uint32_t w = 0; w < key->mNumValuesAndWeights; w++)
            if (key->mValues[w] < width)
                values[(size_t)k * width + key->mValues[w]] = key->mWeights[w];
    }
    const int rc = track_from_values(track, ticks, values, from->mNumKeys, width, source->ticks_per_s, err);
    free(ticks);
    free(values);
    return rc;
}

static int add_morphs(struct assimp_job *job, const struct animation_source *source, struct err *err)
{
    struct bake_builder *builder = job->import->builder;
    for (uint32_t c = 0; c < source->animation->mNumMorphMeshChannels; c++) {
        const struct aiMeshMorphAnim *from = source->animation->mMorphMeshChannels[c];
        const uint32_t i = find_morph_node(job, &from->mName);
        const uint32_t n = i == NODE_TREE_NONE ? 0 : i;
        const struct node *node = &builder->nodes[n];
        if (i == NODE_TREE_NONE || node->weight_count == 0 || from->mNumKeys == 0) {
            bake_warn(builder, "morph_channel_dropped", "clip '%s': no mesh with morph targets for '%s'",
                      source->animation->mName.data, from->mName.data);
            continue;
        }
        struct track track;
        int rc = morph_track(job, source, from, node, &track, err);
        if (rc == 0)
            rc = track_put(&track, job->import, n, PATH_WEIGHTS, err);
        track_fini(&track);
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* MD5 clips have no name of their own, so they take the file's, which is the model's. */
static struct str clip_name(struct assimp_job *job, const struct aiAnimation *animation)
{
    if (animation->mName.length > 0 || !assimp_is_format(job, "md5mesh md5anim"))
        return assimp_text(job->import->builder, &animation->mName);
    const char *stem = import_file_name(job->import);
    return bake_text(job->import->builder, stem, (size_t)(strrchr(stem, '.') - stem));
}

int assimp_add_clip(struct assimp_job *job, const struct aiAnimation *animation, struct str name, double ticks_per_s,
                    struct err *err)
{
    struct bake_builder *builder = job->import->builder;
    struct animation_source source = {
        .animation = animation,
        .of_node = mem_zalloc(job->tree.count, sizeof *source.of_node),
        .ticks_per_s = rate_of(animation, ticks_per_s),
    };
    struct clip clip = {.name = name, .channel_first = builder->channel_count};
    int rc = 0;
    find_channels(job, &source);
    for (uint32_t n = 0; n < job->tree.count && rc == 0; n++)
        rc = add_node_motion(job, &source, n, err);
    if (rc == 0)
        rc = add_morphs(job, &source, err);
    free(source.of_node);
    if (rc < 0)
        return rc;
    clip.channel_count = builder->channel_count - clip.channel_first;
    return import_put_clip(job->import, &clip, err);
}

int assimp_clips(struct assimp_job *job, double ticks_per_s, struct err *err)
{
    for (uint32_t a = 0; a < job->scene->mNumAnimations; a++) {
        const struct aiAnimation *animation = job->scene->mAnimations[a];
        if (assimp_add_clip(job, animation, clip_name(job, animation), ticks_per_s, err) < 0)
            return err->code;
    }
    return 0;
}
