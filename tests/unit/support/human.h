/* human.h - rigs of humans for tests: joints at chosen places, with any lengths of limbs and any rest pose. */
#pragma once

#include "anim/humanoid/humanoid.h"
#include "tests/unit/support/fixture.h"

/* The shape of a rig. Canonical space: x to its left, y up, z forward. Its joints are placed there. */
struct human {
    double thigh, shin, upper_arm, lower_arm; /* lengths */
    double arm_deg, leg_deg;                  /* angles by which arms and legs are turned down and out from T */
    const char *const *names;                 /* [ROLE_COUNT]; NULL: the joint is left out */
    bool has_odd_axes;                        /* joints have arbitrary axes at rest */
    float place[3], turn[4], scale;           /* of the root: scene_from_canonical */
};

extern const char *const HUMAN_MIXAMO[ROLE_COUNT], *const HUMAN_UNREAL[ROLE_COUNT];
extern const struct human HUMAN_T, HUMAN_A; /* their proportions differ by more than 20 % */

struct human_rig {
    struct human human;
    struct fixture *fixture;
    int32_t nodes[ROLE_COUNT];                          /* or -1 */
    double places[ROLE_COUNT][3], turns[ROLE_COUNT][4]; /* canonical, at rest */
};

/* Begins the fixture with the rig's nodes: "root", and below it the nodes of roles, which form its skin. The caller
 * calls fixture_finish(). */
void human_begin(struct human_rig *rig, struct fixture *fixture, const struct human *human);

enum { HUMAN_RATE = 30, HUMAN_WALK_KEYS = 61, HUMAN_STEP_KEYS = 15 };
/* Adds a clip of two seconds: walking forward, arms swinging down along the body. A foot stands HUMAN_STEP_KEYS keys
 * and swings as many: the left one from key 0 on, the right one from key HUMAN_STEP_KEYS on. */
void human_walk(struct human_rig *rig);
