/* blended_clip.h - the layers of a request, and what lies on top of them or of a clip, as one clip of the model
 * (protocol/glb.md, "Layers as a clip"). Pure; one thread at a time. */
#pragma once

#include "anim/entity/entity_clip.h"
#include "wire/reply/cost.h"
#include "wire/reply/reply_context.h"

/* Poses a second without fps=. */
#define BLENDED_RATE 30

struct blended_clip {
    /* The model with the clip in place of its own: of layers, the only clip, named "blend"; of a clip with something on
     * top, that clip, which keeps its name, its extras, its markers, and the keys of other things than nodes. */
    struct model model;
    uint32_t clip;     /* its index there */
    bool lacks_tracks; /* clips of layers move more than layers do */
    /* private */
    struct entity_clip made;
    struct clip *clips;
    struct channel *channels;
    struct property_channel *properties;
    double *key_times;
    float *key_values;
    char *text;
};

/* Poses are at the times of clip_time_count(), rounded to floats unless the format is .posed, up to the end of the
 * longest layer: its part, divided by its speed, there and back with wrap=mirror. Layers with times of their own do not
 * count. There a layer that loops, and is at the end of its part, stays at that end. Call blended_clip_fini() in any
 * case. False: the reply is an error. */
bool blended_clip_init(struct blended_clip *blended, struct reply_context *context);
void blended_clip_fini(struct blended_clip *blended);

/* Estimates how many numbers its keys have, after layers are resolved. */
double blended_clip_numbers(const struct reply_context *context);
/* Estimates the processor time. */
double cost_of_blended_clip(const struct cost_input *input);
