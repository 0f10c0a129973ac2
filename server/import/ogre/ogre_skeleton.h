/* ogre_skeleton.h - reads Ogre's .skeleton files, versions 1.10 and 1.80: bones and bone animations. One thread. */
#pragma once

#include "anim/model/mat.h"
#include "import/ogre/ogre_stream.h"

struct ogre_bone {
    struct ogre_text name;
    uint16_t handle;
    int32_t parent; /* into bones, or -1 */
    struct trs parent_from_bone;
};

/* A bone's change relative to its bind pose at a time. The translation is added, the rotation is applied before the
 * bind rotation (bind * change), and the scale is multiplied. */
struct ogre_bone_key {
    double time_s;
    struct trs change;
};

struct ogre_bone_track {
    uint16_t handle;
    struct ogre_bone_key *keys; /* [key_count], in the file's order */
    size_t key_count, key_capacity;
};

struct ogre_bone_animation {
    struct ogre_text name;
    double length_s;
    bool has_base;                  /* keys are relative to a key of another animation */
    struct ogre_bone_track *tracks; /* [track_count] */
    size_t track_count, track_capacity;
};

/* Another skeleton whose animations this one shares. */
struct ogre_skeleton_link {
    struct ogre_text file;
    double scale; /* factor for the changes of translation and scale */
};

struct ogre_skeleton {
    struct ogre_bone *bones; /* [bone_count] */
    size_t bone_count, bone_capacity;
    int32_t *bone_of;                       /* [65536]: by handle, or -1 */
    struct ogre_bone_animation *animations; /* [animation_count] */
    size_t animation_count, animation_capacity;
    struct ogre_skeleton_link *links; /* [link_count] */
    size_t link_count, link_capacity;
};

/* Reads a skeleton and borrows the bytes. `file` is for messages. Parents are valid indices, but the reader does not
 * check them for cycles. Returns 0, ERR_NOT_A_MODEL or ERR_BAD_MODEL. The caller calls ogre_skeleton_fini() even after
 * an error. */
int ogre_skeleton_read(struct ogre_skeleton *skeleton, const char *file, const uint8_t *bytes, size_t size_bytes,
                       struct err *err);
void ogre_skeleton_fini(struct ogre_skeleton *skeleton);
