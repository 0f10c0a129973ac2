/* idle_clip.h - chooses the clip that represents a model best when a request names none. Pure; any thread. */
#pragma once

#include "anim/model/model.h"

/* Returns the clip in which a character waits, by its name. In order of preference: a clip named idle; one named stand
 * or standing; one with the word idle; one with stand or standing. Among equals the first wins. Case changes, digits
 * and non-letters separate words, and a prefix up to the last '|' or ':' (an armature, a namespace) is ignored. A name
 * that describes a transition (to, from, up, down, turn, ..) does not qualify. Without a match it returns 0, the first
 * clip. The model has at least one clip. */
uint32_t idle_clip(const struct model *model);
