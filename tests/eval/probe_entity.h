/* probe_entity.h - makes entities for eval_probe from the words of its calls. */
#pragma once

#include "clients/eval/posed_eval_hits.h"

/* Files whose clips the model plays. */
struct probed_sources {
    struct pe_model *models[8];
    int is_by_rest[8];
    struct pe_rest_options rests[8];
    uint32_t count;
    struct pe_retargeted_clip *clips[8][8]; /* by file and clip, once a layer has played it */
};

/* An entity and the data that it points to. */
struct posing {
    struct pe_entity entity;
    struct pe_layer layers[PE_LAYERS_MAX];
    struct pe_mask masks[PE_LAYERS_MAX][64];
    double world[16];
};

/* Begins an entity without layers. */
void posing_begin(struct posing *posing, struct pe_model *model);
/* Takes KEY=VALUE..., for the entity or for another layer. */
void posing_take_entity(struct posing *posing, char *words);
void posing_take_layer(struct posing *posing, char *words);
/* Has the last layer play its clip of source n - 1; 0: its own. Returns a negative status with *error. */
int posing_retarget(struct posing *posing, struct probed_sources *sources, uint32_t n, struct pe_error *error);
/* Returns the number of the source that the words of a layer name, or 0. */
uint32_t posing_source(const char *words);
/* Copies an entity. The copy points to its own data. */
void posing_copy(struct posing *out, const struct posing *from);
