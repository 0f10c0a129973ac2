/* bvh_clip.c - import_bvh(), and the frames as one clip: a key of each frame for the place and the rotation of each
 * joint that has channels of them. */
#include "import/bvh/bvh.h"
#include "import/curve/track.h"

#include "anim/model/mat.h"
#include "anim/model/trig.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char CLIP_NAME[] = "Motion"; /* the format has no name for it */

/* Multiplies q by a rotation about an axis: the joint's first channel is the outermost. */
static void turn(double q[4], int axis, double angle_deg)
{
    const double half = fmod(angle_deg, 720) * (acos(-1) / 360);
    double about[4] = {0};
    about[axis] = trig_sin(half);
    about[3] = trig_cos(half);
    quat_mul(q, about, q);
}

/* The rotation of a joint in a frame, whose values of the joint begin at `values`. */
static void rotation_at(const struct bvh *bvh, const struct bvh_joint *joint, const double *values, double out[4])
{
    memcpy(out, (const double[4]){0, 0, 0, 1}, 4 * sizeof *out);
    for (uint32_t c = 0; c < joint->channel_count; c++) {
        const uint8_t channel = bvh->channels[joint->channel_first + c];
        if (channel >= BVH_ROTATION)
            turn(out, channel - BVH_ROTATION, values[c]);
    }
    quat_normalize(out);
}

/* Position channels stand for the OFFSET, axis by axis. */
static void position_at(const struct bvh *bvh, const struct bvh_joint *joint, const double *values, double out[3])
{
    memcpy(out, joint->offset, 3 * sizeof *out);
    for (uint32_t c = 0; c < joint->channel_count; c++) {
        const uint8_t channel = bvh->channels[joint->channel_first + c];
        if (channel < BVH_ROTATION)
            out[channel - BVH_POSITION] = values[c];
    }
}

/* `track` has room for the values of any path. */
static int put_path(struct bvh *bvh, uint32_t j, uint32_t path, struct track *track, struct err *err)
{
    const struct bvh_joint *joint = &bvh->joints[j];
    track->is_rotation = path == PATH_ROTATION;
    track->components = track->is_rotation ? 4 : 3;
    for (uint64_t f = 0; f < bvh->frame_count; f++) {
        const double *values = bvh->values + f * bvh->channel_count + joint->channel_first;
        double *out = track->values + f * track->components;
        if (track->is_rotation)
            rotation_at(bvh, joint, values, out);
        else
            position_at(bvh, joint, values, out);
    }
    return track_put(track, bvh->import, j, path, err);
}

/* Readers disagree whether the channels of a root are added to its OFFSET or replace it. In recorded files both are
 * equal or the OFFSET is 0, so the channels replace it here, as for any other joint. */
static void warn_of_offset(const struct bvh *bvh, const struct bvh_joint *joint)
{
    const double *offset = joint->offset;
    if (joint->parent < 0 && (offset[0] != 0 || offset[1] != 0 || offset[2] != 0))
        bake_warn(bvh->import->builder, "offset_replaced",
                  "root '%.*s' has an OFFSET of %g %g %g and position channels: they are its place, the OFFSET is not "
                  "added",
                  (int)(joint->name.length < SHORT_NAME_SIZE ? joint->name.length : SHORT_NAME_SIZE), joint->name.begin,
                  offset[0], offset[1], offset[2]);
}

static int put_joint(struct bvh *bvh, uint32_t j, struct track *track, struct err *err)
{
    const struct bvh_joint *joint = &bvh->joints[j];
    if (bvh_has_channel(bvh, joint, BVH_POSITION)) {
        warn_of_offset(bvh, joint);
        if (put_path(bvh, j, PATH_TRANSLATION, track, err) < 0)
            return err->code;
    }
    return bvh_has_channel(bvh, joint, BVH_ROTATION) ? put_path(bvh, j, PATH_ROTATION, track, err) : 0;
}

int bvh_add_clip(struct bvh *bvh, struct err *err)
{
    struct bake_builder *builder = bvh->import->builder;
    struct clip clip = {.channel_first = builder->channel_count};
    if (bvh->frame_count == 0)
        return 0;
    struct track track = {
        .times_s = mem_alloc((size_t)bvh->frame_count * sizeof *track.times_s),
        .values = mem_alloc((size_t)bvh->frame_count * 4 * sizeof *track.values),
        .count = (uint32_t)bvh->frame_count,
    };
    int rc = 0;
    for (uint32_t f = 0; f < track.count; f++)
        track.times_s[f] = f * bvh->frame_time_s;
    for (uint32_t j = 0; j < bvh->joint_count && rc == 0; j++)
        rc = put_joint(bvh, j, &track, err);
    track_fini(&track);
    clip.name = bake_textz(builder, CLIP_NAME);
    clip.channel_count = builder->channel_count - clip.channel_first;
    return rc < 0 ? rc : import_put_clip(bvh->import, &clip, err);
}

int import_bvh(struct import *import, struct err *err)
{
    const char *bytes = (const char *)import->bytes;
    struct bvh bvh = {.import = import, .text = {bytes, bytes + import->size_bytes, 1}};
    int rc = bvh_read_hierarchy(&bvh, err);
    if (rc == 0)
        rc = bvh_read_motion(&bvh, err);
    if (rc == 0)
        rc = bvh_add_clip(&bvh, err);
    free(bvh.joints);
    free(bvh.channels);
    free(bvh.values);
    return rc == 0 && import->builder->is_failed ? import_full(import, err) : rc;
}
