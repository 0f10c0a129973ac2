/* gltf_extras.c - the extras of nodes, materials and animations (glTF 2.0, 3.2: "extras"), as the file's text without
 * white space. The cJSON tree stores numbers as doubles; the text keeps every digit. */
#include "import/gltf/gltf.h"

#include "base/buf.h"

#include <stdio.h>
#include <string.h>

/* --- where the values of a cJSON tree are in the text that it was parsed from --- */

/* The text of one value, without white space around it. */
struct json_span {
    const char *text;
    size_t size_bytes;
};

/* Visits the members of an object or the items of an array together with their text. It follows the order of the text,
 * so duplicates match as well. Time is linear in the container's text; no recursion or allocation. */
struct json_walk {
    const cJSON *next;
    const char *at, *end;
};

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

/* The text of a whole document: without the byte order mark and the white space before its first value. */
static struct json_span json_span_of(const char *text, size_t size_bytes)
{
    const char *end = text + size_bytes;
    if (size_bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        text += 3;
    text = skip_space(text, end);
    return (struct json_span){text, (size_t)(end - text)};
}

/* `container` was parsed from `source`, which json_parse() took. */
static void json_walk_init(struct json_walk *walk, const cJSON *container, struct json_span source)
{
    /* After the opening bracket. */
    *walk = (struct json_walk){container->child, source.text + 1, source.text + source.size_bytes};
}

/* The next item and its text; false after the last one. */
static bool json_walk_next(struct json_walk *walk, const cJSON **item, struct json_span *source)
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

/* The text of a member that json_member() gave. */
static bool json_span_member(const cJSON *object, struct json_span object_source, const cJSON *member,
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

/* Appends the value without white space between its parts. */
static void json_span_compact(struct buf *out, struct json_span source)
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

/* --- extras --- */

/* Adds the extras of all items of one top-level list. `compact` holds one value without white space. */
static int read_list(struct gltf *gltf, enum extra_owner owner, const char *name, const cJSON *list,
                     struct json_span span, struct buf *compact, struct err *err)
{
    struct json_walk walk;
    const cJSON *item;
    struct json_span item_span, extras_span;
    json_walk_init(&walk, list, span);
    for (uint32_t i = 0; json_walk_next(&walk, &item, &item_span); i++) {
        if (!json_span_member(item, item_span, json_member(item, "extras"), &extras_span))
            continue;
        char where[64];
        snprintf(where, sizeof where, "%s[%u].extras", name, i);
        buf_clear(compact);
        json_span_compact(compact, extras_span);
        if (buf_failed(compact))
            return err_set(err, ERR_IMPORT_MEMORY, "the importer ran out of memory for %s", where);
        if (import_add_extra(gltf->import, owner, i, compact->data, compact->size_bytes, where, err) < 0)
            return err->code;
    }
    return 0;
}

int gltf_read_extras(struct gltf *gltf, struct err *err)
{
    static const enum gltf_list_id LISTS[] = {
        [EXTRA_NODE] = GLTF_NODES, [EXTRA_MATERIAL] = GLTF_MATERIALS, [EXTRA_CLIP] = GLTF_ANIMATIONS};
    const struct json_span root = json_span_of(gltf->json, gltf->json_bytes);
    struct buf compact;
    buf_init(&compact, gltf->json_bytes + 1);
    int rc = 0;
    for (uint32_t owner = 0; owner < sizeof LISTS / sizeof *LISTS && rc == 0; owner++) {
        const char *name = GLTF_LIST_NAMES[LISTS[owner]];
        const cJSON *list = json_member(gltf->root, name);
        struct json_span span;
        if (json_span_member(gltf->root, root, list, &span))
            rc = read_list(gltf, (enum extra_owner)owner, name, list, span, &compact, err);
    }
    buf_fini(&compact);
    return rc;
}
