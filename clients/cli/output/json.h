/* json.h - reads members of the server's answers, and writes JSON. */
#pragma once

#include "clients/cli/output/text.h"

#include <cjson/cJSON.h>

/* Returns a member. NULL: the object lacks it, or is NULL. */
const cJSON *json_get(const cJSON *object, const char *name);
/* Returns the first entry of a list or member. NULL: the list is empty or missing. */
const cJSON *json_child(const cJSON *object, const char *name);
/* Returns a member's number, or NaN if it has none. */
double member_number(const cJSON *object, const char *name);
/* Returns a number from 0 to 1e9 as an index or a count; -1: the member has no such number. */
int member_index(const cJSON *object, const char *name);
/* Returns a member's text, or "" if it has none. */
const char *member_text(const cJSON *object, const char *name);
/* Returns the member "name" as people see it: "-" if the thing has no name. */
const char *json_name(const cJSON *object);
/* Returns how many columns hold the names of all entries, within bounds. */
size_t json_name_columns(const cJSON *list);
/* Returns the object under "error", or NULL. */
const cJSON *json_error(const cJSON *object);

/* Makes cJSON print the numbers of a tree with as many digits as give back the same doubles. By itself it leaves out
 * the last bit of some. They are no longer numbers for readers of the tree. */
void json_keep_bits(cJSON *json);
/* Both take ownership of `json`. The first prints one line on stdout, the second appends indented text. */
void json_print(cJSON *json);
void json_put_indented(struct text *out, cJSON *json);
