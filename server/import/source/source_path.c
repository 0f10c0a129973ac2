/* source_path.c - normalises paths, and extracts them from URIs. */
#include "import/source/source_path.h"

#include "base/ascii.h"
#include "base/hex.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The separators of paths: of the model's own path, and of a path that a model names. */
static const char OWN_SEPARATORS[] = "/", MODEL_SEPARATORS[] = "/\\";

/* Appends the parts of `relative` to the path in `out`, which has `*length` bytes, and resolves "." and "..". The
 * kernel would resolve them in the same way, since no part may be a symbolic link. */
static int append_parts(char *out, size_t *length, const char *relative, const char *separators, struct err *err)
{
    for (const char *part = relative; *part != '\0';) {
        const size_t size = strcspn(part, separators);
        if (size == 2 && memcmp(part, "..", 2) == 0) {
            if (*length == 0)
                return err_set(err, ERR_COMPANION_MISSING, "'%s' lies outside the model root", relative);
            while (*length > 0 && out[--*length] != '/')
                ;
        } else if (size > 0 && !(size == 1 && part[0] == '.')) {
            if (*length + size + 2 > SOURCE_PATH_SIZE)
                return err_set(err, ERR_COMPANION_MISSING, "the path '%s' is too long", relative);
            if (*length > 0)
                out[(*length)++] = '/';
            memcpy(out + *length, part, size);
            *length += size;
        }
        part += size;
        part += *part != '\0';
    }
    out[*length] = '\0';
    return 0;
}

static bool has_drive(const char *path) { return ascii_is_letter(path[0]) && path[1] == ':'; }

static bool is_absolute(const char *path) { return path[0] == '/' || path[0] == '\\' || has_drive(path); }

int source_path_of_model(const char *path, char out[SOURCE_PATH_SIZE], struct err *err)
{
    size_t length = 0;
    out[0] = '\0';
    if (path[0] == '/')
        return err_set(err, ERR_COMPANION_MISSING, "'%s' is an absolute path", path);
    if (append_parts(out, &length, path, OWN_SEPARATORS, err) < 0)
        return err->code;
    if (length == 0)
        return err_set(err, ERR_COMPANION_MISSING, "'%s' names no file", path);
    return 0;
}

int source_path_resolve(const char *model_path, const char *path, char out[SOURCE_PATH_SIZE], struct err *err)
{
    if (is_absolute(path))
        return err_set(err, ERR_COMPANION_MISSING, "'%s' is an absolute path", path);
    if (source_path_of_model(model_path, out, err) < 0)
        return err->code;
    size_t length = strlen(out);
    while (length > 0 && out[--length] != '/')
        ;
    if (append_parts(out, &length, path, MODEL_SEPARATORS, err) < 0)
        return err->code;
    if (length == 0 || path[0] == '\0')
        return err_set(err, ERR_COMPANION_MISSING, "'%s' names no file", path);
    return 0;
}

const char *source_path_base_name(const char *path)
{
    const char *name = path;
    for (const char *p = path; *p != '\0'; p++)
        if (*p == '/' || *p == '\\')
            name = p + 1;
    return name;
}

/* --- out of URIs --- */

size_t percent_decode(const char *text, uint8_t *out)
{
    size_t size = 0;
    for (; *text != '\0'; text++) {
        const int high = *text == '%' ? hex_value(text[1]) : -1;
        const int low = high < 0 ? -1 : hex_value(text[2]);
        if (low >= 0) {
            out[size++] = (uint8_t)(high << 4 | low);
            text += 2;
        } else {
            out[size++] = (uint8_t)*text;
        }
    }
    return size;
}

char *source_path_decoded(const char *path)
{
    if (strchr(path, '%') == NULL)
        return NULL;
    char *text = mem_alloc(strlen(path) + 1);
    const size_t size = percent_decode(path, (uint8_t *)text);
    text[size] = '\0';
    if (size < strlen(path) && strlen(text) == size) /* an escaped NUL ends no path */
        return text;
    free(text);
    return NULL;
}

/* The path of a file URI after "file:". */
static const char *path_of_uri(const char *rest)
{
    static const char LOCALHOST[] = "localhost/";
    if (strncmp(rest, "//", 2) == 0)
        rest += 2;
    if (strncasecmp(rest, LOCALHOST, sizeof LOCALHOST - 1) == 0)
        rest += sizeof LOCALHOST - 2;
    return rest[0] == '/' && has_drive(rest + 1) ? rest + 1 : rest;
}

static bool is_blend(const char *path)
{
    const size_t size = strlen(path);
    return size > 6 && strcasecmp(path + size - 6, ".blend") == 0;
}

char *source_path_plain(const char *model_path, const char *reference)
{
    if (is_blend(model_path) && strncmp(reference, "//", 2) == 0)
        return mem_strdup(reference + 2);
    if (strncasecmp(reference, "file:", 5) != 0)
        return mem_strdup(reference);
    const char *path = path_of_uri(reference + 5);
    char *decoded = source_path_decoded(path);
    return decoded != NULL ? decoded : mem_strdup(path);
}
