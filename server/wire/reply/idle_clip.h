/* idle_clip.h - the clip that shows a model best where none is asked for. Pure; any thread. */
#pragma once

#include "anim/model/model.h"

/* The clip in which a character waits, by its name: one that is called idle, else one called stand or standing, else
 * one of whose words the first is true, else the second; of equals the first. Words are told apart by their case, by
 * digits and by whatever is no letter, and what stands before the last '|' or ':' (an armature, a namespace) does not
 * count. A name that tells of going from one pose to another (to, from, up, down, turn, ..) is no such clip. 0, the
 * first, where there is none. The model has a clip. */
uint32_t idle_clip(const struct model *model);
