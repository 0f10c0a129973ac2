#include "import/x3d/x3d_xml.h"

#include "base/hash.h"
#include "base/mem.h"

#include <expat.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { DEPTH_MAX = 1024, ELEMENTS_MAX = 4000000, CHUNK_BYTES = 65536 };

struct x3d_parser {
    struct x3d_xml *xml;
    XML_Parser parser;
    uint32_t open; /* the innermost element that is open, or X3D_NONE */
    uint32_t depth;
    struct err *err;
    int rc;
};

static void stop(struct x3d_parser *parser, int code, const char *why)
{
    if (parser->rc == 0)
        parser->rc =
            err_set(parser->err, code, "line %lu: %s", (unsigned long)XML_GetCurrentLineNumber(parser->parser), why);
    XML_StopParser(parser->parser, XML_FALSE);
}

static size_t put(struct x3d_xml *xml, const char *text)
{
    const size_t size = strlen(text) + 1, at = xml->text_size;
    xml->text = mem_grow(xml->text, &xml->text_capacity, at + size, 1);
    memcpy(xml->text + at, text, size);
    xml->text_size += size;
    return at;
}

static void XMLCALL on_start(void *user, const XML_Char *tag, const XML_Char **attributes)
{
    struct x3d_parser *parser = user;
    struct x3d_xml *xml = parser->xml;
    if (++parser->depth > DEPTH_MAX || xml->element_count >= ELEMENTS_MAX) {
        stop(parser, ERR_MODEL_LIMIT,
             parser->depth > DEPTH_MAX ? "elements are nested too deep" : "the file has too many elements");
        return;
    }
    /* A prefix of a name space, which some exporters give every element. */
    const char *colon = strchr(tag, ':');
    struct x3d_element added = {.tag = put(xml, colon != NULL ? colon + 1 : tag),
                                .parent = parser->open,
                                .line = (uint32_t)XML_GetCurrentLineNumber(parser->parser),
                                .attribute_first = xml->attribute_count};
    for (; attributes[0] != NULL; attributes += 2) {
        xml->attributes = mem_grow(xml->attributes, &xml->attribute_capacity, (size_t)xml->attribute_count + 1,
                                   sizeof *xml->attributes);
        const size_t name = put(xml, attributes[0]);
        xml->attributes[xml->attribute_count++] = (struct x3d_attribute){name, put(xml, attributes[1])};
        added.attribute_count++;
    }
    xml->elements = mem_grow(xml->elements, &xml->element_capacity, (size_t)xml->element_count + 1, sizeof added);
    parser->open = xml->element_count;
    xml->elements[xml->element_count++] = added;
}

static void XMLCALL on_end(void *user, const XML_Char *tag)
{
    (void)tag;
    struct x3d_parser *parser = user;
    if (parser->open == X3D_NONE)
        return;
    struct x3d_element *element = &parser->xml->elements[parser->open];
    element->end = parser->xml->element_count;
    parser->open = element->parent;
    parser->depth--;
}

/* Nothing that exporters write declares entities; what does means to blow up or to read other files. */
static void XMLCALL on_entity(void *user, const XML_Char *name, int is_parameter, const XML_Char *value, int size,
                              const XML_Char *base, const XML_Char *system, const XML_Char *public,
                              const XML_Char *notation)
{
    (void)name, (void)is_parameter, (void)value, (void)size, (void)base, (void)system, (void)public, (void)notation;
    stop(user, ERR_BAD_MODEL, "the file declares entities");
}

/* Encodings that expat does not know: a byte is a character, so that at least ASCII is right. */
static int XMLCALL on_encoding(void *user, const XML_Char *name, XML_Encoding *encoding)
{
    (void)user, (void)name;
    for (int i = 0; i < 256; i++)
        encoding->map[i] = i;
    encoding->data = NULL;
    encoding->convert = NULL;
    encoding->release = NULL;
    return XML_STATUS_OK;
}

static int feed(struct x3d_parser *parser, const uint8_t *bytes, size_t size_bytes)
{
    size_t at = 0;
    do {
        const size_t size = size_bytes - at < CHUNK_BYTES ? size_bytes - at : CHUNK_BYTES;
        const enum XML_Status status =
            XML_Parse(parser->parser, (const char *)bytes + at, (int)size, at + size == size_bytes);
        if (parser->rc < 0)
            return parser->rc;
        if (status != XML_STATUS_OK)
            return err_set(parser->err, ERR_BAD_MODEL, "line %lu: the XML is broken: %s",
                           (unsigned long)XML_GetCurrentLineNumber(parser->parser),
                           XML_ErrorString(XML_GetErrorCode(parser->parser)));
        at += size;
    } while (at < size_bytes);
    return 0;
}

static int by_def_and_order(const void *a, const void *b, void *user)
{
    const struct x3d_xml *xml = user;
    const uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
    const int order = strcmp(x3d_get(xml, i, "DEF"), x3d_get(xml, k, "DEF"));
    return order != 0 ? order : (i > k) - (i < k);
}

static void index_defs(struct x3d_xml *xml)
{
    xml->defs = mem_alloc(xml->element_count * sizeof *xml->defs);
    for (uint32_t e = 0; e < xml->element_count; e++)
        if (x3d_get(xml, e, "DEF") != NULL)
            xml->defs[xml->def_count++] = e;
    qsort_r(xml->defs, xml->def_count, sizeof *xml->defs, by_def_and_order, xml);
}

int x3d_xml_parse(struct x3d_xml *xml, const uint8_t *bytes, size_t size_bytes, struct err *err)
{
    /* A text that was UTF-16 is UTF-8 here, whatever it declares. */
    static const char WIDE[] = "utf-16";
    bool is_declared_wide = false;
    for (size_t i = 0; i + sizeof WIDE <= size_bytes && i < 80 && bytes[i] != '>'; i++)
        is_declared_wide |= strncasecmp((const char *)bytes + i, WIDE, sizeof WIDE - 1) == 0;
    struct x3d_parser parser = {
        .xml = xml, .parser = XML_ParserCreate(is_declared_wide ? "UTF-8" : NULL), .open = X3D_NONE, .err = err};
    if (parser.parser == NULL)
        return err_set(err, ERR_IMPORT_MEMORY, "the importer ran out of memory");
    /* A salt of its own spares expat random numbers of the system, which the sandbox forbids. */
    XML_SetHashSalt(parser.parser, (unsigned long)hash64(HASH64_SEED, bytes, size_bytes) | 1);
    XML_SetUserData(parser.parser, &parser);
    XML_SetElementHandler(parser.parser, on_start, on_end);
    XML_SetEntityDeclHandler(parser.parser, on_entity);
    XML_SetUnknownEncodingHandler(parser.parser, on_encoding, NULL);
    const int rc = feed(&parser, bytes, size_bytes);
    XML_ParserFree(parser.parser);
    if (rc == 0)
        index_defs(xml);
    return rc;
}

void x3d_xml_fini(struct x3d_xml *xml)
{
    free(xml->elements);
    free(xml->attributes);
    free(xml->text);
    free(xml->defs);
    *xml = (struct x3d_xml){0};
}

/* --- questions --- */

const char *x3d_tag(const struct x3d_xml *xml, uint32_t element)
{
    return element == X3D_NONE ? "" : xml->text + xml->elements[element].tag;
}

bool x3d_is(const struct x3d_xml *xml, uint32_t element, const char *tags)
{
    const char *tag = x3d_tag(xml, element);
    const size_t length = strlen(tag);
    for (const char *at = tags; length > 0 && *at != '\0';) {
        const size_t size = strcspn(at, " ");
        if (size == length && memcmp(at, tag, size) == 0)
            return true;
        at += size;
        at += strspn(at, " ");
    }
    return false;
}

const char *x3d_get(const struct x3d_xml *xml, uint32_t element, const char *attribute)
{
    if (element == X3D_NONE)
        return NULL;
    const struct x3d_element *of = &xml->elements[element];
    for (uint32_t a = of->attribute_first; a < of->attribute_first + of->attribute_count; a++)
        if (strcmp(xml->text + xml->attributes[a].name, attribute) == 0)
            return xml->text + xml->attributes[a].value;
    return NULL;
}

bool x3d_get_bool(const struct x3d_xml *xml, uint32_t element, const char *attribute, bool fallback)
{
    const char *value = x3d_get(xml, element, attribute);
    if (value == NULL)
        return fallback;
    return strcasecmp(value, "true") == 0 || (strcasecmp(value, "false") != 0 && fallback);
}

uint32_t x3d_first(const struct x3d_xml *xml, uint32_t parent)
{
    return parent == X3D_NONE || parent + 1 >= xml->elements[parent].end ? X3D_NONE : parent + 1;
}

uint32_t x3d_next(const struct x3d_xml *xml, uint32_t child)
{
    const struct x3d_element *element = &xml->elements[child];
    return element->parent == X3D_NONE || element->end >= xml->elements[element->parent].end ? X3D_NONE : element->end;
}

uint32_t x3d_child(const struct x3d_xml *xml, uint32_t parent, const char *tags)
{
    uint32_t child = x3d_first(xml, parent);
    while (child != X3D_NONE && !x3d_is(xml, child, tags))
        child = x3d_next(xml, child);
    return child == X3D_NONE ? X3D_NONE : x3d_used(xml, child);
}

uint32_t x3d_used(const struct x3d_xml *xml, uint32_t element)
{
    const char *name = x3d_get(xml, element, "USE");
    if (name == NULL)
        return element;
    uint32_t low = 0, high = xml->def_count; /* the first that stands behind `element` with this name */
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const int order = strcmp(x3d_get(xml, xml->defs[middle], "DEF"), name);
        if (order < 0 || (order == 0 && xml->defs[middle] < element))
            low = middle + 1;
        else
            high = middle;
    }
    const uint32_t found = low > 0 ? xml->defs[low - 1] : X3D_NONE;
    return found != X3D_NONE && strcmp(x3d_get(xml, found, "DEF"), name) == 0 && x3d_get(xml, found, "USE") == NULL
               ? found
               : X3D_NONE;
}
