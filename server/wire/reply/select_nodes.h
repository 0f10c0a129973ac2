/* select_nodes.h - the nodes that a request is about. Private to server/wire. Pure. */
#pragma once

#include "wire/reply/reply_context.h"

/* The nodes of joints=, joint_name= and subtree=, in the order given; a subtree is its topmost node and all nodes below
 * it by rising index. All nodes where none of the three is given. The array lies in workspace->selection, with room for
 * *count items behind it. NULL: the reply is an error. */
uint32_t *select_nodes(struct reply_context *context, uint32_t *count);
