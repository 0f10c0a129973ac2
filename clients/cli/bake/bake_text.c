/* Writes a table as JSON and as CSV (RFC 4180, but lines end with a line feed). */
#include "clients/cli/bake/bake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const TRS_NAMES[] = {"tx", "ty", "tz", "qx", "qy", "qz", "qw", "sx", "sy", "sz"};

static const float *numbers_of(const struct bake *bake, size_t frame, size_t item)
{
    return bake->numbers + (frame * bake->item_count + item) * bake_floats(bake->values);
}

void bake_put_double(struct text *out, double value)
{
    char digits[32];
    for (int count = 15; count <= 17; count++) {
        snprintf(digits, sizeof digits, "%.*g", count, value);
        if (strtod(digits, NULL) == value)
            break;
    }
    text_put(out, digits);
}

cJSON *bake_describe(const struct bake *bake)
{
    cJSON *about = cJSON_CreateObject(), *items = cJSON_CreateArray(), *clips = cJSON_CreateArray();
    cJSON_AddStringToObject(about, "model", bake->model);
    cJSON_AddStringToObject(about, "hash", member_text(bake->about, "hash"));
    if (bake->onto != NULL) {
        cJSON *clip_file = cJSON_AddObjectToObject(about, "clip_file");
        cJSON_AddStringToObject(clip_file, "model", bake->clip_file);
        cJSON_AddStringToObject(clip_file, "hash", member_text(bake->clip_about, "hash"));
    }
    cJSON_AddItemToObject(about, "up", cJSON_Duplicate(json_get(bake->about, "up"), true));
    cJSON_AddItemToObject(about, "unit_m", cJSON_Duplicate(json_get(bake->about, "unit_m"), true));
    cJSON_AddNumberToObject(about, "fps", bake->fps);
    cJSON_AddNumberToObject(about, "frame_count", (double)bake->frame_count);
    for (size_t c = 0; c < bake->clip_count; c++) {
        const struct bake_clip *clip = &bake->clips[c];
        cJSON *entry = cJSON_CreateObject();
        cJSON_AddStringToObject(entry, "name", clip->name);
        cJSON_AddNumberToObject(entry, "index", clip->index);
        cJSON_AddNumberToObject(entry, "duration", clip->duration_s);
        cJSON_AddNumberToObject(entry, "first_frame", (double)clip->first_frame);
        cJSON_AddNumberToObject(entry, "frame_count", (double)clip->frame_count);
        cJSON_AddBoolToObject(entry, "loop", clip->is_loop);
        cJSON_AddItemToArray(clips, entry);
    }
    cJSON_AddItemToObject(about, "clips", clips);
    if (bake->item_count == 0) {
        cJSON_Delete(items);
        return about;
    }
    cJSON_AddStringToObject(about, "values", bake_values_name(bake->values));
    for (size_t i = 0; i < bake->item_count; i++) {
        const struct bake_item *item = &bake->items[i];
        cJSON *entry = cJSON_CreateObject();
        cJSON_AddStringToObject(entry, "name", item->name);
        cJSON_AddNumberToObject(entry, "node", item->node);
        if (item->skin >= 0)
            cJSON_AddNumberToObject(entry, "skin", item->skin);
        if (item->is_socket) {
            cJSON_AddItemToObject(entry, "offset", cJSON_CreateDoubleArray(item->place, 3));
            cJSON_AddItemToObject(entry, "turn_deg", cJSON_CreateDoubleArray(item->turn_deg, 3));
        }
        cJSON_AddItemToArray(items, entry);
    }
    cJSON_AddItemToObject(about, "items", items);
    return about;
}

void bake_put_json(const struct bake *bake, struct text *out)
{
    cJSON *description = bake_describe(bake);
    char *about = cJSON_PrintUnformatted(description);
    cJSON_Delete(description);
    text_put_bytes(out, about == NULL ? "{" : about, about == NULL ? 1 : strlen(about) - 1);
    free(about);
    text_put(out, ",\n\"times\":[");
    for (size_t f = 0; f < bake->frame_count; f++) {
        text_put(out, f == 0 ? "" : ",");
        bake_put_double(out, bake->times_s[f]);
    }
    text_put(out, "],\n\"frames\":[");
    for (size_t f = 0; f < bake->frame_count; f++) {
        text_put(out, f == 0 ? "\n[" : ",\n[");
        for (size_t i = 0; i < bake->item_count; i++) {
            const float *numbers = numbers_of(bake, f, i);
            text_put(out, i == 0 ? "[" : ",[");
            for (size_t k = 0; k < bake_floats(bake->values); k++)
                text_printf(out, "%s%.9g", k == 0 ? "" : ",", (double)numbers[k]);
            text_put(out, "]");
        }
        text_put(out, "]");
    }
    text_put(out, "\n]}\n");
}

static void put_cell(struct text *out, const char *text)
{
    if (text[strcspn(text, ",\"\r\n")] == '\0' && text[0] != ' ') {
        text_put(out, text);
        return;
    }
    text_put(out, "\"");
    for (const char *at = text; *at != '\0'; at++)
        text_put_bytes(out, *at == '"' ? "\"\"" : at, *at == '"' ? 2 : 1);
    text_put(out, "\"");
}

void bake_put_csv(const struct bake *bake, struct text *out)
{
    const bool is_trs = bake_is_trs(bake->values);
    text_put(out, bake->values == BAKE_PALETTE ? "clip,frame,time,skin,name" : "clip,frame,time,name");
    for (size_t k = 0; k < bake_floats(bake->values); k++) {
        if (is_trs)
            text_printf(out, ",%s", TRS_NAMES[k]);
        else
            text_printf(out, ",m%zu%zu", k / 4, k % 4);
    }
    text_put(out, "\n");
    for (size_t c = 0; c < bake->clip_count; c++)
        for (size_t n = 0; n < bake->clips[c].frame_count * bake->item_count; n++) {
            const size_t f = n / bake->item_count, i = n % bake->item_count;
            const float *numbers = numbers_of(bake, bake->clips[c].first_frame + f, i);
            put_cell(out, bake->clips[c].name);
            text_printf(out, ",%zu,", f);
            bake_put_double(out, bake->times_s[bake->clips[c].first_frame + f]);
            text_put(out, ",");
            if (bake->values == BAKE_PALETTE)
                text_printf(out, "%d,", bake->items[i].skin);
            put_cell(out, bake->items[i].name);
            for (size_t k = 0; k < bake_floats(bake->values); k++)
                text_printf(out, ",%.9g", (double)numbers[is_trs ? k : k % 4 * 4 + k / 4]);
            text_put(out, "\n");
        }
}
