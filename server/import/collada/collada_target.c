/* collada_target.c - resolves the target of a <channel>. */
#include "import/collada/collada.h"

#include <stdio.h>
#include <string.h>

enum { TARGET_MAX = 4096 };

/* Returns the first element with this sid at the least depth below `from`. */
static uint32_t find_sid(const struct xml *xml, uint32_t from, const char *sid)
{
    uint32_t best = XML_NONE;
    for (uint32_t e = xml_child(xml, from, NULL); e != XML_NONE; e = xml_next(xml, e, NULL)) {
        const char *own = xml_get(xml, e, "sid");
        if (own != NULL && strcmp(own, sid) == 0)
            return e;
    }
    for (uint32_t e = from + 1; e < xml->elements[from].end; e++) {
        const char *own = xml_get(xml, e, "sid");
        if (own != NULL && strcmp(own, sid) == 0 &&
            (best == XML_NONE || xml->elements[e].depth < xml->elements[best].depth))
            best = e;
    }
    return best;
}

/* Follows the sids in `path`, which '/' separates. */
static uint32_t walk(const struct xml *xml, const char *path)
{
    char part[TARGET_MAX];
    uint32_t element = XML_NONE;
    for (bool is_first = true;; is_first = false) {
        const size_t size = strcspn(path, "/");
        memcpy(part, path, size);
        part[size] = '\0';
        element = is_first ? xml_find_id(xml, part, "node") : find_sid(xml, element, part);
        if (element == XML_NONE || path[size] == '\0')
            return element;
        path += size + 1;
    }
}

static int32_t member_index(const struct xml *xml, uint32_t element, const char *member)
{
    if (strcmp(member, "ANGLE") == 0)
        return xml_is(xml, element, "rotate") ? 3 : xml_is(xml, element, "skew") ? 0 : -1;
    static const char *const NAMES[] = {"X", "Y", "Z"};
    for (int32_t i = 0; i < 3; i++)
        if (strcmp(member, NAMES[i]) == 0 && !xml_is(xml, element, "matrix"))
            return i;
    return -1;
}

/* Parses "(i)", or for a matrix "(column)(row)": exporters count so, with the translation at (3)(0) to (3)(2). */
static int32_t bracket_index(const struct xml *xml, uint32_t element, const char *brackets)
{
    unsigned first, second;
    int size = 0;
    if (sscanf(brackets, "(%4u)(%4u)%n", &first, &second, &size) == 2 && size > 0 && brackets[size] == '\0')
        return xml_is(xml, element, "matrix") && first < 4 && second < 4 ? (int32_t)(first + 4 * second) : -1;
    size = 0;
    if (sscanf(brackets, "(%6u)%n", &first, &size) == 1 && size > 0 && brackets[size] == '\0')
        return (int32_t)first;
    return -1;
}

/* A target names an array of weights by its <source> or by the array in it. */
static uint32_t source_of(const struct xml *xml, uint32_t element)
{
    const uint32_t parent = xml->elements[element].parent;
    if (xml_is(xml, element, "float_array") && parent != XML_NONE && xml_is(xml, parent, "source"))
        return parent;
    return element;
}

static bool is_morph_source(const struct xml *xml, uint32_t element)
{
    const uint32_t parent = xml->elements[element].parent;
    return xml_is(xml, element, "source") && xml_is(xml, parent, "morph");
}

bool target_find(const struct xml *xml, const char *target, struct collada_target *found)
{
    char path[TARGET_MAX];
    if (strlen(target) >= sizeof path)
        return false;
    strcpy(path, target);
    *found = (struct collada_target){.element = walk(xml, path), .value = -1};
    if (found->element == XML_NONE) { /* the last part of the path names an element and one value of it */
        char *slash = strrchr(path, '/');
        char *last = slash != NULL ? slash + 1 : path;
        char *bracket = strchr(last, '('), *dot = strrchr(last, '.');
        char *cut = bracket != NULL ? bracket : slash != NULL ? dot : NULL;
        if (cut == NULL)
            return false;
        *cut = '\0';
        found->element = walk(xml, path);
        if (found->element == XML_NONE)
            return false;
        found->value = bracket != NULL ? bracket_index(xml, found->element, target + (cut - path))
                                       : member_index(xml, found->element, target + (cut - path) + 1);
        if (found->value < 0)
            return false;
    }
    found->element = source_of(xml, found->element);
    return step_kind_of(xml, found->element) != NULL || is_morph_source(xml, found->element);
}
