/* gltf_json.c - the chunks of a GLB, the text of a JSON document, and members of its tree. */
#include "import/gltf_file/gltf_json.h"

#include "base/bytes.h"
#include "base/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- the container --- */

/* glTF 2.0, 4.4: header = magic, version, length; chunk = length, type, data. */
enum { HEADER_BYTES = 12, CHUNK_HEADER_BYTES = 8, VERSION = 2 };
static const uint32_t CHUNK_JSON = 0x4E4F534A, CHUNK_BIN = 0x004E4942;

bool glb_is_glb(const uint8_t *bytes, size_t size_bytes) { return size_bytes >= 4 && memcmp(bytes, "glTF", 4) == 0; }

static int check_header(const uint8_t *bytes, size_t size_bytes, struct err *err)
{
    if (size_bytes < HEADER_BYTES)
        return err_set(err, ERR_BAD_MODEL, "the GLB header is cut: %zu of %d bytes", size_bytes, HEADER_BYTES);
    const uint32_t version = get_u32(bytes + 4), length = get_u32(bytes + 8);
    if (version != VERSION)
        return err_set(err, ERR_NOT_A_MODEL, "the GLB is of version %u; only version 2 (glTF 2.0) is supported",
                       version);
    if (length > size_bytes)
        return err_set(err, ERR_BAD_MODEL, "the GLB is cut: its header says %u bytes, the file has %zu", length,
                       size_bytes);
    if (length < HEADER_BYTES + CHUNK_HEADER_BYTES)
        return err_set(err, ERR_BAD_MODEL, "the GLB header says %u bytes, which has no room for a JSON chunk", length);
    return 0;
}

int glb_split(const uint8_t *bytes, size_t size_bytes, struct glb_chunks *glb, struct err *err)
{
    *glb = (struct glb_chunks){0};
    if (check_header(bytes, size_bytes, err) < 0)
        return err->code;
    const size_t end = get_u32(bytes + 8);
    glb->has_trailing_bytes = end < size_bytes;
    size_t at = HEADER_BYTES;
    for (unsigned chunk = 0; end - at >= CHUNK_HEADER_BYTES; chunk++) {
        const uint32_t size = get_u32(bytes + at), type = get_u32(bytes + at + 4);
        at += CHUNK_HEADER_BYTES;
        if (size > end - at)
            return err_set(err, ERR_BAD_MODEL, "GLB chunk %u at byte %zu says %u bytes, but %zu follow", chunk,
                           at - CHUNK_HEADER_BYTES, size, end - at);
        if (chunk == 0 && type != CHUNK_JSON)
            return err_set(err, ERR_BAD_MODEL, "the first chunk of the GLB is not JSON (type 0x%08x)", type);
        if (chunk == 0) {
            glb->json = bytes + at;
            glb->json_bytes = size;
        } else if (type == CHUNK_BIN && glb->bin == NULL) {
            glb->bin = bytes + at;
            glb->bin_bytes = size;
        }
        at += size;
    }
    if (at != end)
        return err_set(err, ERR_BAD_MODEL, "the GLB ends inside a chunk header at byte %zu", at);
    return 0;
}

/* --- the text --- */

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/* Editors accept "line 3, column 7". The byte helps with files of a single line. */
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

/* Skips the string that starts at text[*at]. An escaped NUL would cut the text short in C: it becomes '?'. */
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

/* `text` is followed by a NUL byte, which cJSON needs to notice garbage after the value. */
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
    /* Exporters pad the JSON of a GLB with NUL bytes, although the specification demands spaces. */
    while (size_bytes > 0 && (bytes[size_bytes - 1] == '\0' || is_space((char)bytes[size_bytes - 1])))
        size_bytes--;
    size_t start = 0;
    while (start < size_bytes && is_space((char)bytes[start]))
        start++;
    if (start == size_bytes || bytes[start] != '{')
        return err_set(err, ERR_NOT_A_MODEL, "neither a GLB nor a JSON object: not a glTF file");
    char *text = mem_strndup((const char *)bytes, size_bytes);
    int rc = scan(text, size_bytes, depth_max, err);
    if (rc == 0)
        rc = parse_scanned(text, size_bytes, out, err);
    free(text);
    return rc;
}

/* --- the tree --- */

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

const cJSON *json_first(const cJSON *object, const char *name)
{
    const cJSON *array = json_member(object, name);
    return array == NULL ? NULL : array->child;
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

int json_word(const char *text, const char *const *words, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(text, words[i]) == 0)
            return i;
    return -1;
}

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
