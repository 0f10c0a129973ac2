/* given_resolve.h - finds in its model what a given pose of a request names. Pure; any thread. */
#pragma once

#include "anim/given/given_pose.h"
#include "base/limits.h"
#include "wire/encode/reply.h"
#include "wire/request/request_given.h"

/* What the given poses of all layers of a request may move. The poses of a picture may move less, because they are
 * found on the main loop, and wait with it for a renderer. */
struct given_budget {
    enum limit limit; /* LIMIT_GIVEN_STEPS or LIMIT_GIVEN_PICTURE_STEPS */
    const struct limits *limits;
    uint64_t left;
};
static inline struct given_budget given_budget_of(const struct limits *limits, bool is_of_picture)
{
    const enum limit limit = is_of_picture ? LIMIT_GIVEN_PICTURE_STEPS : LIMIT_GIVEN_STEPS;
    return (struct given_budget){limit, limits, limits->value[limit]};
}

/* Fills *out, which the caller ends with given_pose_fini() in any case. A node is found by its index, its name, or, in
 * a human, the role of VRM 1.0 that it has (anim/humanoid/humanoid.h). path: the model's name in messages.
 * This subtracts from the budget. Returns 0, or the code of *reply, which is then the complete error:
 * ERR_JOINT_NOT_FOUND, ERR_AMBIGUOUS_NAME, ERR_MORPH_NOT_FOUND, ERR_EXPRESSION_NOT_FOUND, ERR_DUPLICATE_PARAMETER,
 * ERR_BAD_PARAMETER, ERR_TOO_MANY_FRAMES, ERR_NO_MEMORY. */
int given_resolve(struct given_pose *out, const struct model *model, const char *path,
                  const struct request_given *asked, struct given_budget *budget, struct reply *reply);

/* Checks that no constraint leads a node whose rotation is given. In layers a constraint simply wins, as it does over
 * clips; who turns a joint by name wants to see it turn. Returns 0, or ERR_BAD_PARAMETER as *reply. */
int given_check_led(const struct given_pose *given, const struct model *model, const char *path, struct reply *reply);
