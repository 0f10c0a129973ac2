/* threemf_group.c - reads property groups, textures and display properties (3MF Core Specification 1.3, 5; Materials
 * and Properties Extension 1.2). */
#include "import/threemf/threemf_reader.h"

#include "base/mem.h"

#include <string.h>

enum { LAYERS_MAX = 32 }; /* of multiproperties; threemf_group.multiply has a bit for each */

/* Adds a group and fills its common members; the caller fills the others. Returns NULL if it set an error. */
static struct threemf_group *add_group(struct threemf_reader *reader, const struct threemf_element *element,
                                       enum threemf_kind kind, uint32_t first)
{
    struct threemf *threemf = reader->threemf;
    struct threemf_group group = {.kind = kind,
                                  .part = reader->part,
                                  .first = first,
                                  .list_first = threemf->list_count,
                                  .ref = THREEMF_NONE,
                                  .display = THREEMF_NONE,
                                  .texture = -1};
    if (threemf_add_resource(reader, element, kind, threemf->group_count, &group.id) < 0 ||
        threemf_index(element, "displaypropertiesid", false, &group.display) < 0)
        return NULL;
    threemf->groups =
        mem_grow(threemf->groups, &threemf->group_capacity, threemf->group_count + 1, sizeof *threemf->groups);
    threemf->groups[threemf->group_count] = group;
    return &threemf->groups[threemf->group_count++];
}

static int start_group(struct threemf_reader *reader, const struct threemf_element *element, enum threemf_kind kind,
                       uint32_t first)
{
    return add_group(reader, element, kind, first) == NULL ? reader->err->code : 0;
}

int threemf_start_bases(struct threemf_reader *reader, const struct threemf_element *element)
{
    return start_group(reader, element, KIND_BASES, reader->threemf->base_count);
}

int threemf_start_colors(struct threemf_reader *reader, const struct threemf_element *element)
{
    return start_group(reader, element, KIND_COLORS, reader->threemf->color_count);
}

int threemf_start_metallic(struct threemf_reader *reader, const struct threemf_element *element)
{
    return start_group(reader, element, KIND_METALLIC, reader->threemf->finish_count);
}

int threemf_start_specular(struct threemf_reader *reader, const struct threemf_element *element)
{
    return start_group(reader, element, KIND_SPECULAR, reader->threemf->finish_count);
}

int threemf_start_display(struct threemf_reader *reader, const struct threemf_element *element)
{
    return start_group(reader, element, KIND_DISPLAY, 0);
}

int threemf_start_texcoords(struct threemf_reader *reader, const struct threemf_element *element)
{
    struct threemf_group *group = add_group(reader, element, KIND_TEXCOORDS, reader->threemf->texcoord_count);
    return group == NULL ? reader->err->code : threemf_index(element, "texid", true, &group->ref);
}

/* --- textures --- */

/* Outside an untiled texture the object's colour shows; clamping to the edge approximates it. */
static void read_tiling(const struct threemf_element *element, const char *name, struct threemf_group *group,
                        uint32_t *wrap)
{
    const char *style = threemf_get(element, NS_NONE, name);
    *wrap = TEXTURE_WRAP_REPEAT;
    if (style == NULL || strcmp(style, "wrap") == 0)
        return;
    group->is_untiled |= strcmp(style, "none") == 0;
    *wrap = strcmp(style, "mirror") == 0 ? TEXTURE_WRAP_MIRROR : TEXTURE_WRAP_CLAMP;
}

int threemf_start_texture(struct threemf_reader *reader, const struct threemf_element *element)
{
    const char *path = threemf_get(element, NS_NONE, "path"), *filter = threemf_get(element, NS_NONE, "filter");
    if (path == NULL)
        return threemf_fail(element, ERR_BAD_MODEL, "it has no attribute 'path'");
    struct threemf_group *group = add_group(reader, element, KIND_TEXTURE, 0);
    if (group == NULL)
        return reader->err->code;
    group->path = mem_strdup(path);
    group->is_nearest = filter != NULL && strcmp(filter, "nearest") == 0;
    read_tiling(element, "tilestyleu", group, &group->wrap[0]);
    read_tiling(element, "tilestylev", group, &group->wrap[1]);
    return 0;
}

/* --- composites and multiproperties: lists of their components --- */

static int read_list(struct threemf_reader *reader, const struct threemf_element *element, const char *name,
                     struct threemf_group *group)
{
    struct threemf *threemf = reader->threemf;
    const char *at = threemf_get(element, NS_NONE, name);
    if (at == NULL)
        return threemf_fail(element, ERR_BAD_MODEL, "it has no attribute '%s'", name);
    uint32_t value;
    int rc;
    while ((rc = threemf_next_index(&at, &value)) == 1) {
        if (group->list_count == LAYERS_MAX)
            return threemf_fail(element, ERR_MODEL_LIMIT, "%s has more than %d numbers", name, LAYERS_MAX);
        threemf->lists =
            mem_grow(threemf->lists, &threemf->list_capacity, threemf->list_count + 1, sizeof *threemf->lists);
        threemf->lists[threemf->list_count++] = value;
        group->list_count++;
    }
    return rc == 0 ? 0 : threemf_fail(element, ERR_BAD_MODEL, "%s is not a list of whole numbers", name);
}

int threemf_start_composites(struct threemf_reader *reader, const struct threemf_element *element)
{
    struct threemf_group *group = add_group(reader, element, KIND_COMPOSITES, reader->threemf->share_count);
    if (group == NULL || threemf_index(element, "matid", true, &group->ref) < 0)
        return reader->err->code;
    return read_list(reader, element, "matindices", group);
}

/* One word for each layer but the first (Materials Extension, 5). */
static void read_blending(const struct threemf_element *element, struct threemf_group *group)
{
    const char *at = threemf_get(element, NS_NONE, "blendmethods");
    for (uint32_t layer = 1; at != NULL && layer < LAYERS_MAX; layer++) {
        at += strspn(at, " \t\r\n");
        const size_t size = strcspn(at, " \t\r\n");
        if (size == 0)
            return;
        if (size == strlen("multiply") && strncmp(at, "multiply", size) == 0)
            group->multiply |= UINT32_C(1) << layer;
        at += size;
    }
}

int threemf_start_multi(struct threemf_reader *reader, const struct threemf_element *element)
{
    struct threemf_group *group = add_group(reader, element, KIND_MULTI, reader->threemf->pindex_count);
    if (group == NULL)
        return reader->err->code;
    read_blending(element, group);
    return read_list(reader, element, "pids", group);
}

/* --- properties --- */

static int add_base(struct threemf_reader *reader, const struct threemf_element *element)
{
    struct threemf *threemf = reader->threemf;
    struct threemf_base base = {.rgba = {255, 255, 255, 255}};
    if (threemf_color(element, "displaycolor", false, base.rgba) < 0)
        return reader->err->code;
    base.name = bake_textz(threemf->import->builder, threemf_get(element, NS_NONE, "name"));
    threemf->bases = mem_grow(threemf->bases, &threemf->base_capacity, threemf->base_count + 1, sizeof *threemf->bases);
    threemf->bases[threemf->base_count++] = base;
    return 0;
}

static int add_color(struct threemf_reader *reader, const struct threemf_element *element)
{
    struct threemf *threemf = reader->threemf;
    uint8_t rgba[4];
    if (threemf_color(element, "color", true, rgba) < 0)
        return reader->err->code;
    threemf->colors =
        mem_grow(threemf->colors, &threemf->color_capacity, threemf->color_count + 1, sizeof *threemf->colors);
    memcpy(threemf->colors[threemf->color_count++], rgba, sizeof rgba);
    return 0;
}

static int add_texcoord(struct threemf_reader *reader, const struct threemf_element *element)
{
    struct threemf *threemf = reader->threemf;
    double at[2];
    if (threemf_number(element, "u", true, &at[0]) < 0 || threemf_number(element, "v", true, &at[1]) < 0)
        return reader->err->code;
    threemf->texcoords = mem_grow(threemf->texcoords, &threemf->texcoord_capacity, threemf->texcoord_count + 1,
                                  sizeof *threemf->texcoords);
    memcpy(threemf->texcoords[threemf->texcoord_count++], at, sizeof at);
    return 0;
}

/* Missing values are 0, those beyond the list are ignored (Materials Extension, 4.1, 5.1). */
static int add_composite(struct threemf_reader *reader, const struct threemf_element *element)
{
    struct threemf *threemf = reader->threemf;
    const uint32_t count = threemf_last_group(reader)->list_count;
    const char *at = threemf_get(element, NS_NONE, "values");
    threemf->shares = mem_grow(threemf->shares, &threemf->share_capacity, (size_t)threemf->share_count + count,
                               sizeof *threemf->shares);
    for (uint32_t i = 0; i < count; i++) {
        double share = 0;
        if (at != NULL && threemf_next_number(&at, &share) < 0)
            return threemf_fail(element, ERR_BAD_MODEL, "values is not a list of numbers");
        threemf->shares[threemf->share_count++] = share > 0 ? share : 0;
    }
    return 0;
}

static int add_multi(struct threemf_reader *reader, const struct threemf_element *element)
{
    struct threemf *threemf = reader->threemf;
    const uint32_t count = threemf_last_group(reader)->list_count;
    const char *at = threemf_get(element, NS_NONE, "pindices");
    threemf->pindices = mem_grow(threemf->pindices, &threemf->pindex_capacity, (size_t)threemf->pindex_count + count,
                                 sizeof *threemf->pindices);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = 0;
        if (at != NULL && threemf_next_index(&at, &index) < 0)
            return threemf_fail(element, ERR_BAD_MODEL, "pindices is not a list of whole numbers");
        threemf->pindices[threemf->pindex_count++] = index;
    }
    return 0;
}

static int add_finish(struct threemf_reader *reader, const struct threemf_element *element)
{
    struct threemf *threemf = reader->threemf;
    struct threemf_finish finish = {.roughness = 1, .specular = {0x38, 0x38, 0x38, 255}};
    double glossiness = 0;
    if (threemf_number(element, "metallicness", false, &finish.metallic) < 0 ||
        threemf_number(element, "roughness", false, &finish.roughness) < 0 ||
        threemf_number(element, "glossiness", false, &glossiness) < 0 ||
        threemf_color(element, "specularcolor", false, finish.specular) < 0)
        return reader->err->code;
    if (threemf_last_group(reader)->kind == KIND_SPECULAR)
        finish.roughness = 1 - glossiness;
    threemf->finishes =
        mem_grow(threemf->finishes, &threemf->finish_capacity, threemf->finish_count + 1, sizeof *threemf->finishes);
    threemf->finishes[threemf->finish_count++] = finish;
    return 0;
}

int threemf_start_property(struct threemf_reader *reader, const struct threemf_element *element)
{
    static const struct {
        const char *tag;
        threemf_start *add;
    } PROPERTIES[] = {
        [KIND_BASES] = {"base", add_base},
        [KIND_COLORS] = {"color", add_color},
        [KIND_TEXCOORDS] = {"tex2coord", add_texcoord},
        [KIND_COMPOSITES] = {"composite", add_composite},
        [KIND_MULTI] = {"multi", add_multi},
        [KIND_METALLIC] = {"pbmetallic", add_finish},
        [KIND_SPECULAR] = {"pbspecular", add_finish},
    };
    struct threemf_group *group = threemf_last_group(reader);
    if (PROPERTIES[group->kind].tag == NULL || strcmp(PROPERTIES[group->kind].tag, element->tag) != 0)
        return 1;
    /* All numbers of composites and multiproperties count against one limit, that of corners. */
    reader->threemf->property_count += group->list_count + 1;
    if (threemf_check_limit(reader, element, LIMIT_INDICES, reader->threemf->property_count) < 0 ||
        PROPERTIES[group->kind].add(reader, element) < 0)
        return reader->err->code;
    group->count++;
    return 0;
}
