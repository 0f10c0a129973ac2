#include "anim/retarget/name_map.h"

#include <string.h>

static struct name_part part_of(const char *text, size_t size_bytes)
{
    return (struct name_part){.text = text, .size_bytes = (uint32_t)size_bytes};
}

/* False: the text has several '*'. */
static bool divide(const char *text, size_t size_bytes, struct name_side *out)
{
    const char *star = memchr(text, '*', size_bytes);
    if (star == NULL) {
        *out = (struct name_side){.head = part_of(text, size_bytes), .tail = part_of(text + size_bytes, 0)};
        return true;
    }
    const size_t tail_bytes = size_bytes - (size_t)(star - text) - 1;
    *out = (struct name_side){
        .head = part_of(text, (size_t)(star - text)), .tail = part_of(star + 1, tail_bytes), .has_star = true};
    return memchr(star + 1, '*', tail_bytes) == NULL;
}

int name_rule_parse(struct name_rule *rule, const char *text, struct err *err)
{
    const size_t size_bytes = strlen(text);
    const char *sign = strchr(text, '=');
    const char *fault = size_bytes > NAME_RULE_BYTES_MAX                       ? "it is too long"
                        : sign == NULL                                         ? "it has no '='"
                        : sign == text                                         ? "its pattern is empty"
                        : sign[1] == '\0'                                      ? "its name is empty"
                        : !divide(text, (size_t)(sign - text), &rule->pattern) ? "its pattern has more than one '*'"
                        : !divide(sign + 1, strlen(sign + 1), &rule->name)     ? "its name has more than one '*'"
                        : rule->name.has_star && !rule->pattern.has_star ? "its name has a '*', its pattern has none"
                                                                         : NULL;
    if (fault != NULL)
        return err_set(err, ERR_BAD_PARAMETER,
                       "rule '%.200s': %s; a rule is PATTERN=NAME, with one '*' on each side at "
                       "most",
                       text, fault);
    rule->text = text;
    rule->text_bytes = (uint32_t)size_bytes;
    return 0;
}

static bool is_equal(struct name_part part, const char *text)
{
    return part.size_bytes == 0 || memcmp(part.text, text, part.size_bytes) == 0;
}

/* True when the pattern matches the name; *star: what its '*' matches. */
static bool matches(const struct name_side *pattern, struct name_part name, struct name_part *star)
{
    const uint32_t fixed = pattern->head.size_bytes + pattern->tail.size_bytes; /* texts have a limited length */
    if (name.size_bytes < fixed || (!pattern->has_star && name.size_bytes > fixed))
        return false;
    *star = part_of(name.text + pattern->head.size_bytes, name.size_bytes - fixed);
    return is_equal(pattern->head, name.text) && is_equal(pattern->tail, star->text + star->size_bytes);
}

int32_t name_map_apply(const struct name_map *map, struct name_part name, struct joined_name *out)
{
    *out = joined_name_of(name);
    for (uint32_t i = 0; i < map->count; i++) {
        const struct name_rule *rule = &map->rules[i];
        struct name_part star;
        if (!matches(&rule->pattern, name, &star))
            continue;
        if (!rule->name.has_star)
            star.size_bytes = 0;
        *out = (struct joined_name){.parts = {rule->name.head, star, rule->name.tail}};
        return (int32_t)i;
    }
    return -1;
}

const char *joined_name_put(const struct joined_name *name, char *out, size_t size_bytes)
{
    size_t at = 0;
    for (int i = 0; i < 3; i++) {
        const size_t capacity = size_bytes - 1 - at, part = name->parts[i].size_bytes;
        const size_t copied = part < capacity ? part : capacity;
        if (copied > 0)
            memcpy(out + at, name->parts[i].text, copied);
        at += copied;
    }
    out[at] = '\0';
    return out;
}

int joined_name_compare(const struct joined_name *a, const struct joined_name *b)
{
    uint32_t i = 0, k = 0, i_at = 0, k_at = 0; /* part, and offset in it */
    for (;;) {
        while (i < 3 && i_at == a->parts[i].size_bytes)
            i++, i_at = 0;
        while (k < 3 && k_at == b->parts[k].size_bytes)
            k++, k_at = 0;
        if (i == 3 || k == 3)
            return (i < 3) - (k < 3);
        const uint32_t a_left = a->parts[i].size_bytes - i_at, b_left = b->parts[k].size_bytes - k_at;
        const uint32_t size_bytes = a_left < b_left ? a_left : b_left;
        const int order = memcmp(a->parts[i].text + i_at, b->parts[k].text + k_at, size_bytes);
        if (order != 0)
            return order;
        i_at += size_bytes;
        k_at += size_bytes;
    }
}
