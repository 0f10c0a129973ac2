/* ogre_skeleton.c - reads the chunks of a .skeleton file. */
#include "import/ogre/ogre_skeleton.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum {
    BLEND_MODE = 0x1010,
    BONE = 0x2000,
    BONE_PARENT = 0x3000,
    ANIMATION = 0x4000,
    ANIMATION_BASE = 0x4010,
    ANIMATION_TRACK = 0x4100,
    ANIMATION_KEY = 0x4110,
    ANIMATION_LINK = 0x5000,
    /* Chunks without a scale have these sizes. The size of a bone never includes its name, in any version. */
    BONE_BYTES = 6 + 2 + 3 * 4 + 4 * 4,
    KEY_BYTES = 6 + 4 + 4 * 4 + 3 * 4,
    HANDLES = 1 << 16,
};

#define ADD(array, count, capacity)                                                                                    \
    ((array) = mem_grow(array, &(capacity), (count) + 1, sizeof *(array)), &(array)[(count)++])

static void read_doubles(struct ogre_stream *stream, double *out, int count)
{
    for (int i = 0; i < count; i++)
        out[i] = (double)ogre_f32(stream);
}

static void read_scale(struct ogre_stream *stream, bool is_there, double out[3])
{
    out[0] = out[1] = out[2] = 1;
    if (is_there)
        read_doubles(stream, out, 3);
}

static void read_bone(struct ogre_stream *stream, struct ogre_skeleton *skeleton)
{
    const struct ogre_chunk chunk = ogre_enter(stream);
    struct ogre_bone *bone = ADD(skeleton->bones, skeleton->bone_count, skeleton->bone_capacity);
    *bone = (struct ogre_bone){.name = ogre_line(stream), .parent = -1};
    bone->handle = ogre_u16(stream);
    if (skeleton->bone_of[bone->handle] >= 0)
        ogre_fail(stream, "a second bone has the handle %u", bone->handle);
    skeleton->bone_of[bone->handle] = (int32_t)skeleton->bone_count - 1;
    read_doubles(stream, bone->parent_from_bone.translation, 3);
    read_doubles(stream, bone->parent_from_bone.rotation, 4);
    quat_normalize(bone->parent_from_bone.rotation);
    read_scale(stream, chunk.size_bytes > BONE_BYTES, bone->parent_from_bone.scale);
}

static void read_parent(struct ogre_stream *stream, struct ogre_skeleton *skeleton)
{
    const uint16_t child = ogre_u16(stream), parent = ogre_u16(stream);
    if (ogre_failed(stream))
        return;
    if (skeleton->bone_of[child] < 0 || skeleton->bone_of[parent] < 0)
        ogre_fail(stream, "bone %u has the parent %u, and one of them does not exist", child, parent);
    else
        skeleton->bones[skeleton->bone_of[child]].parent = skeleton->bone_of[parent];
}

static void read_key(struct ogre_stream *stream, struct ogre_bone_track *track)
{
    const struct ogre_chunk chunk = ogre_enter(stream);
    struct ogre_bone_key *key = ADD(track->keys, track->key_count, track->key_capacity);
    key->time_s = (double)ogre_f32(stream);
    read_doubles(stream, key->change.rotation, 4);
    quat_normalize(key->change.rotation);
    read_doubles(stream, key->change.translation, 3);
    read_scale(stream, chunk.size_bytes > KEY_BYTES, key->change.scale);
}

static void read_animation(struct ogre_stream *stream, struct ogre_skeleton *skeleton)
{
    struct ogre_bone_animation *animation =
        ADD(skeleton->animations, skeleton->animation_count, skeleton->animation_capacity);
    *animation = (struct ogre_bone_animation){.name = ogre_line(stream)};
    animation->length_s = (double)ogre_f32(stream);
    if (ogre_enter_if(stream, ANIMATION_BASE)) {
        animation->has_base = true;
        ogre_line(stream);
        ogre_f32(stream);
    }
    while (ogre_enter_if(stream, ANIMATION_TRACK)) {
        struct ogre_bone_track *track = ADD(animation->tracks, animation->track_count, animation->track_capacity);
        *track = (struct ogre_bone_track){.handle = ogre_u16(stream)};
        while (ogre_peek(stream) == ANIMATION_KEY)
            read_key(stream, track);
    }
}

static void read_link(struct ogre_stream *stream, struct ogre_skeleton *skeleton)
{
    struct ogre_skeleton_link *link = ADD(skeleton->links, skeleton->link_count, skeleton->link_capacity);
    *link = (struct ogre_skeleton_link){.file = ogre_line(stream)};
    link->scale = (double)ogre_f32(stream);
}

/* False: nothing of a skeleton follows. */
static bool read_part(struct ogre_stream *stream, struct ogre_skeleton *skeleton)
{
    switch (ogre_peek(stream)) {
    case BLEND_MODE: /* of several animations at a time */
        ogre_enter(stream);
        ogre_u16(stream);
        return true;
    case BONE:
        read_bone(stream, skeleton);
        return true;
    case BONE_PARENT:
        ogre_enter(stream);
        read_parent(stream, skeleton);
        return true;
    case ANIMATION:
        ogre_enter(stream);
        read_animation(stream, skeleton);
        return true;
    case ANIMATION_LINK:
        ogre_enter(stream);
        read_link(stream, skeleton);
        return true;
    default:
        return false;
    }
}

int ogre_skeleton_read(struct ogre_skeleton *skeleton, const char *file, const uint8_t *bytes, size_t size_bytes,
                       struct err *err)
{
    struct ogre_stream stream = {.file = file, .bytes = bytes, .size_bytes = size_bytes, .err = err};
    struct ogre_text version;
    *skeleton = (struct ogre_skeleton){0};
    skeleton->bone_of = mem_alloc(HANDLES * sizeof *skeleton->bone_of);
    memset(skeleton->bone_of, 0xff, HANDLES * sizeof *skeleton->bone_of); /* -1 */
    if (ogre_open(&stream, &version) < 0)
        return err->code;
    if (!ogre_text_is(version, "[Serializer_v1.10]") && !ogre_text_is(version, "[Serializer_v1.80]"))
        return ogre_fail(&stream, "the version %.*s of a skeleton is not read: 1.10 and 1.80 are", OGRE_SHORT(version));
    while (read_part(&stream, skeleton))
        ;
    if (!ogre_failed(&stream) && stream.at < size_bytes)
        ogre_fail(&stream, "no part of a skeleton begins here");
    return err->code;
}

void ogre_skeleton_fini(struct ogre_skeleton *skeleton)
{
    for (size_t i = 0; i < skeleton->animation_count; i++) {
        for (size_t t = 0; t < skeleton->animations[i].track_count; t++)
            free(skeleton->animations[i].tracks[t].keys);
        free(skeleton->animations[i].tracks);
    }
    free(skeleton->bones);
    free(skeleton->bone_of);
    free(skeleton->animations);
    free(skeleton->links);
    *skeleton = (struct ogre_skeleton){0};
}
