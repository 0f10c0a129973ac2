/* openpose.h - paints the body of a human as control images have it: limbs and joints of 18 points in fixed colours.
 * Pure; any thread.
 *
 * Points, limbs, colours and their order are those of OpenPose's COCO model (Cao et al. 2018, OpenPose: Realtime
 * Multi-Person 2D Pose Estimation). Sizes and shades are those that ControlNet's pose models were trained with: on a
 * picture of 512 pixels a limb is an ellipse of 4 pixels half width at 0.6 of its colour, and a joint a disc of 4
 * pixels radius over all limbs. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { OPENPOSE_POINTS = 18 };

/* A point in the picture. */
struct openpose_point {
    bool is_there;
    double x, y; /* pixels from the top left corner; whole numbers lie between pixels */
};

/* Paints over out[width * height], RGBA8, rows from the bottom, which is opaque where something is painted. A sample
 * is painted by its centre. Limbs with a missing end are left out. */
void openpose_paint(const struct openpose_point points[OPENPOSE_POINTS], uint32_t width, uint32_t height, uint8_t *out);
