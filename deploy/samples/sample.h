/* sample.h - a finished sample model and its GLB file. */
#pragma once

#include "paint.h"
#include "rig.h"
#include "surface.h"

/* The pictures that its material may have: glTF's textures. */
enum sample_map { MAP_COLOR, MAP_METALLIC_ROUGHNESS, MAP_NORMAL, MAP_EMISSIVE, MAP_COUNT };

struct sample {
    const char *name; /* file name without ".glb" */
    struct rig rig;
    struct surface surface;
    struct canvas maps[MAP_COUNT];
    bool has_map[MAP_COUNT];  /* of those after the first */
    double roughness;         /* without MAP_METALLIC_ROUGHNESS */
    double emissive_strength; /* of MAP_EMISSIVE, 1 at least */
    const struct clip_def *clips;
    int clip_count;
};

/* Writes FOLDER/NAME.glb: one skinned mesh, one material, its textures embedded. Ends the program with a message when
 * the file cannot be written. */
void sample_write(const struct sample *sample, const char *folder);

/* Each fills *sample, which was zeroed. */
void make_dragon(struct sample *sample);
void make_octopus(struct sample *sample);
void make_robot(struct sample *sample);
