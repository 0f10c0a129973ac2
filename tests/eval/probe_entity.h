/* probe_entity.h - makes entities for eval_probe from the words of its calls. */
#pragma once

#include "clients/eval/posed_eval_hits.h"

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
/* Copies an entity. The copy points to its own data. */
void posing_copy(struct posing *out, const struct posing *from);
