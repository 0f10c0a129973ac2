/* constraint_words.c - one table for each kind of word. */
#include "anim/model/constraint_words.h"

#include <stddef.h>

const char *constraint_kind_word(uint32_t kind)
{
    static const char *const WORDS[CONSTRAINT_KIND_COUNT] = {
        [CONSTRAINT_ROLL] = "roll", [CONSTRAINT_AIM] = "aim", [CONSTRAINT_ROTATION] = "rotation"};
    return WORDS[kind];
}

const char *constraint_axis_member(uint32_t kind)
{
    return kind == CONSTRAINT_ROLL ? "rollAxis" : kind == CONSTRAINT_AIM ? "aimAxis" : NULL;
}

const char *constraint_axis_word(uint32_t kind, uint32_t axis)
{
    static const char *const ROLLS[AXIS_ROLL_COUNT] = {"X", "Y", "Z"};
    static const char *const AIMS[AXIS_COUNT] = {"PositiveX", "PositiveY", "PositiveZ",
                                                 "NegativeX", "NegativeY", "NegativeZ"};
    return kind == CONSTRAINT_ROLL ? ROLLS[axis] : kind == CONSTRAINT_AIM ? AIMS[axis] : NULL;
}
