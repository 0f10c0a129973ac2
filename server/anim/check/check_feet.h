/* check_feet.h - the soles of a human throughout a clip, and the rules about them. Private to this folder. Pure. */
#pragma once

#include "anim/check/check_rig.h"

struct steps {
    const struct soles *soles;
    uint32_t count; /* of frames */
    double frame_s;
    double (*places)[SOLE_POINTS][3]; /* [count]: shares of the size: along two axes of the ground, and up */
    double ground, level;             /* heights: of the ground in the clip, and of the soles at rest */
};

/* Returns the height of the lowest point of both soles in a frame. */
double steps_lowest(const struct steps *steps, uint32_t frame);

void steps_check_slide(struct clip_check *check, const struct steps *steps);  /* foot-slide */
void steps_check_floor(struct clip_check *check, const struct steps *steps);  /* through-floor */
void steps_check_flight(struct clip_check *check, const struct steps *steps); /* feet-off-ground */
