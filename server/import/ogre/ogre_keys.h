/* ogre_keys.h - when keys of Ogre's tracks are. Pure.
 *
 * Behind its last key a track goes on to its first one, which it reaches when the animation has passed its end by the
 * time of that (AnimationTrack::getKeyFramesAtTime() of OgreAnimationTrack.cpp). Up to the end that is one more key. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ogre_key_order {
    uint32_t *keys;  /* [count]: of the track, in the order of their times; of several at one time the last */
    double *times_s; /* [count + 1]: rising; the last is that of the end where has_end */
    uint32_t count;
    bool has_end;     /* the animation goes on behind the last key */
    double end_part;  /* how much of the way from the last key to the first is gone at the end: 0 to 1 */
    bool is_repaired; /* several keys were at one time */
};

/* times_s[count]: in the file's order. Heap; ogre_key_order_fini(). */
void ogre_key_order_make(struct ogre_key_order *order, const double *times_s, size_t count, double length_s);
void ogre_key_order_fini(struct ogre_key_order *order);
