#include "import/gltf_file/json_span.h"

#include "base/mem.h"

#include <string.h>

/* What cJSON skips between tokens. */
static bool is_space(char c) { return (unsigned char)c <= ' '; }

static const char *skip_space(const char *at, const char *end)
{
    while (at < end && is_space(*at))
        at++;
    return at;
}

/* The end of the string that starts at `at`. */
static const char *skip_string(const char *at, const char *end)
{
    for (at++; at < end && *at != '"'; at++)
        if (*at == '\\' && at + 1 < end)
            at++;
    return at < end ? at + 1 : end;
}

/* The end of the value that starts at `at`: a comma or a closing bracket of the container. */
static const char *skip_value(const char *at, const char *end)
{
    size_t depth = 0;
    while (at < end) {
        if (*at == '"') {
            at = skip_string(at, end);
            continue;
        }
        if (depth == 0 && (*at == ',' || *at == '}' || *at == ']'))
            break;
        depth += *at == '{' || *at == '[';
        depth -= *at == '}' || *at == ']';
        at++;
    }
    return at;
}

struct json_span json_span_of(const char *text, size_t size_bytes)
{
    const char *end = text + size_bytes;
    if (size_bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        text += 3;
    text = skip_space(text, end);
    return (struct json_span){text, (size_t)(end - text)};
}

void json_walk_init(struct json_walk *walk, const cJSON *container, struct json_span source)
{
    /* After the opening bracket. */
    *walk = (struct json_walk){container->child, source.text + 1, source.text + source.size_bytes};
}

struct json_span json_walk_name(const struct json_walk *walk)
{
    const char *at = skip_space(walk->at, walk->end);
    return (struct json_span){at, (size_t)(skip_string(at, walk->end) - at)};
}

bool json_walk_next(struct json_walk *walk, const cJSON **item, struct json_span *source)
{
    if (walk->next == NULL)
        return false;
    const char *at = skip_space(walk->at, walk->end);
    if (walk->next->string != NULL) {
        at = skip_space(skip_string(at, walk->end), walk->end);
        at = skip_space(at < walk->end ? at + 1 : at, walk->end); /* the colon */
    }
    const char *behind = skip_value(at, walk->end), *last = behind;
    while (last > at && is_space(last[-1]))
        last--;
    *item = walk->next;
    *source = (struct json_span){at, (size_t)(last - at)};
    walk->at = behind < walk->end ? behind + 1 : behind;
    walk->next = walk->next->next;
    return true;
}

bool json_span_member(const cJSON *object, struct json_span object_source, const cJSON *member,
                      struct json_span *source)
{
    struct json_walk walk;
    const cJSON *item;
    json_walk_init(&walk, object, object_source);
    while (member != NULL && json_walk_next(&walk, &item, source))
        if (item == member)
            return true;
    return false;
}

void json_span_compact(struct buf *out, struct json_span source)
{
    const char *at = source.text, *end = at + source.size_bytes;
    while (at < end) {
        at = skip_space(at, end);
        const char *first = at;
        while (at < end && !is_space(*at))
            at = *at == '"' ? skip_string(at, end) : at + 1;
        buf_put(out, first, (size_t)(at - first));
    }
}

struct json_span *json_span_items(const cJSON *list, struct json_span list_span, uint32_t count)
{
    struct json_span *spans = mem_zalloc(count, sizeof *spans), span;
    struct json_walk walk;
    const cJSON *item;
    if (list == NULL)
        return spans;
    json_walk_init(&walk, list, list_span);
    for (uint32_t i = 0; i < count && json_walk_next(&walk, &item, &span); i++)
        spans[i] = span;
    return spans;
}
