/* collada_mesh.c - the sources of a <mesh>, and which of them each primitive element uses. */
#include "import/collada_mesh/collada_mesh.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static const char *id_of(const struct xml *xml, uint32_t element)
{
    const char *id = xml_get(xml, element, "id");
    return id != NULL ? id : "";
}

/* --- sources --- */

/* Returns the rows of the <source> that an <input> names, which are read once. NULL: *err is set. */
static const struct value_rows *rows_of(struct collada_mesh *mesh, uint32_t input, struct err *err)
{
    const struct xml *xml = mesh->xml;
    const uint32_t element = xml_follow(xml, input, "source", "source");
    for (uint32_t s = 0; s < mesh->source_count; s++)
        if (mesh->sources[s]->element == element && element != XML_NONE)
            return &mesh->sources[s]->rows;
    struct mesh_source *source = mem_zalloc(1, sizeof *source);
    if (columns_read(xml, input, "source", &source->rows, err) < 0) {
        free(source);
        err_prefix(err, "the <input> on line %u", xml_line(xml, input));
        return NULL;
    }
    source->element = element;
    mesh->sources = mem_realloc(mesh->sources, (mesh->source_count + 1) * sizeof(struct mesh_source *));
    mesh->sources[mesh->source_count++] = source;
    return &source->rows;
}

static int read_points(struct collada_mesh *mesh, uint32_t vertices, struct err *err)
{
    const uint32_t input = xml_input(mesh->xml, vertices, "POSITION");
    if (input == XML_NONE)
        return err_set(err, ERR_BAD_MODEL, "its <vertices> have no POSITION");
    const struct value_rows *rows = rows_of(mesh, input, err);
    if (rows == NULL)
        return err->code;
    mesh->points = mem_zalloc((size_t)rows->count + 1, sizeof *mesh->points);
    mesh->point_count = rows->count;
    for (uint32_t p = 0; p < rows->count; p++)
        for (uint32_t c = 0; c < 3 && c < rows->width; c++)
            mesh->points[p][c] = rows->values[(size_t)p * rows->width + c];
    return 0;
}

/* --- inputs --- */

static bool use_of(const char *semantic, enum collada_use *use)
{
    static const struct {
        const char *semantic;
        enum collada_use use;
    } ROWS[] = {
        {"NORMAL", COLLADA_NORMAL},     {"COLOR", COLLADA_COLOR},          {"TEXTANGENT", COLLADA_TANGENT},
        {"TANGENT", COLLADA_TANGENT},   {"TEXBINORMAL", COLLADA_BINORMAL}, {"BINORMAL", COLLADA_BINORMAL},
        {"TEXCOORD", COLLADA_TEXCOORD}, {"UV", COLLADA_TEXCOORD},
    };
    for (size_t i = 0; semantic != NULL && i < sizeof ROWS / sizeof *ROWS; i++)
        if (strcmp(semantic, ROWS[i].semantic) == 0) {
            *use = ROWS[i].use;
            return true;
        }
    return false;
}

/* Reads a small integer; 0 if the attribute is missing. Returns false for any other text. */
static bool small_number(const struct xml *xml, uint32_t element, const char *attribute, uint32_t limit, uint32_t *out)
{
    const char *text = xml_get(xml, element, attribute);
    char *end = NULL;
    *out = 0;
    if (text == NULL)
        return true;
    const unsigned long value = strtoul(text, &end, 10);
    *out = value < limit ? (uint32_t)value : 0;
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && value < limit;
}

static int add_input(struct collada_mesh *mesh, struct collada_part *part, uint32_t element, uint32_t offset,
                     struct err *err)
{
    struct collada_input input = {.offset = offset};
    if (!use_of(xml_get(mesh->xml, element, "semantic"), &input.use))
        return 0;
    if (!small_number(mesh->xml, element, "set", UINT32_MAX, &input.set))
        return err_set(err, ERR_BAD_MODEL, "the set of the <input> on line %u is no number",
                       xml_line(mesh->xml, element));
    input.rows = rows_of(mesh, element, err);
    if (input.rows == NULL)
        return err->code;
    part->inputs = mem_realloc(part->inputs, (part->input_count + 1) * sizeof *part->inputs);
    part->inputs[part->input_count++] = input;
    return 0;
}

/* Fills inputs, stride and position_offset. The element's inputs come first, because they override those in
 * <vertices>. */
static int read_inputs(struct collada_mesh *mesh, struct collada_part *part, uint32_t vertices, struct err *err)
{
    enum { OFFSET_MAX = 256 };
    const struct xml *xml = mesh->xml;
    bool has_vertex = false;
    for (uint32_t e = xml_child(xml, part->element, "input"); e != XML_NONE; e = xml_next(xml, e, "input")) {
        const char *semantic = xml_get(xml, e, "semantic");
        uint32_t offset;
        if (!small_number(xml, e, "offset", OFFSET_MAX, &offset))
            return err_set(err, ERR_BAD_MODEL, "the offset of the <input> on line %u is no number below %d",
                           xml_line(xml, e), OFFSET_MAX);
        part->stride = offset + 1 > part->stride ? offset + 1 : part->stride;
        if (semantic == NULL || strcmp(semantic, "VERTEX") != 0) {
            if (add_input(mesh, part, e, offset, err) < 0)
                return err->code;
            continue;
        }
        if (xml_follow(xml, e, "source", "vertices") != vertices)
            return err_set(err, ERR_BAD_MODEL, "the VERTEX input on line %u does not name the <vertices> of its mesh",
                           xml_line(xml, e));
        has_vertex = true;
        part->position_offset = offset;
    }
    if (!has_vertex)
        return err_set(err, ERR_BAD_MODEL, "it has no VERTEX input");
    for (uint32_t e = xml_child(xml, vertices, "input"); e != XML_NONE; e = xml_next(xml, e, "input"))
        if (add_input(mesh, part, e, part->position_offset, err) < 0)
            return err->code;
    return 0;
}

static const char *semantic_of(enum collada_use use)
{
    static const char *const NAMES[] = {"NORMAL", "COLOR", "TANGENT", "BINORMAL", "TEXCOORD"};
    return NAMES[use];
}

static int check_list(const struct collada_part *part, uint32_t offset, uint32_t count, const char *what,
                      struct err *err)
{
    for (size_t at = offset; at < part->indices.count; at += part->stride)
        if (part->indices.items[at] >= count)
            return err_set(err, ERR_BAD_MODEL, "corner %zu names %s %lld of %u", at / part->stride, what,
                           part->indices.items[at] == INDEX_NONE ? -1LL : (long long)part->indices.items[at], count);
    return 0;
}

/* Refuses the file if an index is out of range. Only texture coordinates are left out: a mesh without them is whole. */
static int check_indices(const struct collada_mesh *mesh, struct collada_part *part, struct bake_builder *builder,
                         struct err *err)
{
    uint32_t kept = 0;
    if (check_list(part, part->position_offset, mesh->point_count, "POSITION", err) < 0)
        return err->code;
    for (uint32_t i = 0; i < part->input_count; i++) {
        const struct collada_input *input = &part->inputs[i];
        if (check_list(part, input->offset, input->rows->count, semantic_of(input->use), err) == 0)
            part->inputs[kept++] = *input;
        else if (input->use == COLLADA_TEXCOORD)
            bake_warn(builder, "texcoords_ignored", "the <%s> on line %u: %s: its texture coordinates are left out",
                      xml_tag(mesh->xml, part->element), xml_line(mesh->xml, part->element), err->message);
        else
            return err->code;
    }
    part->input_count = kept;
    return 0;
}

const struct collada_input *collada_find_input(const struct collada_part *part, enum collada_use use, uint32_t set)
{
    for (uint32_t i = 0; i < part->input_count; i++)
        if (part->inputs[i].use == use && (set == UINT32_MAX || part->inputs[i].set == set))
            return &part->inputs[i];
    return NULL;
}

/* --- primitive elements --- */

static bool is_primitive(const struct xml *xml, uint32_t element)
{
    static const char *const TAGS[] = {"triangles", "polylist", "polygons",  "tristrips",
                                       "trifans",   "lines",    "linestrips"};
    for (size_t i = 0; i < sizeof TAGS / sizeof *TAGS; i++)
        if (xml_is(xml, element, TAGS[i]))
            return true;
    return false;
}

static uint32_t seek_primitive(const struct xml *xml, uint32_t element)
{
    while (element != XML_NONE && !is_primitive(xml, element))
        element = xml_next(xml, element, NULL);
    return element;
}

uint32_t collada_first_primitive(const struct xml *xml, uint32_t geometry)
{
    const uint32_t mesh = xml_child(xml, geometry, "mesh");
    return mesh == XML_NONE ? XML_NONE : seek_primitive(xml, xml_child(xml, mesh, NULL));
}

uint32_t collada_next_primitive(const struct xml *xml, uint32_t primitive)
{
    return seek_primitive(xml, xml_next(xml, primitive, NULL));
}

static int read_part(struct collada_mesh *mesh, uint32_t element, uint32_t vertices, const struct limits *limits,
                     struct bake_builder *builder, struct err *err)
{
    mesh->parts = mem_realloc(mesh->parts, (mesh->part_count + 1) * sizeof *mesh->parts);
    struct collada_part *part = &mesh->parts[mesh->part_count++];
    *part = (struct collada_part){.element = element};
    if (read_inputs(mesh, part, vertices, err) < 0 || collada_faces_read(part, mesh->xml, limits, builder, err) < 0 ||
        check_indices(mesh, part, builder, err) < 0)
        return err_prefix(err, "the <%s> on line %u", mesh->xml->text + mesh->xml->elements[element].tag,
                          xml_line(mesh->xml, element));
    return 0;
}

/* Warns of geometry other than meshes. */
static void warn_of_kind(const struct xml *xml, uint32_t geometry, struct bake_builder *builder)
{
    uint32_t child = xml_child(xml, geometry, NULL);
    while (xml_is(xml, child, "asset"))
        child = xml_next(xml, child, NULL);
    if (child == XML_NONE)
        bake_warn(builder, "geometry_not_read", "geometry '%s', line %u, has no mesh", id_of(xml, geometry),
                  xml_line(xml, geometry));
    else
        bake_warn(builder, "geometry_not_read", "geometry '%s', line %u, is a <%s>, which is not read",
                  id_of(xml, geometry), xml_line(xml, geometry), xml->text + xml->elements[child].tag);
}

static int read_mesh(struct collada_mesh *mesh, uint32_t element, const struct limits *limits,
                     struct bake_builder *builder, struct err *err)
{
    const struct xml *xml = mesh->xml;
    const uint32_t vertices = xml_child(xml, element, "vertices");
    if (collada_first_primitive(xml, mesh->geometry) == XML_NONE) /* a morph target needs only positions */
        return vertices == XML_NONE ? 0 : read_points(mesh, vertices, err);
    if (vertices == XML_NONE)
        return err_set(err, ERR_BAD_MODEL, "it has no <vertices>");
    if (read_points(mesh, vertices, err) < 0)
        return err->code;
    for (uint32_t e = collada_first_primitive(xml, mesh->geometry); e != XML_NONE; e = collada_next_primitive(xml, e))
        if (read_part(mesh, e, vertices, limits, builder, err) < 0)
            return err->code;
    return 0;
}

int collada_mesh_read(struct collada_mesh *mesh, const struct xml *xml, uint32_t geometry, const struct limits *limits,
                      struct bake_builder *builder, struct err *err)
{
    *mesh = (struct collada_mesh){.xml = xml, .geometry = geometry};
    const uint32_t element = xml_child(xml, geometry, "mesh");
    if (element == XML_NONE) {
        warn_of_kind(xml, geometry, builder);
        return 0;
    }
    if (read_mesh(mesh, element, limits, builder, err) < 0)
        return err_prefix(err, "geometry '%s', line %u", id_of(xml, geometry), xml_line(xml, geometry));
    return 0;
}

void collada_mesh_fini(struct collada_mesh *mesh)
{
    for (uint32_t s = 0; s < mesh->source_count; s++) {
        rows_fini(&mesh->sources[s]->rows);
        free(mesh->sources[s]);
    }
    for (uint32_t p = 0; p < mesh->part_count; p++) {
        free(mesh->parts[p].inputs);
        free(mesh->parts[p].indices.items);
        free(mesh->parts[p].corners);
        free(mesh->parts[p].starts);
    }
    free(mesh->sources);
    free(mesh->parts);
    free(mesh->points);
    *mesh = (struct collada_mesh){0};
}
