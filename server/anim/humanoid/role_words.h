/* role_words.h - finds bones of a human by words and sides in joints' names: "UpperLeg.L", "leg_left", "Bip01 L Thigh"
 * (protocol/humanoid/words.def). Pure; any thread. */
#pragma once

#include "anim/humanoid/humanoid.h"

enum { ROLE_WORD_SIZE = 64 };

/* A name that was read. */
struct role_word {
    char side;                 /* 'l', 'r', or 0: in the middle */
    char text[ROLE_WORD_SIZE]; /* lower case; empty for names that are too long */
};

/* Reads a name: drops a namespace before ':', prefixes of makers, and zeros before numbers. */
void role_word_read(struct role_word *word, const char *name, size_t size_bytes);

/* Fills *humanoid with the joints that words find, each below the joint of the role above. prefix: NUL-terminated;
 * names that begin with it are read behind it. Where the word of the hips is missing, or not above the legs and the
 * trunk, the joint above them all is the hips. */
void role_words_find(const struct model *model, const char *prefix, struct humanoid *humanoid);
