/* bvh.h - BVH, motion capture as text (Biovision; M. Meredith and S. Maddock, "Motion capture file formats explained",
 * 2001): a hierarchy of joints with offsets, then the values of all channels frame by frame. One thread.
 *
 * White space separates words, except in names, which end with their line or at a brace; braces stand for themselves.
 * Keywords and channels may have any case. Errors name the line, and the joint or the value. */
#pragma once

#include "import/source/import.h"

/* --- words (bvh_text.c) --- */

struct bvh_text {
    const char *at, *end; /* *end is NUL */
    uint32_t line;        /* of `at`, from 1 */
};

struct bvh_word {
    const char *begin;
    size_t length; /* 0 at the end of the file */
};

struct bvh_word bvh_next(struct bvh_text *text);
/* Returns the next word, and leaves it there. */
struct bvh_word bvh_peek(const struct bvh_text *text);
bool bvh_is(struct bvh_word word, const char *wanted);
/* Returns the text up to a line's end or a brace, trimmed; it begins on this line or a later one. */
struct bvh_word bvh_name(struct bvh_text *text);
/* Skips `label` and returns true if it comes next. A blank of `label` stands for any number of blanks. */
bool bvh_skip_label(struct bvh_text *text, const char *label);
/* Returns true if nothing but blanks is left on the line. */
bool bvh_line_ends(const struct bvh_text *text);
/* Returns true for a number within the range of a float. */
bool bvh_number(struct bvh_word word, double *value);

/* Sets ERR_BAD_MODEL, "line 3: WHERE: 'WANTED' is expected, not 'WORD'" of the word that comes next. Returns it. */
int bvh_unexpected(const struct bvh_text *text, const char *where, const char *wanted, struct err *err);

/* --- the hierarchy (bvh_hierarchy.c) --- */

/* Kinds of channels: those of axis x; those of y and z follow. */
enum { BVH_POSITION = 0, BVH_ROTATION = 3, BVH_CHANNEL_KINDS = 6 };
extern const char *const BVH_CHANNELS[BVH_CHANNEL_KINDS]; /* their names */

/* A joint or an end site. Its index is that of its node. */
struct bvh_joint {
    double offset[3];
    struct bvh_word name; /* begin is NULL for an end site */
    struct str end_name;  /* of all end sites below it, once there is one */
    int32_t parent;       /* or -1 */
    uint32_t channel_first, channel_count;
    bool has_offset, has_channels, has_end;
};

struct bvh {
    struct import *import;
    struct bvh_text text;
    struct bvh_joint *joints; /* [joint_count], parents first */
    uint8_t *channels;        /* [channel_count]: kinds, in the order of a frame's values */
    uint32_t joint_count, channel_count;
    size_t joint_capacity, channel_capacity;
    double *values; /* [frame_count * channel_count] */
    uint64_t frame_count;
    double frame_time_s; /* positive */
};

/* Reads the joints, up to the word MOTION, and adds their nodes. Returns 0, ERR_BAD_MODEL or ERR_MODEL_LIMIT. */
int bvh_read_hierarchy(struct bvh *bvh, struct err *err);
/* Returns true if the joint has a channel of this kind, BVH_POSITION or BVH_ROTATION. */
bool bvh_has_channel(const struct bvh *bvh, const struct bvh_joint *joint, uint8_t kind);
/* Writes "joint 'NAME'" or the like for messages, shortened. Returns `out`. */
enum { BVH_WHERE_SIZE = 80 };
const char *bvh_where(const struct bvh *bvh, int32_t joint, char out[BVH_WHERE_SIZE]);

/* --- the frames --- */

/* Reads what follows the word MOTION (bvh_motion.c). Returns 0, ERR_BAD_MODEL or ERR_MODEL_LIMIT. */
int bvh_read_motion(struct bvh *bvh, struct err *err);
/* Adds the frames as a clip (bvh_clip.c). Returns 0 or ERR_MODEL_LIMIT. */
int bvh_add_clip(struct bvh *bvh, struct err *err);
