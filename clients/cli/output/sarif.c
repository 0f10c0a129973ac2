/* Writes the frame of SARIF 2.1.0: sarif.h. */
#include "clients/cli/output/sarif.h"

#include "base/version.h"

cJSON *sarif_message(const char *text)
{
    cJSON *message = cJSON_CreateObject();
    struct text printable = {0}; /* viewers show it unchanged */
    text_put(&printable, "");
    text_put_printable(&printable, text);
    cJSON_AddStringToObject(message, "text", printable.at);
    text_free(&printable);
    return message;
}

cJSON *sarif_new(cJSON **run, cJSON **rules)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    cJSON_AddStringToObject(json, "version", "2.1.0");
    *run = cJSON_CreateObject();
    cJSON_AddItemToArray(cJSON_AddArrayToObject(json, "runs"), *run);
    cJSON *driver = cJSON_AddObjectToObject(cJSON_AddObjectToObject(*run, "tool"), "driver");
    cJSON_AddStringToObject(driver, "name", "posectl");
    cJSON_AddStringToObject(driver, "version", posed_version());
    *rules = cJSON_AddArrayToObject(driver, "rules");
    return json;
}

void sarif_add_rule(cJSON *rules, const char *name, const char *text, const char *level, bool is_enabled)
{
    cJSON *rule = cJSON_CreateObject();
    cJSON_AddStringToObject(rule, "id", name);
    cJSON_AddItemToObject(rule, "shortDescription", sarif_message(text));
    cJSON *configuration = cJSON_AddObjectToObject(rule, "defaultConfiguration");
    cJSON_AddStringToObject(configuration, "level", level);
    cJSON_AddBoolToObject(configuration, "enabled", is_enabled);
    cJSON_AddItemToArray(rules, rule);
}

static cJSON *location_of(const char *path)
{
    struct text uri = {0};
    text_put_url(&uri, path);
    cJSON *location = cJSON_CreateObject();
    cJSON *physical = cJSON_AddObjectToObject(location, "physicalLocation");
    cJSON *artifact = cJSON_AddObjectToObject(physical, "artifactLocation");
    cJSON_AddStringToObject(artifact, "uri", uri.at == NULL ? "" : uri.at);
    text_free(&uri);
    return location;
}

cJSON *sarif_result(const char *rule, int index, const char *level, const char *message, const char *path)
{
    cJSON *result = cJSON_CreateObject();
    cJSON_AddStringToObject(result, "ruleId", rule);
    cJSON_AddNumberToObject(result, "ruleIndex", index);
    cJSON_AddStringToObject(result, "level", level);
    cJSON_AddItemToObject(result, "message", sarif_message(message));
    cJSON_AddItemToArray(cJSON_AddArrayToObject(result, "locations"), location_of(path));
    return result;
}

void sarif_add_related(cJSON *result, const char *path)
{
    cJSON *list = cJSON_GetObjectItemCaseSensitive(result, "relatedLocations");
    if (list == NULL)
        list = cJSON_AddArrayToObject(result, "relatedLocations");
    cJSON_AddItemToArray(list, location_of(path));
}
