/* planted_feet.h - when a foot stands, and how far from where it stands another rig's foot slides. Pure.
 *
 * A foot has two points that can stand: the ankle, and the ball (the joint of the toes), which stands on when the heel
 * lifts. A point is planted from one sample to another when it stays within 1 % of a leg length of where it was at the
 * first for at least 0.08 s, and is then at most a quarter of a leg above the lower one of both feet. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { FEET = 2, FOOT_ANKLE = 0, FOOT_BALL = 1, FOOT_POINTS = 2 };

/* Both feet at one time: [foot][point] in scene space. */
struct feet {
    double places[FEET][FOOT_POINTS][3];
};

struct planted_feet {
    uint32_t count;      /* of samples */
    const double *times; /* [count], rising; borrowed */
    bool has_ball;
    uint32_t *stands[FEET][FOOT_POINTS]; /* [count]: the number of the stand that a sample is in, from 1; or 0 */
    uint32_t stand_count;
};

/* feet: [count], of the rig whose feet stand. */
void planted_feet_init(struct planted_feet *planted, const double *times, const struct feet *feet, uint32_t count,
                       bool has_ball, double leg_length, const double up[3]);
void planted_feet_fini(struct planted_feet *planted);

/* What moves each foot of another rig to where it stands: offsets[count][FEET][3]. A stand holds the point where it was
 * at the beginning of the stand. Between stands the offset fades within 0.15 s; it never jumps. feet: those of the
 * other rig. */
void planted_feet_lock(const struct planted_feet *planted, const struct feet *feet, double (*offsets)[FEET][3]);

/* How much farther a standing point of the model moves from the beginning of its stand than the source's does, in
 * shares of leg lengths: the most of all stands. */
double planted_feet_slide(const struct planted_feet *planted, const struct feet *model, double model_leg,
                          const struct feet *source, double source_leg);
