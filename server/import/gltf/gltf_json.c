#include "import/gltf/gltf_json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/* "line 3, column 7" is what editors take; the byte says it for files of a single line. */
static int syntax_error(const char *text, size_t at, const char *what, struct err *err)
{
    size_t line = 1, column = 1;
    for (size_t i = 0; i < at; i++) {
        column = text[i] == '\n' ? 1 : column + 1;
        line += text[i] == '\n';
    }
    return err_set(err, ERR_BAD_MODEL, "the JSON is broken at line %zu, column %zu (byte %zu): %s", line, column, at,
                   what);
}

/* Passes over the string that starts at text[*at]. An escaped NUL would cut the text short in C: it becomes '?'. */
static int scan_string(char *text, size_t size_bytes, size_t *at, struct err *err)
{
    const size_t start = *at;
    for (size_t i = start + 1; i < size_bytes; i++) {
        if (text[i] == '"') {
            *at = i;
            return 0;
        }
        if ((unsigned char)text[i] < 0x20)
            return syntax_error(text, i, "a control character in a text", err);
        if (text[i] != '\\')
            continue;
        if (size_bytes - i >= 6 && memcmp(text + i, "\\u0000", 6) == 0)
            memcpy(text + i, "\\u003f", 6);
        i++;
    }
    return syntax_error(text, start, "a text without its end", err);
}

static int scan(char *text, size_t size_bytes, uint64_t depth_max, struct err *err)
{
    uint64_t depth = 0;
    for (size_t i = 0; i < size_bytes; i++) {
        if (text[i] == '"' && scan_string(text, size_bytes, &i, err) < 0)
            return err->code;
        if (text[i] == '\0')
            return syntax_error(text, i, "a NUL byte", err);
        if ((text[i] == '{' || text[i] == '[') && ++depth > depth_max)
            return err_set(err, ERR_BAD_MODEL, "the JSON nests deeper than %llu levels at byte %zu",
                           (unsigned long long)depth_max, i);
        if ((text[i] == '}' || text[i] == ']') && depth > 0)
            depth--;
    }
    return 0;
}

/* `text` is followed by a NUL byte, as cJSON needs to see garbage behind the value. */
static int parse_scanned(const char *text, size_t size_bytes, cJSON **out, struct err *err)
{
    const char *end = text;
    errno = 0;
    *out = cJSON_ParseWithLengthOpts(text, size_bytes + 1, &end, 1);
    if (*out != NULL)
        return 0;
    if (errno == ENOMEM)
        return err_set(err, ERR_IMPORT_MEMORY, "the importer ran out of memory while it read the JSON");
    const size_t at = end < text ? 0 : (size_t)(end - text);
    return syntax_error(text, at < size_bytes ? at : size_bytes, "not what JSON allows here", err);
}

int json_parse(const uint8_t *bytes, size_t size_bytes, uint64_t depth_max, cJSON **out, struct err *err)
{
    *out = NULL;
    if (size_bytes >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) {
        bytes += 3;
        size_bytes -= 3;
    }
    /* Exporters pad a GLB's JSON with NUL bytes, where spaces are asked for. */
    while (size_bytes > 0 && (bytes[size_bytes - 1] == '\0' || is_space((char)bytes[size_bytes - 1])))
        size_bytes--;
    size_t start = 0;
    while (start < size_bytes && is_space((char)bytes[start]))
        start++;
    if (start == size_bytes || bytes[start] != '{')
        return err_set(err, ERR_NOT_A_MODEL, "neither a GLB nor a JSON object: not a glTF file");
    char *text = malloc(size_bytes + 1);
    if (text == NULL)
        return err_set(err, ERR_IMPORT_MEMORY, "the importer ran out of memory for %zu bytes of JSON", size_bytes);
    memcpy(text, bytes, size_bytes);
    text[size_bytes] = '\0';
    int rc = scan(text, size_bytes, depth_max, err);
    if (rc == 0)
        rc = parse_scanned(text, size_bytes, out, err);
    free(text);
    return rc;
}

const char *json_kind(const cJSON *item)
{
    switch (item->type & 0xff) {
    case cJSON_False:
    case cJSON_True:
        return "a truth value";
    case cJSON_NULL:
        return "null";
    case cJSON_Number:
        return "a number";
    case cJSON_String:
        return "a text";
    case cJSON_Array:
        return "an array";
    default:
        return "an object";
    }
}

const cJSON *json_member(const cJSON *object, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

double json_number(const cJSON *object, const char *name, double missing)
{
    const cJSON *item = json_member(object, name);
    return item == NULL ? missing : item->valuedouble;
}

int64_t json_index(const cJSON *object, const char *name)
{
    const cJSON *item = json_member(object, name);
    return item == NULL ? -1 : (int64_t)item->valuedouble;
}

uint64_t json_count(const cJSON *object, const char *name, uint64_t missing)
{
    const cJSON *item = json_member(object, name);
    return item == NULL ? missing : (uint64_t)item->valuedouble;
}

bool json_is_true(const cJSON *object, const char *name) { return cJSON_IsTrue(json_member(object, name)); }

const char *json_text(const cJSON *object, const char *name) { return cJSON_GetStringValue(json_member(object, name)); }

bool json_floats(const cJSON *object, const char *name, uint32_t count, float *out)
{
    const cJSON *array = json_member(object, name);
    if (array == NULL)
        return false;
    const cJSON *item = array->child;
    for (uint32_t i = 0; i < count && item != NULL; i++, item = item->next)
        out[i] = (float)item->valuedouble;
    return true;
}

uint32_t json_size(const cJSON *array)
{
    uint32_t count = 0;
    for (const cJSON *item = array == NULL ? NULL : array->child; item != NULL; item = item->next)
        count++;
    return count;
}
