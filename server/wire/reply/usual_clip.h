/* usual_clip.h - chooses the clip that represents a model best when a request names none. Pure; any thread. */
#pragma once

#include "anim/model/model.h"

/* Returns the clip that shows the character as it usually is, by the words of its name (protocol/clip_words.def). In
 * order of preference: a clip named idle; one named stand; one with the word idle; one with stand; one named wait,
 * rest, stay or breathe; one with such a word; any other; one that calibrates; one in which the character is hit, falls
 * or dies. Among equals the first wins. Case changes, digits and non-letters separate words. A prefix up to the last
 * '|' or
 * ':' (an armature, a namespace) is ignored, and so is the name of an animation layer behind a '|'. A name that
 * describes a passage (to, from, up, down, turn, ..) is like any other. The model has at least one clip. */
uint32_t usual_clip(const struct model *model);
