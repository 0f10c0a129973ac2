/* given_find.h - finds the morph targets and expressions that a given pose names. Pure; any thread. */
#pragma once

#include "anim/given/given_weights.h"
#include "wire/request/request_given.h"

/* Fills *weights with what the request moves, and its look. Returns 0, ERR_MORPH_NOT_FOUND, ERR_EXPRESSION_NOT_FOUND or
 * ERR_DUPLICATE_PARAMETER. The caller calls given_find_end() in any case, which frees the arrays. */
int given_find(struct given_weights *weights, const struct model *model, const struct request_given *asked,
               struct err *err);
void given_find_end(struct given_weights *weights);
