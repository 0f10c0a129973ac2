/* json.h - reading members of the server's answers, and writing JSON. */
#pragma once

#include "clients/cli/output/text.h"

#include <cjson/cJSON.h>

/* A member; NULL where there is none, as of a NULL object. */
const cJSON *json_get(const cJSON *object, const char *name);
/* A member's number (NaN where there is none) and text ("" where there is none). */
/* The first entry of a list or member; NULL: it is empty, or there is none. */
const cJSON *json_child(const cJSON *object, const char *name);
double member_number(const cJSON *object, const char *name);
/* A number from 0 to 1e9 as an index, or a count; -1: it is none. */
int member_index(const cJSON *object, const char *name);
const char *member_text(const cJSON *object, const char *name);
/* The member "name" as people see it: "-" where the thing has no name. */
const char *json_name(const cJSON *object);
/* So many columns hold the names of all entries, within bounds. */
size_t json_name_columns(const cJSON *list);
/* The object under "error"; NULL where that is none. */
const cJSON *json_error(const cJSON *object);

/* Both take `json` over: one line on stdout, and indented text. */
void json_print(cJSON *json);
void json_put_indented(struct text *out, cJSON *json);
