#include "tests/eval/probe_entity.h"

#include <stdlib.h>
#include <string.h>

void posing_begin(struct posing *posing, struct pe_model *model)
{
    posing->entity = (struct pe_entity){.model = model, .layers = posing->layers};
}

static void add_mask(struct posing *posing, struct pe_layer *layer, int scope, const char *value)
{
    struct pe_mask *masks = posing->masks[layer - posing->layers];
    masks[layer->mask_count++] = (struct pe_mask){(uint32_t)atoi(value), scope};
    layer->masks = masks;
}

void posing_take_layer(struct posing *posing, char *words)
{
    struct pe_layer *layer = &posing->layers[posing->entity.layer_count++];
    *layer = (struct pe_layer){.weight = 1};
    for (char *key = strtok(words, " "); key != NULL; key = strtok(NULL, " ")) {
        char *value = strchr(key, '=');
        *value++ = '\0';
        const double number = strtod(value, NULL);
        const struct {
            const char *key;
            double *number;
            int32_t *whole;
        } fields[] = {{"clip", NULL, &layer->clip},
                      {"t", &layer->time_s, NULL},
                      {"wrap", NULL, &layer->wrap},
                      {"from", &layer->from_s, NULL},
                      {"to", &layer->to_s, NULL},
                      {"speed", &layer->speed, NULL},
                      {"phase", &layer->phase, NULL},
                      {"weight", &layer->weight, NULL},
                      {"additive", NULL, &layer->is_additive},
                      {"reference", NULL, &layer->reference_clip},
                      {"reference_t", &layer->reference_time_s, NULL}};
        layer->has_reference |= strcmp(key, "reference") == 0;
        for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
            if (strcmp(fields[i].key, key) != 0)
                continue;
            if (fields[i].number != NULL)
                *fields[i].number = number;
            else
                *fields[i].whole = (int32_t)number;
        }
        static const char *const SCOPES[] = {"node", "subtree", "except"};
        for (int s = 0; s < 3; s++)
            if (strcmp(SCOPES[s], key) == 0)
                add_mask(posing, layer, s, value);
    }
}

void posing_take_entity(struct posing *posing, char *words)
{
    for (char *key = strtok(words, " "); key != NULL; key = strtok(NULL, " ")) {
        char *value = strchr(key, '=');
        *value++ = '\0';
        if (strcmp(key, "motion") == 0)
            posing->entity.motion = atoi(value);
        if (strcmp(key, "root") == 0)
            posing->entity.root = (uint32_t)atoi(value), posing->entity.has_root = 1;
        if (strcmp(key, "world") != 0)
            continue;
        for (int i = 0; i < 16; i++, value += *value == ',')
            posing->world[i] = strtod(value, &value);
        posing->entity.world_from_scene = posing->world;
    }
}

void posing_copy(struct posing *out, const struct posing *from)
{
    *out = *from;
    out->entity.layers = out->layers;
    if (out->entity.world_from_scene != NULL)
        out->entity.world_from_scene = out->world;
    for (uint32_t i = 0; i < out->entity.layer_count; i++)
        if (out->layers[i].masks != NULL)
            out->layers[i].masks = out->masks[i];
}
