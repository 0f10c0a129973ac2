/* picture_spec.h - the appearance of a picture, as plain numbers that pass from the request to the renderer unchanged.
 * Requests are hashed and jobs compared byte by byte, so the struct has no padding, and fields that were not given are
 * zero. */
#pragma once

#include "base/picture/picture_camera.h"

enum picture_flags {
    PICTURE_ONE_SAMPLE = 1,    /* a pixel has one sample instead of four */
    PICTURE_PREMULTIPLIED = 2, /* the file's colours are multiplied by their alpha */
    PICTURE_SMALL_FILE = 4,    /* compressed for size instead of speed */
    PICTURE_SHADOW = 8,        /* a soft shadow on the ground */
    PICTURE_FRAME_POSE = 16,   /* the camera frames only the pose, not everything the clip shows */
    PICTURE_ORTHO = 32,        /* no perspective */
    PICTURE_ALLOW_EMPTY = 64,  /* a picture without a pixel of the model is not an error */
    PICTURE_AUTO_TIME = 128,   /* the renderer picks the time within the given part of the clip */
    PICTURE_FRAME_BOX = 256,   /* the camera frames frame_box */
    PICTURE_OCCLUSION = 512,   /* ambient occlusion: corners that little light reaches are darker */
    PICTURE_OWN_LIGHTS = 1024, /* the model's own lights shine on it; with LIGHT_FLAT there is hardly any other light */
    PICTURE_SCENE_NORMALS = 2048, /* the pass of normals is in scene space, not in that of the camera */
    PICTURE_PASS_COLORS = 4096, /* the only pass is in the cells of a sheet, as colours (render/passes/pass_paint.h) */
};

/* The light of lit pictures, and the tone mapping that turns it into colours. In the order of the parameters' words. */
enum picture_light { LIGHT_STUDIO, LIGHT_OUTDOOR, LIGHT_FLAT, LIGHT_FILE, LIGHT_COUNT };
enum picture_tone { TONE_NEUTRAL, TONE_ACES, TONE_NONE, TONE_COUNT };
/* The exposure lies between -PICTURE_STOPS_MAX and PICTURE_STOPS_MAX. */
enum { PICTURE_STOPS_MAX = 16 };

enum picture_target { PICTURE_TARGET_NONE = 0, PICTURE_TARGET_POINT = 1, PICTURE_TARGET_NODE = 2 };

struct picture_spec {
    uint32_t width, height;    /* pixels */
    double yaw_deg, pitch_deg; /* direction of the camera (anim/camera/camera.h) */
    uint8_t background[4];     /* top row: RGBA, straight alpha; 0,0,0,0 = transparent */
    uint8_t background_end[4]; /* bottom row; the rows between are a gradient */
    uint32_t flags;            /* PICTURE_ */
    uint32_t view;             /* enum view */
    double fov_deg;            /* 0: 30 */
    double distance;           /* as in anim/camera/camera.h; 0: 1 */
    double filled;             /* share of the picture between its margins; 0: 0.88 */
    double target[3];          /* PICTURE_TARGET_POINT: scene space */
    double frame_box[6];       /* PICTURE_FRAME_BOX: corners min, max; scene space */
    uint32_t target_kind;      /* PICTURE_TARGET_ */
    uint32_t target_node;      /* PICTURE_TARGET_NODE; set by the service, which knows the model */
    uint32_t camera;       /* 1 + a camera of the file, set likewise; 0: the camera that the fields above describe */
    uint32_t variant;      /* 1 + a material variant of the file, set likewise; 0: the file's own materials */
    double exposure_stops; /* light is multiplied by 2 to this power */
    uint32_t light;        /* enum picture_light */
    uint32_t tone;         /* enum picture_tone */
    double environment_yaw_deg; /* LIGHT_FILE: rotation of the job's environment (anim/light/panorama.h) */
    uint32_t passes;            /* bits of enum pass (pass.h); 0: a picture as files have them */
    uint32_t reserved;
    struct picture_camera given; /* the camera by numbers, or of no kind; without `camera` and a frame_box */
};
