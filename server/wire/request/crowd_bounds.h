/* crowd_bounds.h - computes how large the items of a crowd's lists are, once per list, however many records share it.
 * Pure; any thread. */
#pragma once

#include "wire/request/crowd_request.h"

/* Fills in the item_bound of each wanted list, and the most_node of each mask that a layer uses. A list takes a few
 * hundred steps at most, whatever its length. Returns 0 or ERR_NO_MEMORY. */
int crowd_find_bounds(struct crowd_request *crowd, struct err *err);
