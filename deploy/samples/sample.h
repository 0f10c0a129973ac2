/* sample.h - a finished sample model and its GLB file. */
#pragma once

#include "paint.h"
#include "rig.h"
#include "surface.h"

struct sample {
    const char *name; /* file name without ".glb" */
    struct rig rig;
    struct surface surface;
    struct canvas canvas;
    const struct clip_def *clips;
    int clip_count;
};

/* Writes FOLDER/NAME.glb: one skinned mesh, one material, the texture embedded. Ends the program with a message when
 * the file cannot be written. */
void sample_write(const struct sample *sample, const char *folder);

/* Each fills *sample, which was zeroed. */
void make_dragon(struct sample *sample);
void make_octopus(struct sample *sample);
void make_robot(struct sample *sample);
