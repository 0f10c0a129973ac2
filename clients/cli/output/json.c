#include "clients/cli/output/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_COLUMNS_MIN = 4, NAME_COLUMNS_MAX = 40 };

const cJSON *json_get(const cJSON *object, const char *name) { return cJSON_GetObjectItemCaseSensitive(object, name); }

const cJSON *json_child(const cJSON *object, const char *name)
{
    const cJSON *list = json_get(object, name);
    return list == NULL ? NULL : list->child;
}

double member_number(const cJSON *object, const char *name) { return cJSON_GetNumberValue(json_get(object, name)); }

int member_index(const cJSON *object, const char *name)
{
    const double number = member_number(object, name);
    return number >= 0 && number <= 1e9 ? (int)number : -1;
}

const char *member_text(const cJSON *object, const char *name)
{
    const char *text = cJSON_GetStringValue(json_get(object, name));
    return text == NULL ? "" : text;
}

const char *json_name(const cJSON *object)
{
    const char *name = cJSON_GetStringValue(json_get(object, "name"));
    return name == NULL ? "-" : name;
}

size_t json_name_columns(const cJSON *list)
{
    size_t columns = NAME_COLUMNS_MIN;
    const cJSON *entry;
    cJSON_ArrayForEach(entry, list)
    {
        const size_t name = text_columns(json_name(entry));
        columns = name > columns ? name : columns;
    }
    return columns > NAME_COLUMNS_MAX ? NAME_COLUMNS_MAX : columns;
}

const cJSON *json_error(const cJSON *object)
{
    const cJSON *error = json_get(object, "error");
    return cJSON_IsObject(error) ? error : NULL;
}

void json_print(cJSON *json)
{
    char *text = cJSON_PrintUnformatted(json);
    struct text out = {0};
    text_put_json(&out, text == NULL ? "{}" : text, text == NULL ? 2 : strlen(text));
    puts(out.at);
    fflush(stdout);
    text_free(&out);
    free(text);
    cJSON_Delete(json);
}

void json_put_indented(struct text *out, cJSON *json)
{
    char *text = cJSON_Print(json);
    text_put_json(out, text == NULL ? "{}" : text, text == NULL ? 2 : strlen(text));
    text_put(out, "\n");
    free(text);
    cJSON_Delete(json);
}

void json_keep_bits(cJSON *json)
{
    enum { DIGITS_MAX = 17, NUMBER_BYTES = 40 };
    for (cJSON *child = json->child; child != NULL; child = child->next)
        json_keep_bits(child);
    if (!cJSON_IsNumber(json) || !isfinite(json->valuedouble))
        return;
    char *text = must_alloc(NUMBER_BYTES);
    for (int digits = 15; digits <= DIGITS_MAX; digits++) {
        snprintf(text, NUMBER_BYTES, "%.*g", digits, json->valuedouble);
        if (strtod(text, NULL) == json->valuedouble)
            break;
    }
    json->type = cJSON_Raw | (json->type & (cJSON_IsReference | cJSON_StringIsConst));
    json->valuestring = text; /* cJSON frees it, by free() */
}
