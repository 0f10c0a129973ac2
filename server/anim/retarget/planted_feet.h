/* planted_feet.h - finds when a foot stands, and how far another rig's foot slides meanwhile. Pure.
 *
 * A foot has two points that can stand: the ankle, and the ball (the joint of the toes), which still stands when the
 * heel lifts. A point is planted over a range of samples when it stays within 1 % of a leg length of its first place
 * for at least 0.08 s, and is at most a quarter of a leg above the lower of both feet. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { FEET = 2, FOOT_ANKLE = 0, FOOT_BALL = 1, FOOT_POINTS = 2 };

/* Both feet at one time: [foot][point] in scene space. */
struct feet {
    double places[FEET][FOOT_POINTS][3];
};

struct planted_feet {
    uint32_t count;      /* number of samples */
    const double *times; /* [count], rising; borrowed */
    bool has_ball;
    uint32_t *stands[FEET][FOOT_POINTS]; /* [count]: number of the stand at each sample, from 1; or 0 */
    uint32_t stand_count;
};

/* feet: [count], of the rig whose stands are found. */
void planted_feet_init(struct planted_feet *planted, const double *times, const struct feet *feet, uint32_t count,
                       bool has_ball, double leg_length, const double up[3]);
void planted_feet_fini(struct planted_feet *planted);

/* Computes offsets[count][FEET][3], which move each foot of another rig to where it stands. A stand holds the point
 * where it was at the beginning of the stand. Between stands the offset fades within 0.15 s; it never jumps. feet: of
 * the other rig. */
void planted_feet_lock(const struct planted_feet *planted, const struct feet *feet, double (*offsets)[FEET][3]);

/* Returns how much farther a standing point of the model moves from the beginning of its stand than the source's does,
 * relative to the leg lengths: the maximum over all stands. */
double planted_feet_slide(const struct planted_feet *planted, const struct feet *model, double model_leg,
                          const struct feet *source, double source_leg);
