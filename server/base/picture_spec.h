/* picture_spec.h - how a picture is to look: plain numbers that go from the request to the renderer as they are.
 * Requests are hashed and jobs compared byte by byte, so there is no padding and what is not given is zero. */
#pragma once

#include <stdint.h>

enum picture_flags {
    PICTURE_ONE_SAMPLE = 1,    /* a pixel has one sample instead of four */
    PICTURE_PREMULTIPLIED = 2, /* colours of the file are multiplied by their alpha */
    PICTURE_SMALL_FILE = 4,    /* compressed for size instead of speed */
    PICTURE_SHADOW = 8,        /* a soft shadow on the ground */
};

struct picture_spec {
    uint32_t width, height;    /* pixels */
    double yaw_deg, pitch_deg; /* of the camera (anim/camera.h) */
    uint8_t background[4];     /* of the top row: RGBA, straight alpha; 0,0,0,0 = transparent */
    uint8_t background_end[4]; /* of the bottom row; between them a gradient */
    uint32_t flags;            /* PICTURE_ */
    uint32_t view;             /* enum view */
};
