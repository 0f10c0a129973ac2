/* select_nodes.h - selects the nodes of a request. Private to server/wire. Pure. */
#pragma once

#include "wire/reply/reply_context.h"

/* Returns the nodes of joints=, joint_name= and subtree=, in the order given; without these, all nodes. A subtree is
 * its root and then all descendants by ascending index. The array lies in workspace->selection, followed by room for
 * *count items. NULL: the reply is an error. */
uint32_t *select_nodes(struct reply_context *context, uint32_t *count);
