/* ogre_keys.h - orders the keys of Ogre's tracks by time. Pure.
 *
 * After its last key a track interpolates towards its first key, which it reaches at the animation's length plus the
 * first key's time (AnimationTrack::getKeyFramesAtTime() of OgreAnimationTrack.cpp). One additional key at the
 * animation's end reproduces that. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ogre_key_order {
    uint32_t *keys;  /* [count]: keys of the track by rising time; the last of several at one time */
    double *times_s; /* [count + 1]: rising; the last is the end's time if has_end */
    uint32_t count;
    bool has_end;     /* the animation continues after the last key */
    double end_part;  /* at the end, the fraction of the way from the last key to the first: 0 to 1 */
    bool is_repaired; /* several keys had one time */
};

/* Orders times_s[count], which are in the file's order. The caller frees the arrays with ogre_key_order_fini(). */
void ogre_key_order_make(struct ogre_key_order *order, const double *times_s, size_t count, double length_s);
void ogre_key_order_fini(struct ogre_key_order *order);
