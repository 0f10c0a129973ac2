/* probe_entity.h - entities of eval_probe, from the words of its calls. */
#pragma once

#include "clients/eval/posed_eval_hits.h"

/* An entity and what it points at. */
struct posing {
    struct pe_entity entity;
    struct pe_layer layers[PE_LAYERS_MAX];
    struct pe_mask masks[PE_LAYERS_MAX][64];
    double world[16];
};

/* Without layers. */
void posing_begin(struct posing *posing, struct pe_model *model);
/* KEY=VALUE..., of an entity, or of a layer more. */
void posing_take_entity(struct posing *posing, char *words);
void posing_take_layer(struct posing *posing, char *words);
/* The copy points at its own. */
void posing_copy(struct posing *out, const struct posing *from);
