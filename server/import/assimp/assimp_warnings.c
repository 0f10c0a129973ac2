/* assimp_warnings.c - warns, with stable codes, of file content that assimp 5.2.5 drops:
 *   curves_linear                         clips with curves between their keys
 *   colors_not_read                       colours of vertices
 *   skeleton_not_read, clips_not_read     formats of which only meshes are read
 *   frames_not_read                       vertex animation; only its first frame is shown
 *   clips_not_repeated                    LightWave's repeating and oscillating motion
 *   clips_unreliable                      old LightWave scenes
 *   frame_rate_assumed                    frames converted to seconds at an assumed rate */
#include "import/assimp/assimp.h"

#include "base/bytes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool contains(const struct import *import, const char *text)
{
    return memmem(import->bytes, import->size_bytes, text, strlen(text)) != NULL;
}

static bool has_bones(const struct aiScene *scene)
{
    for (uint32_t m = 0; m < scene->mNumMeshes; m++)
        if (scene->mMeshes[m]->mNumBones > 0)
            return true;
    return false;
}

/* --- curves --- */

/* Three keys or more: a spline of two keys without tension is straight. */
static bool has_long_tracks(const struct aiScene *scene)
{
    for (uint32_t a = 0; a < scene->mNumAnimations; a++)
        for (uint32_t c = 0; c < scene->mAnimations[a]->mNumChannels; c++) {
            const struct aiNodeAnim *channel = scene->mAnimations[a]->mChannels[c];
            if (channel->mNumPositionKeys > 2 || channel->mNumRotationKeys > 2 || channel->mNumScalingKeys > 2)
                return true;
        }
    return false;
}

static void warn_of_curves(const struct assimp_job *job)
{
    bake_warn(job->import->builder, "curves_linear",
              "the clips have curves that are not straight between their keys: straight lines stand for them");
}

/* LightWave scenes have envelopes of `Key value time shape ...`. The shape belongs to the piece before the key; 3 means
 * straight. Behaviours apply before the first key and after the last; 1 means that the value holds. */
enum { LWS_VERSION_ENVELOPES = 3 };
static void warn_of_lightwave(const struct assimp_job *job)
{
    struct bake_builder *builder = job->import->builder;
    bool is_curved = false, is_repeated = false;
    uint32_t keys = 0;
    const char *version = strchr((const char *)job->import->bytes, '\n');
    if (version != NULL && strtol(version, NULL, 10) < LWS_VERSION_ENVELOPES)
        bake_warn(builder, "clips_unreliable", "the motion of LightWave scenes before 6.0 is not read reliably");
    for (const char *line = (const char *)job->import->bytes; line != NULL; line = strchr(line, '\n')) {
        double value, time_s;
        int first, second;
        line += strspn(line, " \t\r\n");
        if (strncmp(line, "{ Envelope", 10) == 0)
            keys = 0;
        if (sscanf(line, "Key %lf %lf %d", &value, &time_s, &first) == 3)
            is_curved |= keys++ > 0 && first != 3;
        else if (sscanf(line, "Behaviors %d %d", &first, &second) == 2)
            is_repeated |= keys > 1 && (first != 1 || second != 1);
    }
    if (is_curved)
        warn_of_curves(job);
    if (is_repeated)
        bake_warn(builder, "clips_not_repeated", "motion that goes on before and after its keys is not read");
}

/* --- content that is never read --- */

static void warn_of_skeleton(const struct assimp_job *job, uint32_t joints, uint32_t clips)
{
    struct bake_builder *builder = job->import->builder;
    if (joints > 0 && !has_bones(job->scene))
        bake_warn(builder, "skeleton_not_read",
                  "the file has %u joints, which are not read: the mesh is shown as bound", joints);
    if (clips > 0 && job->scene->mNumAnimations == 0)
        bake_warn(builder, "clips_not_read", "the file has %u clips, which are not read", clips);
}

/* Inter-Quake Model, version 2: header fields num_joints and num_anims. */
static void warn_of_iqm(const struct assimp_job *job)
{
    enum { JOINTS_AT = 68, ANIMS_AT = 84, HEADER_BYTES = 124 };
    const uint8_t *bytes = job->import->bytes;
    if (job->import->size_bytes >= HEADER_BYTES)
        warn_of_skeleton(job, get_u32(bytes + JOINTS_AT), get_u32(bytes + ANIMS_AT));
}

/* MilkShape 3D 1.8: each array of fixed-size items follows its count; the joints follow the materials and three
 * numbers. */
static void warn_of_ms3d(const struct assimp_job *job)
{
    enum { HEADER = 14, VERTEX = 15, TRIANGLE = 70, GROUP = 36, MATERIAL = 361, TIMES = 12, JOINT = 93 };
    const uint8_t *bytes = job->import->bytes;
    const size_t size = job->import->size_bytes;
    size_t at = HEADER;
    static const size_t ITEMS[] = {VERTEX, TRIANGLE};
    for (int i = 0; i < 2; i++) {
        if (size < at + 2)
            return;
        at += 2 + get_u16(bytes + at) * ITEMS[i];
    }
    if (size < at + 2)
        return;
    uint32_t groups = get_u16(bytes + at);
    for (at += 2; groups > 0; groups--) { /* a group's triangles follow its count, and its material follows them */
        if (size < at + GROUP)
            return;
        at += GROUP + 2 * (size_t)get_u16(bytes + at + 33);
    }
    if (size < at + 2)
        return;
    at += 2 + get_u16(bytes + at) * (size_t)MATERIAL + TIMES;
    if (size < at + 2)
        return;
    const uint32_t joints = get_u16(bytes + at);
    uint32_t keys = 0;
    at += 2;
    for (uint32_t i = 0; i < joints && size >= at + JOINT; i++) {
        const uint32_t own = (uint32_t)get_u16(bytes + at + 89) + get_u16(bytes + at + 91);
        keys += own;
        at += JOINT + 16 * (size_t)own;
    }
    warn_of_skeleton(job, joints, keys > 0);
}

/* Formats with whole vertices per frame, and the header offsets of their frame counts. */
static void warn_of_frames(const struct assimp_job *job)
{
    static const struct {
        const char *extension, *magic;
        size_t at;
    } ROWS[] = {{"md3", "IDP3", 76}, {"mdc", "IDPC", 76}, {"mdl", "IDPO", 68}};
    const struct import *import = job->import;
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        if (!assimp_is_format(job, ROWS[i].extension) || import->size_bytes < ROWS[i].at + 4 ||
            memcmp(import->bytes, ROWS[i].magic, 4) != 0)
            continue;
        const uint32_t frames = get_u32(import->bytes + ROWS[i].at);
        if (frames > 1 && job->scene->mNumAnimations == 0)
            bake_warn(import->builder, "frames_not_read", "the file has %u frames; the first is shown", frames);
    }
}

static void warn_of_rate(const struct assimp_job *job)
{
    const struct aiScene *scene = job->scene;
    bool is_assumed = assimp_is_format(job, "smd") && scene->mNumAnimations > 0;
    for (uint32_t a = 0; a < scene->mNumAnimations; a++)
        is_assumed |= !(fabs(scene->mAnimations[a]->mTicksPerSecond) > 0);
    if (is_assumed)
        bake_warn(job->import->builder, "frame_rate_assumed",
                  "the file does not say how many frames a second it has: 25 are taken");
}

void assimp_warn(const struct assimp_job *job)
{
    const bool has_clips = job->scene->mNumAnimations > 0;
    if (assimp_is_format(job, "ase") && has_clips &&
        (contains(job->import, "CONTROL_BEZIER") || contains(job->import, "CONTROL_TCB")))
        warn_of_curves(job);
    else if (assimp_is_format(job, "lws") && has_clips)
        warn_of_lightwave(job);
    else if (assimp_is_format(job, "3ds") && has_long_tracks(job->scene)) /* 3DS curves are splines */
        warn_of_curves(job);
    else if (assimp_is_format(job, "iqm"))
        warn_of_iqm(job);
    else if (assimp_is_format(job, "ms3d"))
        warn_of_ms3d(job);
    else if (assimp_is_format(job, "ogex")) {
        if (contains(job->import, "\"color\""))
            bake_warn(job->import->builder, "colors_not_read", "colours of vertices are not read");
        warn_of_skeleton(job, contains(job->import, "BoneNode"), contains(job->import, "Animation"));
    }
    warn_of_frames(job);
    warn_of_rate(job);
}
