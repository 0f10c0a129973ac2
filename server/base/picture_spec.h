/* picture_spec.h - how a picture is to look: plain numbers that go from the request to the renderer as they are.
 * Requests are hashed and jobs compared byte by byte, so there is no padding and what is not given is zero. */
#pragma once

#include <stdint.h>

struct picture_spec {
    uint32_t width, height;    /* pixels */
    double yaw_deg, pitch_deg; /* of the camera (anim/camera.h) */
    uint8_t background[4];     /* RGBA, straight alpha; 0,0,0,0 = transparent */
    uint32_t view;             /* enum view */
};
