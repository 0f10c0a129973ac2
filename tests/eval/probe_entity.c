#include "tests/eval/probe_entity.h"
#include "tests/eval/probe_pose.h"

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
        if (strcmp(key, "pose") == 0)
            layer->pose = probe_pose((int)number);
        if (strcmp(key, "motion") == 0)
            layer->given = probe_motion_at((int)number);
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

uint32_t posing_source(const char *words)
{
    const char *at = strstr(words, "source=");
    return at != NULL ? (uint32_t)atoi(at + strlen("source=")) : 0;
}

static int find_clip(const struct pe_model *model, struct probed_sources *sources, uint32_t n, int32_t clip,
                     const struct pe_retargeted_clip **out, struct pe_error *error)
{
    struct pe_retargeted_clip **made = &sources->clips[n - 1][clip];
    const struct pe_model *source = sources->models[n - 1];
    int rc = 0;
    if (*made == NULL)
        rc = sources->is_by_rest[n - 1]
                 ? pe_retargeted_clip_new_by_rest(made, model, source, clip, &sources->rests[n - 1], error)
                 : pe_retargeted_clip_new(made, model, source, clip, error);
    *out = *made;
    return rc;
}

int posing_retarget(struct posing *posing, struct probed_sources *sources, uint32_t n, struct pe_error *error)
{
    struct pe_layer *layer = &posing->layers[posing->entity.layer_count - 1];
    const struct pe_model *model = posing->entity.model;
    int rc = n == 0 || layer->clip < 0 ? 0 : find_clip(model, sources, n, layer->clip, &layer->retargeted, error);
    if (rc == 0 && n > 0 && layer->has_reference != 0 && layer->reference_clip >= 0)
        rc = find_clip(model, sources, n, layer->reference_clip, &layer->reference_retargeted, error);
    return rc;
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
