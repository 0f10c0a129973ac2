/* Applies the rule frame-rate: it checks the rate in which the file counts time, and the ends of its clips. */
#include "clients/cli/check/check.h"

#include <math.h>

/* The tolerance for an end of a clip, in frames. Exporters write times as float, in seconds or milliseconds. */
#define FRAME_TOLERANCE 0.02

/* Returns the rule's rates one by one, and 0 after the last. *at starts at 0. */
static double next_rate(const struct inspection *model, int *at)
{
    const cJSON *rates = model->rules->values[KEY_FRAME_RATE];
    const int i = (*at)++;
    if (cJSON_IsNumber(rates))
        return i == 0 ? rates->valuedouble : 0;
    const cJSON *rate = cJSON_GetArrayItem(rates, i);
    return rate == NULL ? 0 : rate->valuedouble;
}

static bool is_rate(const struct inspection *model, double rate)
{
    double allowed;
    for (int at = 0; (allowed = next_rate(model, &at)) > 0;)
        if (fabs(rate - allowed) <= 1e-3 * allowed)
            return true;
    return false;
}

/* Returns whether both times are on frames of one of the rates. */
static bool is_on_frames(const struct inspection *model, double start_s, double end_s)
{
    double rate;
    for (int at = 0; (rate = next_rate(model, &at)) > 0;)
        if (fabs(start_s * rate - round(start_s * rate)) <= FRAME_TOLERANCE &&
            fabs(end_s * rate - round(end_s * rate)) <= FRAME_TOLERANCE)
            return true;
    return false;
}

static void put_rates(const struct inspection *model, struct text *out)
{
    double rate;
    text_put(out, "");
    for (int at = 0; (rate = next_rate(model, &at)) > 0;)
        text_printf(out, "%s%g", at == 1 ? "" : " or ", rate);
}

void check_frames(const struct inspection *model)
{
    const cJSON *said = json_get(model->model, "frame_rate"), *clip;
    struct text rates = {0};
    if (model->rules->values[KEY_FRAME_RATE] == NULL)
        return;
    put_rates(model, &rates);
    if (cJSON_IsNumber(said) && !is_rate(model, said->valuedouble))
        findings_add(model, RULE_FRAME_RATE, "model", "the file counts %g frames a second, not %s", said->valuedouble,
                     rates.at);
    cJSON_ArrayForEach(clip, json_get(model->model, "clips"))
    {
        const double start_s = member_number(clip, "start"), end_s = member_number(clip, "duration");
        if (!is_on_frames(model, start_s, end_s))
            findings_add(model, RULE_FRAME_RATE, subject_of("clip", clip).text,
                         "clip %.0f '%s' goes from %.4g s to %.4g s, which are no frames at %s a second",
                         member_number(clip, "index"), member_text(clip, "name"), start_s, end_s, rates.at);
    }
    text_free(&rates);
}
