/* threemf_model.c - dispatches the elements of a model part by a table of contexts and readers. Elements outside the
 * table are left out with their content, because slicers add many of their own. */
#include "import/text/document_facts.h"
#include "import/text/json_write.h"
#include "import/threemf/threemf_reader.h"

#include <stdio.h>
#include <string.h>

static int fail_limit(const struct threemf_reader *reader, const struct threemf_element *element, enum limit limit)
{
    return threemf_fail(element, ERR_MODEL_LIMIT, "the model would have more than %s",
                        LIMIT_TEXT(reader->threemf->import->limits, limit));
}

int threemf_check_limit(const struct threemf_reader *reader, const struct threemf_element *element, enum limit limit,
                        uint64_t have)
{
    return have < reader->threemf->import->limits->value[limit] ? 0 : fail_limit(reader, element, limit);
}

/* --- the model element --- */

static void read_unit(struct threemf_reader *reader, double unit_m)
{
    struct model_info *info = reader->threemf->import->info;
    info->unit_m = (float)unit_m;
    info->up[0] = info->up[1] = 0;
    info->up[2] = 1; /* 3.1: z is up, and the printer's front is at the smallest y */
    info->forward[0] = info->forward[2] = 0;
    info->forward[1] = -1;
    info->flags |= MODEL_HAS_UNIT | MODEL_HAS_UP;
}

static int start_model(struct threemf_reader *reader, const struct threemf_element *element)
{
    static const struct {
        const char *name;
        double unit_m;
    } UNITS[] = {{"millimeter", 1e-3}, {"micron", 1e-6}, {"centimeter", 1e-2},
                 {"inch", 0.0254},     {"foot", 0.3048}, {"meter", 1}};
    if (threemf_check_extensions(reader, element) < 0)
        return reader->err->code;
    const char *unit = threemf_get(element, NS_NONE, "unit");
    size_t i = 0;
    while (unit != NULL && i < sizeof UNITS / sizeof *UNITS && strcmp(UNITS[i].name, unit) != 0)
        i++;
    if (i == sizeof UNITS / sizeof *UNITS)
        return threemf_fail(element, ERR_BAD_MODEL, "the unit '%.40s' is none of the format's", unit);
    if (reader->part == 0) /* the root's unit applies to all other parts (Production Extension, 2.1) */
        read_unit(reader, UNITS[i].unit_m);
    return 0;
}

static int start_metadata(struct threemf_reader *reader, const struct threemf_element *element)
{
    const char *name = threemf_get(element, NS_NONE, "name");
    if (reader->part != 0 || name == NULL)
        return 1;
    snprintf(reader->fact_name, sizeof reader->fact_name, "%s", name);
    reader->fact_bytes = 0;
    return 0;
}

static int start_build(struct threemf_reader *reader, const struct threemf_element *element)
{
    (void)element;
    return reader->part == 0 ? 0 : 1;
}

/* --- content that is not drawn --- */

static int start_ignored(struct threemf_reader *reader, const struct threemf_element *element)
{
    bake_warn(reader->threemf->import->builder, "geometry_ignored", "part '%.150s': <%s> is not drawn, triangles are",
              reader->threemf->parts[reader->part].path, element->tag);
    return 1;
}

static int enter(struct threemf_reader *reader, const struct threemf_element *element)
{
    (void)reader, (void)element;
    return 0;
}

/* --- the table --- */

static const struct rule {
    enum threemf_context where;
    enum threemf_namespace ns;
    const char *tag;
    enum threemf_context inside;
    threemf_start *start;
} RULES[] = {
    {IN_VERTICES, NS_CORE, "vertex", IN_LEAF, threemf_start_vertex},
    {IN_TRIANGLES, NS_CORE, "triangle", IN_LEAF, threemf_start_triangle},
    {IN_GROUP, NS_CORE, NULL, IN_LEAF, threemf_start_property},
    {IN_GROUP, NS_MATERIAL, NULL, IN_LEAF, threemf_start_property},
    {IN_DOCUMENT, NS_CORE, "model", IN_MODEL, start_model},
    {IN_MODEL, NS_CORE, "metadata", IN_METADATA, start_metadata},
    {IN_MODEL, NS_CORE, "resources", IN_RESOURCES, enter},
    {IN_MODEL, NS_CORE, "build", IN_BUILD, start_build},
    {IN_BUILD, NS_CORE, "item", IN_LEAF, threemf_start_item},
    {IN_RESOURCES, NS_CORE, "object", IN_OBJECT, threemf_start_object},
    {IN_OBJECT, NS_CORE, "mesh", IN_MESH, enter},
    {IN_OBJECT, NS_CORE, "components", IN_COMPONENTS, enter},
    {IN_COMPONENTS, NS_CORE, "component", IN_LEAF, threemf_start_component},
    {IN_MESH, NS_CORE, "vertices", IN_VERTICES, enter},
    {IN_MESH, NS_CORE, "triangles", IN_TRIANGLES, enter},
    {IN_RESOURCES, NS_CORE, "basematerials", IN_GROUP, threemf_start_bases},
    {IN_RESOURCES, NS_MATERIAL, "colorgroup", IN_GROUP, threemf_start_colors},
    {IN_RESOURCES, NS_MATERIAL, "texture2d", IN_LEAF, threemf_start_texture},
    {IN_RESOURCES, NS_MATERIAL, "texture2dgroup", IN_GROUP, threemf_start_texcoords},
    {IN_RESOURCES, NS_MATERIAL, "compositematerials", IN_GROUP, threemf_start_composites},
    {IN_RESOURCES, NS_MATERIAL, "multiproperties", IN_GROUP, threemf_start_multi},
    {IN_RESOURCES, NS_MATERIAL, "pbmetallicdisplayproperties", IN_GROUP, threemf_start_metallic},
    {IN_RESOURCES, NS_MATERIAL, "pbspeculardisplayproperties", IN_GROUP, threemf_start_specular},
    {IN_RESOURCES, NS_MATERIAL, "pbmetallictexturedisplayproperties", IN_LEAF, threemf_start_display},
    {IN_RESOURCES, NS_MATERIAL, "pbspeculartexturedisplayproperties", IN_LEAF, threemf_start_display},
    {IN_RESOURCES, NS_MATERIAL, "translucentdisplayproperties", IN_LEAF, threemf_start_display},
    {IN_MESH, NS_BEAMS, "beamlattice", IN_LEAF, start_ignored},
    {IN_RESOURCES, NS_SLICE, "slicestack", IN_LEAF, start_ignored},
    {IN_MESH, NS_OTHER, "volumedata", IN_LEAF, start_ignored},
    {IN_OBJECT, NS_OTHER, "booleanshape", IN_LEAF, start_ignored},
    {IN_OBJECT, NS_OTHER, "displacementmesh", IN_LEAF, start_ignored},
    {IN_OBJECT, NS_OTHER, "levelset", IN_LEAF, start_ignored},
};

static int on_start(void *user, const struct threemf_element *element)
{
    struct threemf_reader *reader = user;
    const enum threemf_context where = reader->contexts[reader->depth];
    for (const struct rule *rule = RULES; rule < RULES + sizeof RULES / sizeof *RULES; rule++) {
        if (rule->where != where || rule->ns != element->ns ||
            (rule->tag != NULL && strcmp(rule->tag, element->tag) != 0))
            continue;
        const int rc = rule->start(reader, element);
        if (rc == 0)
            reader->contexts[++reader->depth] = rule->inside;
        return rc;
    }
    if (where == IN_DOCUMENT)
        return threemf_fail(element, ERR_NOT_A_MODEL, "this is not a <model> of 3MF's namespace '%s'",
                            threemf_namespace_name(NS_CORE));
    if (!element->is_bound)
        bake_warn(reader->threemf->import->builder, "elements_ignored",
                  "part '%.150s': <%.60s> has a prefix that the file does not declare: it is left out",
                  reader->threemf->parts[reader->part].path, element->tag);
    return 1;
}

/* The names of metadata that the format defines (3MF Core Specification, 3.4.1); others are those of a program. */
static int end_metadata(struct threemf_reader *reader)
{
    static const char *const FACTS[] = {"Title",  "Designer",     "Description",     "LicenseTerms",
                                        "Rating", "CreationDate", "ModificationDate"};
    struct import *import = reader->threemf->import;
    const char *name = reader->fact_name;
    if (strcmp(name, "Application") == 0 && reader->fact_bytes > 0)
        import->info->generator = bake_text(import->builder, reader->fact, reader->fact_bytes);
    if (strcmp(name, "Application") == 0 || reader->fact_bytes == 0)
        return 0;
    if (strcmp(name, "Copyright") == 0) {
        struct buf json;
        buf_init(&json, 0);
        json_write_string(&json, reader->fact, reader->fact_bytes);
        const int rc = import_add_carried(import, CARRY_ASSET, 0, "copyright", json.data, json.size_bytes,
                                          "the metadata Copyright", reader->err);
        buf_fini(&json);
        return rc;
    }
    for (size_t i = 0; i < sizeof FACTS / sizeof *FACTS; i++)
        if (strcmp(name, FACTS[i]) == 0) {
            document_fact_add(&reader->facts, name, reader->fact, reader->fact_bytes);
            return 0;
        }
    import_drop(import, "extras", name, "metadata");
    return 0;
}

static int on_end(void *user)
{
    struct threemf_reader *reader = user;
    const enum threemf_context ended = reader->contexts[reader->depth--];
    return ended == IN_METADATA ? end_metadata(reader) : 0;
}

static void on_text(void *user, const char *text, size_t size)
{
    struct threemf_reader *reader = user;
    if (reader->contexts[reader->depth] != IN_METADATA)
        return;
    const size_t capacity = sizeof reader->fact - reader->fact_bytes;
    const size_t taken = size < capacity ? size : capacity;
    memcpy(reader->fact + reader->fact_bytes, text, taken);
    reader->fact_bytes += taken;
}

/* Stores the prefixes of the model element, which are declared before it starts. Later prefixes are not needed. */
static void on_declare(void *user, const char *prefix, const char *name)
{
    struct threemf_reader *reader = user;
    if (reader->depth > 0 || reader->prefix_count == PREFIXES_MAX)
        return;
    snprintf(reader->prefixes[reader->prefix_count].prefix, PREFIX_BYTES, "%s", prefix);
    snprintf(reader->prefixes[reader->prefix_count++].name, NAMESPACE_BYTES, "%s", name);
}

int threemf_read_part(struct threemf *threemf, uint32_t part, struct err *err)
{
    struct threemf_reader reader = {.threemf = threemf, .part = part, .err = err, .contexts = {IN_DOCUMENT}};
    const struct threemf_handler handler = {
        .start = on_start, .end = on_end, .text = on_text, .declare = on_declare, .user = &reader};
    const char *path = threemf->parts[part].path;
    const int64_t entry = threemf_find_entry(threemf, path);
    if (entry < 0)
        return err_set(err, ERR_BAD_MODEL, "part '%.200s' is not in the package", path);
    buf_init(&reader.facts, 0);
    int rc = threemf_xml_read(threemf->zip, entry, path, &handler, err);
    if (rc == 0)
        rc = document_facts_put(threemf->import, &reader.facts, "metadata", err);
    buf_fini(&reader.facts);
    return rc;
}
