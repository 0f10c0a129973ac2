/* Reads JSON files that people write: json_file.h. cJSON keeps no positions, so they are found in the text afterwards.
 */
#include "clients/cli/output/json_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SHOWN_BYTES = 60 };

/* --- places --- */

/* Counts the values before `wanted` in the order of the text. Returns -1 if it is not beneath `value`. cJSON limits the
 * depth. */
static long find_place(const cJSON *value, const cJSON *wanted, long *count)
{
    const cJSON *child;
    if (value == wanted)
        return *count;
    ++*count;
    cJSON_ArrayForEach(child, value)
    {
        const long place = find_place(child, wanted, count);
        if (place >= 0)
            return place;
    }
    return -1;
}

static const char *end_of_string(const char *at)
{
    for (at++; *at != '"' && *at != '\0'; at++)
        at += at[0] == '\\' && at[1] != '\0';
    return at + (*at == '"');
}

/* Returns the line of value number `place` of valid JSON, or the line of its name if it has one. */
static size_t line_of_place(const char *text, long place)
{
    size_t line = 1, name_line = 0;
    for (const char *at = text; *at != '\0';) {
        const bool is_string = *at == '"';
        const bool is_value = is_string || strchr("{[-0123456789tfn", *at) != NULL;
        const char *end = is_string                              ? end_of_string(at)
                          : is_value && *at != '{' && *at != '[' ? at + strcspn(at, ",]} \t\r\n")
                                                                 : at + 1;
        const bool is_name = is_string && end[strspn(end, " \t\r\n")] == ':';
        if (is_name)
            name_line = line;
        else if (is_value) {
            if (place-- == 0)
                return name_line > 0 ? name_line : line;
            name_line = 0;
        }
        for (; at < end; at++)
            line += *at == '\n';
    }
    return line;
}

void json_file_put_place(const struct json_file *file, const cJSON *value, struct text *out)
{
    long count = 0;
    const long place = file->text == NULL ? -1 : find_place(file->json, value, &count);
    text_put_printable(out, file->name);
    if (place >= 0)
        text_printf(out, ":%zu", line_of_place(file->text, place));
    text_put(out, ": ");
}

void json_put_short(struct text *out, const cJSON *value)
{
    char *text = cJSON_PrintUnformatted(value);
    struct text cut = {0};
    const size_t size = text == NULL ? 0 : strlen(text);
    size_t shown = size > SHOWN_BYTES ? SHOWN_BYTES : size;
    while (shown > 0 && shown < size && ((unsigned char)text[shown] & 0xc0) == 0x80) /* within a character */
        shown--;
    text_put_bytes(&cut, text == NULL ? "" : text, shown);
    text_put_printable(out, cut.at);
    text_put(out, shown < size ? ".." : "");
    text_free(&cut);
    free(text);
}

/* --- reading --- */

static enum json_read refuse(const struct json_file *file, struct text *problem, const char *why)
{
    text_put_printable(problem, file->name);
    text_printf(problem, ": %s", why);
    return JSON_BAD;
}

static enum json_read read_text(struct json_file *file, const char *path, size_t size_max_bytes, struct text *problem)
{
    struct stat info;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); /* a pipe must not block */
    if (fd < 0)
        return errno == ENOENT ? JSON_NONE : refuse(file, problem, strerror(errno));
    enum json_read result = JSON_READ;
    if (fstat(fd, &info) < 0 || !S_ISREG(info.st_mode))
        result = refuse(file, problem, "it is no regular file");
    else if ((unsigned long long)info.st_size > size_max_bytes) {
        text_put_printable(problem, file->name);
        text_printf(problem, ": it has more than %zu bytes", size_max_bytes);
        result = JSON_BAD;
    } else {
        const size_t capacity_bytes = (size_t)info.st_size;
        ssize_t got = 1;
        file->text = must_alloc(capacity_bytes + 1);
        while (got > 0 && file->size_bytes < capacity_bytes) {
            got = read(fd, file->text + file->size_bytes, capacity_bytes - file->size_bytes);
            file->size_bytes += got > 0 ? (size_t)got : 0;
        }
        if (got < 0)
            result = refuse(file, problem, strerror(errno));
    }
    close(fd);
    return result;
}

static int by_name(const void *a, const void *b)
{
    return strcmp((*(const cJSON *const *)a)->string, (*(const cJSON *const *)b)->string);
}

/* Returns a member whose name occurs earlier in the same object, or NULL. */
static const cJSON *find_twin(const cJSON *value)
{
    const cJSON *child, *twin = NULL;
    const size_t count = (size_t)cJSON_GetArraySize(value);
    size_t at = 0;
    if (cJSON_IsObject(value) && count > 1) {
        const cJSON **members = must_alloc(count * sizeof *members);
        cJSON_ArrayForEach(child, value) members[at++] = child;
        qsort(members, count, sizeof *members, by_name);
        for (size_t i = 1; i < count && twin == NULL; i++)
            if (strcmp(members[i - 1]->string, members[i]->string) == 0)
                twin = members[i];
        free(members);
    }
    cJSON_ArrayForEach(child, value)
    {
        if (twin == NULL)
            twin = find_twin(child);
    }
    return twin;
}

enum json_read json_file_read(struct json_file *file, const char *path, const char *name, size_t size_max_bytes,
                              struct text *problem)
{
    const char *end = NULL;
    *file = (struct json_file){.name = must_copy(name)};
    const enum json_read result = read_text(file, path, size_max_bytes, problem);
    if (result != JSON_READ)
        return result;
    if (strlen(file->text) != file->size_bytes)
        return refuse(file, problem, "it is not JSON: it has a NUL byte");
    file->json = cJSON_ParseWithLengthOpts(file->text, file->size_bytes + 1, &end, 1);
    if (file->json == NULL) {
        size_t line = 1;
        for (const char *at = file->text; end != NULL && at < end; at++)
            line += *at == '\n';
        text_put_printable(problem, file->name);
        text_printf(problem, ":%zu: it is not JSON%s", line, file->text[0] == '\0' ? ", but empty" : "");
        return JSON_BAD;
    }
    const cJSON *twin = find_twin(file->json);
    if (twin == NULL)
        return JSON_READ;
    json_file_put_place(file, twin, problem);
    text_put(problem, "key '");
    text_put_printable(problem, twin->string);
    text_put(problem, "' is there twice");
    return JSON_BAD;
}

void json_file_free(struct json_file *file)
{
    free(file->name);
    free(file->text);
    cJSON_Delete(file->json);
    *file = (struct json_file){0};
}
