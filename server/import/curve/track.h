/* track.h - one animated value over time, which becomes a channel of the model. One thread. */
#pragma once

#include "import/source/import.h"

struct track {
    double *times_s; /* [count], strictly rising; heap */
    double *values;  /* [count * components]; rotations are unit quaternions x, y, z, w. Cubic tracks hold in-tangent,
                        value and out-tangent for each key, like struct channel */
    uint32_t count;
    uint32_t components;
    bool is_rotation;
    bool is_cubic;
    bool is_step; /* each value holds until the next key */
};

void track_fini(struct track *track);

/* Adds the track to the model as a channel for path `path` (PATH_) of a node. Returns 0, ERR_MODEL_LIMIT or
 * ERR_IMPORT_MEMORY. */
int track_put(const struct track *track, struct import *import, uint32_t node, uint32_t path, struct err *err);
