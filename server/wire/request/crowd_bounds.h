/* crowd_bounds.h - how large the items of lists are, however many of a crowd's records share one. Pure; any thread. */
#pragma once

#include "wire/request/crowd_request.h"

/* Fills in item_bound of what entities want, and most_node of the masks that layers have. Each takes a few hundred
 * steps at most, however long its list is. Returns 0 or ERR_NO_MEMORY. */
int crowd_find_bounds(struct crowd_request *crowd, struct err *err);
