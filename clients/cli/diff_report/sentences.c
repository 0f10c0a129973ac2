/* Says differences in words. */
#include "clients/cli/diff_report/sentences.h"

#include "clients/cli/diff_report/areas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_COLUMNS = 60 };
/* As server/anim/compare weighs them: a rotation by ten times the tolerance counts as much as a distance of once. */
static const double TURN_FACTOR = 10, DEGREES = 57.295779513082321;

void sentence_put_name(struct text *out, const char *name)
{
    int columns = 0;
    for (size_t bytes; *name != '\0' && columns < NAME_COLUMNS; name += bytes, columns++) {
        bytes = text_character_bytes(name);
        bytes = bytes == 0 ? 1 : bytes;
        text_put_bytes(out, name, bytes);
    }
    text_put(out, *name == '\0' ? "" : "..");
}

/* Puts "joint 'hand'", or "joint 3" for one without a name. `what` may be "". */
static void put_thing(struct text *out, const char *what, const cJSON *subject, const char *name, const char *indices)
{
    const char *text = member_text(subject, name);
    const cJSON *pair = json_get(subject, indices), *index = cJSON_GetArrayItem(pair, 1);
    if (text[0] != '\0') {
        text_printf(out, "%s%s'", what, what[0] == '\0' ? "" : " ");
        sentence_put_name(out, text);
        text_put(out, "'");
    } else
        text_printf(out, "%s %.0f", name,
                    cJSON_GetNumberValue(cJSON_IsNumber(index) ? index : cJSON_GetArrayItem(pair, 0)));
}

/* --- lengths --- */

static void put_number(struct text *out, double value)
{
    text_printf(out, fabs(value) >= 1000 && fabs(value) < 1e9 ? "%.0f" : "%.3g", value);
}

/* Puts "0.12 m" in the unit of the old file. */
static void put_length(struct text *out, const cJSON *answer, double length)
{
    static const struct {
        double metres;
        const char *name;
    } UNITS[] = {{1, "m"}, {0.01, "cm"}, {0.001, "mm"}, {0.0254, "in"}, {0.3048, "ft"}, {0.9144, "yd"}, {1000, "km"}};
    const double unit_m = member_number(answer, "unit_m");
    for (size_t i = 0; i < sizeof UNITS / sizeof *UNITS; i++)
        if (fabs(unit_m / UNITS[i].metres - 1) < 1e-4) {
            put_number(out, length);
            text_printf(out, " %s", UNITS[i].name);
            return;
        }
    put_number(out, unit_m > 0 && isfinite(unit_m) ? length * unit_m : length);
    text_put(out, unit_m > 0 && isfinite(unit_m) ? " m" : " units");
}

/* --- shifts --- */

bool sentence_is_shift(const cJSON *difference)
{
    const char *kind = member_text(difference, "kind");
    return (strcmp(kind, "pose") == 0 || strcmp(kind, "rest") == 0) &&
           json_get(json_get(difference, "subject"), "nodes") != NULL &&
           isfinite(member_number(difference, "distance"));
}

/* Puts " is 0.12 m (6 % of the size) elsewhere". What is within the tolerance is not told beside what is not. */
static void put_how_much(struct text *out, const cJSON *answer, const cJSON *difference, const char *whose)
{
    const double share = member_number(difference, "share"), angle_deg = member_number(difference, "angle_deg");
    const double tolerance = member_number(answer, "tolerance");
    const bool is_far = share > tolerance, is_turned = angle_deg > TURN_FACTOR * tolerance * DEGREES;
    if (!is_far && !is_turned && !(share > 0.01 * tolerance) && !(angle_deg > 0.1 * tolerance * DEGREES)) {
        text_put(out, " is scaled otherwise");
        return;
    }
    text_put(out, " is ");
    if (is_far || !is_turned) {
        put_length(out, answer, member_number(difference, "distance"));
        text_put(out, " (");
        put_number(out, 100 * share);
        text_printf(out, " %% of %s size) elsewhere", whose);
    }
    if (is_turned) {
        text_put(out, is_far ? " and turned by " : "turned by ");
        put_number(out, angle_deg);
        text_put(out, " degrees");
    }
}

static void put_when(struct text *out, const cJSON *difference)
{
    const double time_s = member_number(difference, "time_s");
    if (isfinite(time_s))
        text_printf(out, " at %.4g s", time_s);
    else
        text_put(out, " at rest");
}

void sentence_put_shift(struct text *out, const cJSON *answer, const cJSON *difference)
{
    const cJSON *subject = json_get(difference, "subject");
    if (json_get(subject, "meshes") != NULL)
        text_put(out, "what follows ");
    put_thing(out, "joint", subject, "joint", "nodes");
    put_how_much(out, answer, difference, "the");
    put_when(out, difference);
}

void sentence_put_short_shift(struct text *out, const cJSON *answer, const cJSON *difference)
{
    put_thing(out, "joint", json_get(difference, "subject"), "joint", "nodes");
    text_put(out, " ");
    if (member_number(difference, "share") > member_number(answer, "tolerance") ||
        !isfinite(member_number(difference, "angle_deg"))) {
        put_length(out, answer, member_number(difference, "distance"));
        text_put(out, " (");
        put_number(out, 100 * member_number(difference, "share"));
        text_put(out, " %)");
    } else {
        put_number(out, member_number(difference, "angle_deg"));
        text_put(out, " degrees");
    }
    if (isfinite(member_number(difference, "time_s")))
        put_when(out, difference);
}

/* Returns whether the poses of the difference's clip were compared at the same share of its length. */
static bool is_by_phase(const cJSON *answer, const cJSON *clips)
{
    const cJSON *clip;
    cJSON_ArrayForEach(clip, json_get(answer, "clips"))
    {
        if (cJSON_Compare(json_get(clip, "clips"), clips, true))
            return strcmp(member_text(clip, "compared"), "phase") == 0;
    }
    return false;
}

void sentence_put_where(struct text *out, const cJSON *answer, const cJSON *difference)
{
    const cJSON *subject = json_get(difference, "subject"), *clips = json_get(subject, "clips");
    if (clips == NULL) {
        text_put(out, "at rest");
        return;
    }
    put_thing(out, "clip", subject, "clip", "clips");
    text_put(out, is_by_phase(answer, clips) ? " by phase" : "");
}

void sentence_put_worst(struct text *out, const cJSON *answer, const cJSON *difference)
{
    const cJSON *subject = json_get(difference, "subject");
    if (!sentence_is_shift(difference)) {
        text_put(out, member_text(difference, "message"));
        return;
    }
    text_put(out, json_get(subject, "meshes") != NULL ? "what follows " : "");
    put_thing(out, "", subject, "joint", "nodes");
    if (json_get(subject, "clips") != NULL) {
        text_put(out, " of ");
        put_thing(out, "", subject, "clip", "clips");
    }
    put_how_much(out, answer, difference, "its");
    put_when(out, difference);
}

/* --- preparation --- */

struct placed {
    cJSON *difference;
    enum area area;
    int rank, index;
};

static int by_place(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    const int area = (x->area > y->area) - (x->area < y->area);
    return area != 0 ? area : x->rank != y->rank ? x->rank - y->rank : x->index - y->index;
}

static void sort(cJSON *list)
{
    const int count = cJSON_GetArraySize(list);
    struct placed *placed = must_alloc(((size_t)count + 1) * sizeof *placed);
    for (int i = 0; i < count; i++) {
        cJSON *difference = cJSON_DetachItemFromArray(list, 0);
        placed[i] = (struct placed){difference, area_of(difference), area_rank(member_text(difference, "kind")), i};
    }
    qsort(placed, (size_t)count, sizeof *placed, by_place);
    for (int i = 0; i < count; i++)
        cJSON_AddItemToArray(list, placed[i].difference);
    free(placed);
}

static void say(const cJSON *answer, cJSON *difference)
{
    struct text message = {0};
    if (json_get(json_get(difference, "subject"), "clips") != NULL) {
        sentence_put_where(&message, answer, difference);
        text_put(&message, ": ");
    }
    sentence_put_shift(&message, answer, difference);
    cJSON_DeleteItemFromObjectCaseSensitive(difference, "message");
    cJSON_AddStringToObject(difference, "message", message.at);
    text_free(&message);
}

/* Says the first length of a message in the unit of the old file: "up to 30 units (5.52 % of the size)". */
static void say_unit(const cJSON *answer, cJSON *difference)
{
    const char *message = member_text(difference, "message"), *end = strstr(message, " units (");
    const double distance = member_number(difference, "distance");
    const char *start = end;
    while (start != NULL && start > message && start[-1] != ' ')
        start--;
    if (start == NULL || !isfinite(distance))
        return;
    struct text said = {0};
    text_put_bytes(&said, message, (size_t)(start - message));
    put_length(&said, answer, distance);
    text_put(&said, end + strlen(" units"));
    cJSON_DeleteItemFromObjectCaseSensitive(difference, "message");
    cJSON_AddStringToObject(difference, "message", said.at);
    text_free(&said);
}

void sentences_prepare(cJSON *answer, double unit_m)
{
    cJSON *list = cJSON_GetObjectItemCaseSensitive(answer, "differences"), *difference;
    if (!cJSON_IsArray(list))
        return;
    cJSON_DeleteItemFromObjectCaseSensitive(answer, "unit_m");
    if (isfinite(unit_m))
        cJSON_AddNumberToObject(answer, "unit_m", unit_m);
    else
        cJSON_AddNullToObject(answer, "unit_m");
    sort(list);
    cJSON_ArrayForEach(difference, list)
    {
        if (!cJSON_IsObject(difference))
            continue;
        cJSON_DeleteItemFromObjectCaseSensitive(difference, "area");
        cJSON_AddStringToObject(difference, "area", area_name(area_of(difference)));
        if (sentence_is_shift(difference))
            say(answer, difference);
        else
            say_unit(answer, difference);
    }
}
