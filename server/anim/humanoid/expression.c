#include "anim/humanoid/expression.h"

#include <math.h>
#include <string.h>

/* They are sorted by name. */
int32_t expression_find(const struct model *model, const char *name, size_t size_bytes)
{
    uint32_t low = 0, high = model->expression_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const struct str at = model->expressions[middle].name;
        const int order =
            memcmp(model->text + at.offset, name, at.size_bytes < size_bytes ? at.size_bytes : size_bytes);
        if (order == 0 && at.size_bytes == size_bytes)
            return (int32_t)middle;
        if (order < 0 || (order == 0 && at.size_bytes < size_bytes))
            low = middle + 1;
        else
            high = middle;
    }
    return -1;
}

int8_t expression_part(const struct model *model, uint32_t expression)
{
    static const char *const WORDS[] = {"aa",        "ih",         "ou",     "ee",       "oh",       "blink",
                                        "blinkLeft", "blinkRight", "lookUp", "lookDown", "lookLeft", "lookRight"};
    const struct expression *at = &model->expressions[expression];
    const char *name = model->text + at->name.offset;
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS && (at->flags & EXPRESSION_PRESET) != 0; i++)
        if (strlen(WORDS[i]) == at->name.size_bytes && memcmp(WORDS[i], name, at->name.size_bytes) == 0)
            return i < 5 ? EXPRESSION_MOUTH : i < 8 ? EXPRESSION_BLINK : EXPRESSION_GAZE;
    return -1;
}

double expressions_left(const struct model *model, const int8_t *parts, const float *weights, enum expression_part part)
{
    double left = 1;
    for (uint32_t e = 0; e < model->expression_count; e++) {
        const struct expression *at = &model->expressions[e];
        const uint32_t words[EXPRESSION_PART_COUNT] = {at->override_mouth, at->override_blink, at->override_look_at};
        const double weight = (double)weights[e];
        if (weight > 0 && (int)part != parts[e])
            left -= words[part] == EXPRESSION_BLOCK ? 1 : words[part] == EXPRESSION_BLEND ? weight : 0;
    }
    return left;
}

static void override_weights(const struct model *model, const int8_t *parts, float *weights)
{
    double left[EXPRESSION_PART_COUNT];
    for (int part = 0; part < EXPRESSION_PART_COUNT; part++)
        left[part] = expressions_left(model, parts, weights, (enum expression_part)part);
    for (uint32_t e = 0; e < model->expression_count; e++) {
        const int part = parts[e];
        const bool is_binary = (model->expressions[e].flags & EXPRESSION_BINARY) != 0;
        if (part >= 0 && left[part] < 1)
            weights[e] = is_binary ? 0 : (float)((double)weights[e] * fmax(0, left[part]));
    }
}

void expressions_show(const struct model *model, const int8_t *parts, float *weights)
{
    for (uint32_t e = 0; e < model->expression_count; e++) {
        weights[e] = (float)fmin(1, fmax(0, (double)weights[e]));
        if ((model->expressions[e].flags & EXPRESSION_BINARY) != 0)
            weights[e] = weights[e] > 0.5f;
    }
    override_weights(model, parts, weights);
}
