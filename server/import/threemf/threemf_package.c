/* threemf_package.c - finds the parts of a package and its root model part (ECMA-376-2, 6 and 6.5; 3MF Core
 * Specification 1.3, 2.1). */
#include "import/threemf/threemf.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char RELATIONSHIPS[] = "_rels/.rels", USUAL_ROOT[] = "3D/3dmodel.model",
                  MODEL_TYPE[] = "http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel";

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    const char lower = (char)(c | 32);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/* Percent-decodes in place: "%20" becomes a space, but nothing becomes a NUL. */
static void decode_percent(char *path)
{
    char *to = path;
    for (const char *from = path; *from != '\0'; from++) {
        int high, low;
        if (from[0] == '%' && (high = hex_digit(from[1])) >= 0 && (low = hex_digit(from[2])) >= 0 && high + low > 0) {
            *to++ = (char)(16 * high + low);
            from += 2;
        } else {
            *to++ = *from;
        }
    }
    *to = '\0';
}

int64_t threemf_find_entry(const struct threemf *threemf, const char *path)
{
    int64_t entry = zip_reader_find(threemf->zip, path + (path[0] == '/'));
    if (entry >= 0 || strchr(path, '%') == NULL)
        return entry;
    char *decoded = mem_strdup(path + (path[0] == '/'));
    decode_percent(decoded);
    entry = zip_reader_find(threemf->zip, decoded);
    free(decoded);
    return entry;
}

int threemf_add_part(struct threemf *threemf, const char *path, uint32_t *part, struct err *err)
{
    path += path[0] == '/';
    for (*part = 0; *part < threemf->part_count; ++*part)
        if (strcasecmp(threemf->parts[*part].path, path) == 0) /* ECMA-376-2, 6.2.2.3 */
            return 0;
    const uint64_t most = threemf->import->limits->value[LIMIT_SOURCE_FILES];
    if (threemf->part_count >= most)
        return err_set(err, ERR_MODEL_LIMIT, "the model has more parts than %s",
                       LIMIT_TEXT(threemf->import->limits, LIMIT_SOURCE_FILES));
    threemf->parts = mem_grow(threemf->parts, &threemf->part_capacity, threemf->part_count + 1, sizeof *threemf->parts);
    threemf->parts[threemf->part_count++] = (struct threemf_part){.path = mem_strdup(path)};
    return 0;
}

/* --- the relationship that names the root --- */

struct root_search {
    struct threemf *threemf;
    bool is_found;
    struct err *err;
};

static int on_start(void *user, const struct threemf_element *element)
{
    struct root_search *search = user;
    if (element->ns != NS_RELATIONSHIPS)
        return 1;
    if (strcmp(element->tag, "Relationships") == 0)
        return 0;
    const char *type = threemf_get(element, NS_NONE, "Type"), *target = threemf_get(element, NS_NONE, "Target");
    if (search->is_found || strcmp(element->tag, "Relationship") != 0 || type == NULL || target == NULL ||
        strcmp(type, MODEL_TYPE) != 0)
        return 1;
    uint32_t part;
    if (threemf_add_part(search->threemf, target, &part, search->err) < 0)
        return search->err->code;
    search->is_found = true;
    return 1;
}

static int on_end(void *user)
{
    (void)user;
    return 0;
}

int threemf_find_root(struct threemf *threemf, struct err *err)
{
    struct root_search search = {.threemf = threemf, .err = err};
    const struct threemf_handler handler = {.start = on_start, .end = on_end, .user = &search};
    const int64_t entry = zip_reader_find(threemf->zip, RELATIONSHIPS);
    if (entry >= 0 && threemf_xml_read(threemf->zip, entry, RELATIONSHIPS, &handler, err) < 0)
        return err->code;
    if (search.is_found)
        return 0;
    if (zip_reader_find(threemf->zip, USUAL_ROOT) < 0)
        return err_set(err, ERR_NOT_A_MODEL,
                       "no part of this zip is a 3MF model: '%s' names none, and there is no '%s'", RELATIONSHIPS,
                       USUAL_ROOT);
    bake_warn(threemf->import->builder, "start_part_assumed", "'%s' does not name the model's part: '%s' is taken",
              RELATIONSHIPS, USUAL_ROOT);
    uint32_t part;
    return threemf_add_part(threemf, USUAL_ROOT, &part, err);
}
