/* compare_look_reports.c - tells the differences of what clips move beside joints and morph targets. */
#include "anim/compare/compare_looks.h"
#include "anim/model/property.h"

#include <stdio.h>
#include <string.h>

/* Writes the object that a look belongs to. */
static const char *thing_of(const struct compare *compare, const struct look *look, char out[THING_SIZE])
{
    const struct model *new = compare->sides[COMPARE_NEW].model;
    const uint32_t target = look->targets[COMPARE_NEW];
    const uint32_t kind = look->id == PROPERTY_COUNT ? 0 : property_of(look->id).kind;
    if (look->id == PROPERTY_COUNT)
        return compare_thing(new, "node", new->nodes[target].name, target, out);
    if (kind == PROPERTY_OF_LIGHT)
        return compare_thing(new, "light", new->lights[target].name, target, out);
    if (kind == PROPERTY_OF_CAMERA)
        return compare_thing(new, "camera", new->cameras[target].name, target, out);
    return compare_thing(new, "material", new->materials[target].name, target, out);
}

static void set_subject(const struct compare *compare, const struct look *look, struct difference *difference)
{
    const uint32_t kind = look->id == PROPERTY_COUNT ? 0 : property_of(look->id).kind;
    for (int s = 0; s < COMPARE_SIDES; s++) {
        const struct model *model = compare->sides[s].model;
        const uint32_t target = look->targets[s];
        if (look->id == PROPERTY_COUNT)
            difference->nodes[s] = (int32_t)target;
        else if (kind == PROPERTY_OF_LIGHT)
            difference->nodes[s] = (int32_t)model->lights[target].node;
        else if (kind == PROPERTY_OF_CAMERA)
            difference->nodes[s] = (int32_t)model->cameras[target].node;
        else
            difference->materials[s] = (int32_t)target;
    }
}

/* Writes the numbers of one side for people. */
static void set_values(struct compare *compare, const struct look *look, const float *values,
                       struct difference *difference, enum compare_side s, char out[SHORT_NAME_SIZE])
{
    float numbers[NUMBERS_MOST];
    const uint32_t target = look->targets[s];
    if (look->id == PROPERTY_COUNT) {
        snprintf(out, SHORT_NAME_SIZE, "%s", values[0] > 0 ? "shown" : "hidden");
        difference_set_text(difference, s, out);
        return;
    }
    const uint32_t count = look_numbers(compare->sides[s].model, look->id, target, numbers);
    int size = 0;
    for (uint32_t i = 0; i < count; i++)
        size += snprintf(out + size, SHORT_NAME_SIZE - (size_t)size, "%s%.4g", i > 0 ? ", " : "", (double)values[i]);
    if (count == 1)
        difference_set_number(difference, s, (double)values[0]);
    else
        difference_set_text(difference, s, out);
}

static void tell_look(struct compare *compare, const struct look *look, const struct look_worst *worst,
                      const int32_t clips[COMPARE_SIDES])
{
    const struct model *new = compare->sides[COMPARE_NEW].model;
    char names[2][THING_SIZE], texts[COMPARE_SIDES][SHORT_NAME_SIZE], path[PROPERTY_POINTER_SIZE] = "it";
    struct difference *difference = difference_add(compare, DIFFERENCE_LOOK);
    if (difference == NULL)
        return;
    set_subject(compare, look, difference);
    for (int s = 0; s < COMPARE_SIDES; s++) {
        difference->clips[s] = clips[s];
        set_values(compare, look, worst->values[s], difference, (enum compare_side)s, texts[s]);
    }
    if (look->id < PROPERTY_COUNT)
        property_put_path(look->id, path);
    if (look->id >= PROPERTY_TRANSFORMS && look->id < PROPERTY_COUNT)
        *strrchr(path, '/') = '\0'; /* of the whole transform */
    difference->time_s = worst->time_s;
    difference_say(
        difference, "%s: %s: %s is %s and was %s at %.6g s",
        compare_thing(new, "clip", new->clips[clips[COMPARE_NEW]].name, (uint32_t)clips[COMPARE_NEW], names[0]),
        thing_of(compare, look, names[1]), path, texts[COMPARE_NEW], texts[COMPARE_OLD], worst->time_s);
}

void looks_tell(struct compare *compare, enum clip_mapping mapping, const int32_t clips[COMPARE_SIDES])
{
    for (size_t i = 0; i < compare->looks->count; i++)
        if (compare->looks->list[i].worsts[mapping].apart > 1)
            tell_look(compare, &compare->looks->list[i], &compare->looks->list[i].worsts[mapping], clips);
}
