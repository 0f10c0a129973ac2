/* collada_xml.c - expat's events to a tree of elements, with limits. */
#include "import/collada/collada_xml.h"

#include "base/hash.h"
#include "base/mem.h"

#include <expat.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { DEPTH_MAX = 1024, ELEMENTS_MAX = 4000000, CHUNK_BYTES = 65536 };

struct xml_reader {
    struct xml *xml;
    XML_Parser parser;
    struct err *err;
    uint32_t open;    /* the innermost element that is kept and open, or XML_NONE */
    uint32_t skipped; /* depth within an element that is left out */
    size_t prefix;    /* of the document's element, with its colon: its namespace is the file's */
    int rc;
};

static void stop(struct xml_reader *reader, int code, const char *why)
{
    if (reader->rc == 0)
        reader->rc =
            err_set(reader->err, code, "%s, line %lu", why, (unsigned long)XML_GetCurrentLineNumber(reader->parser));
    XML_StopParser(reader->parser, XML_FALSE);
}

/* Appends text and returns where it is; XML_NONE when there is more than offsets can say. */
static uint32_t put(struct xml_reader *reader, const char *text, size_t size)
{
    struct xml *xml = reader->xml;
    if (xml->text_size + size >= UINT32_MAX) {
        stop(reader, ERR_MODEL_LIMIT, "too much text");
        return XML_NONE;
    }
    xml->text = mem_grow(xml->text, &xml->text_capacity, xml->text_size + size, 1);
    memcpy(xml->text + xml->text_size, text, size);
    xml->text_size += size;
    return (uint32_t)(xml->text_size - size);
}

static uint32_t putz(struct xml_reader *reader, const char *text) { return put(reader, text, strlen(text) + 1); }

static bool is_one_of(const char *tag, const char *const *tags, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(tag, tags[i]) == 0)
            return true;
    return false;
}

/* The child of the document that the open element is or stands in; XML_NONE for the document. */
static uint32_t open_library(const struct xml_reader *reader)
{
    uint32_t element = reader->open;
    while (element != XML_NONE && reader->xml->elements[element].depth > 1)
        element = reader->xml->elements[element].parent;
    return element == 0 ? XML_NONE : element;
}

static bool is_left_out(const struct xml_reader *reader, const char *tag)
{
    static const char *const KEPT[] = {"asset",
                                       "library_visual_scenes",
                                       "library_nodes",
                                       "library_animations",
                                       "library_animation_clips",
                                       "library_cameras",
                                       "library_controllers",
                                       "library_materials",
                                       "library_effects",
                                       "library_geometries",
                                       "library_images",
                                       "scene"};
    if (reader->open == XML_NONE)
        return false;
    if (reader->xml->elements[reader->open].depth == 0)
        return !is_one_of(tag, KEPT, sizeof KEPT / sizeof *KEPT);
    if (strcmp(tag, "extra") != 0)
        return false;
    const uint32_t library = open_library(reader);
    return !xml_is(reader->xml, library, "library_effects") && !xml_is(reader->xml, library, "library_materials");
}

/* An element with children has no text of its own that matters. */
static void end_text(struct xml_reader *reader)
{
    if (reader->open == XML_NONE || reader->open + 1 != reader->xml->element_count)
        return;
    if (reader->xml->elements[reader->open].text != XML_NONE)
        put(reader, "", 1);
}

static bool add_attributes(struct xml_reader *reader, struct xml_element *element, const XML_Char **attributes)
{
    struct xml *xml = reader->xml;
    element->attribute_first = xml->attribute_count;
    for (; attributes[0] != NULL; attributes += 2) {
        const struct xml_attribute added = {putz(reader, attributes[0]), putz(reader, attributes[1])};
        xml->attributes = mem_grow(xml->attributes, &xml->attribute_capacity, xml->attribute_count + 1, sizeof added);
        if (added.name == XML_NONE || added.value == XML_NONE)
            return false;
        xml->attributes[xml->attribute_count++] = added;
        element->attribute_count++;
    }
    return true;
}

/* <c:COLLADA> makes <c:node> a node. */
static const char *local_name(struct xml_reader *reader, const char *tag)
{
    const char *colon = strchr(tag, ':');
    if (reader->open == XML_NONE)
        reader->prefix = colon == NULL ? 0 : (size_t)(colon - tag) + 1;
    return colon != NULL && (size_t)(colon - tag) + 1 == reader->prefix ? colon + 1 : tag;
}

static void XMLCALL on_start(void *user, const XML_Char *full_tag, const XML_Char **attributes)
{
    struct xml_reader *reader = user;
    struct xml *xml = reader->xml;
    const char *tag = local_name(reader, full_tag);
    if (reader->skipped > 0 || is_left_out(reader, tag)) {
        reader->skipped++;
        return;
    }
    end_text(reader);
    const uint32_t depth = reader->open == XML_NONE ? 0 : xml->elements[reader->open].depth + 1;
    if (depth > DEPTH_MAX || xml->element_count >= ELEMENTS_MAX) {
        stop(reader, ERR_MODEL_LIMIT, depth > DEPTH_MAX ? "elements are nested too deep" : "too many elements");
        return;
    }
    xml->elements = mem_grow(xml->elements, &xml->element_capacity, xml->element_count + 1, sizeof *xml->elements);
    struct xml_element added = {.parent = reader->open, .depth = depth, .text = XML_NONE, .tag = putz(reader, tag)};
    added.line = (uint32_t)XML_GetCurrentLineNumber(reader->parser);
    if (added.tag == XML_NONE || !add_attributes(reader, &added, attributes))
        return;
    reader->open = xml->element_count;
    xml->elements[xml->element_count++] = added;
}

static void XMLCALL on_end(void *user, const XML_Char *tag)
{
    struct xml_reader *reader = user;
    (void)tag;
    if (reader->skipped > 0) {
        reader->skipped--;
        return;
    }
    if (reader->open == XML_NONE)
        return;
    end_text(reader);
    struct xml_element *element = &reader->xml->elements[reader->open];
    element->end = reader->xml->element_count;
    reader->open = element->parent;
}

static void XMLCALL on_text(void *user, const XML_Char *text, int size)
{
    struct xml_reader *reader = user;
    if (reader->skipped > 0 || reader->open == XML_NONE || reader->open + 1 != reader->xml->element_count)
        return;
    const uint32_t at = put(reader, text, (size_t)size);
    struct xml_element *element = &reader->xml->elements[reader->open];
    if (element->text == XML_NONE)
        element->text = at;
}

/* Nothing that exporters write declares entities; what does means to blow up or to read other files. */
static void XMLCALL on_entity(void *user, const XML_Char *name, int is_parameter, const XML_Char *value, int size,
                              const XML_Char *base, const XML_Char *system, const XML_Char *public,
                              const XML_Char *notation)
{
    (void)name, (void)is_parameter, (void)value, (void)size, (void)base, (void)system, (void)public, (void)notation;
    stop(user, ERR_BAD_MODEL, "the file declares entities");
}

/* Encodings that expat does not know: a byte is a character, so that at least ASCII ids are right. */
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

static int feed(struct xml_reader *reader, const uint8_t *bytes, size_t size_bytes)
{
    for (size_t at = 0; at < size_bytes || at == 0;) {
        const size_t size = size_bytes - at < CHUNK_BYTES ? size_bytes - at : CHUNK_BYTES;
        const bool is_last = at + size == size_bytes;
        const enum XML_Status status = XML_Parse(reader->parser, (const char *)bytes + at, (int)size, is_last);
        if (reader->rc < 0)
            return reader->rc;
        if (status != XML_STATUS_OK)
            return err_set(reader->err, ERR_BAD_MODEL, "line %lu: %s",
                           (unsigned long)XML_GetCurrentLineNumber(reader->parser),
                           XML_ErrorString(XML_GetErrorCode(reader->parser)));
        if (is_last)
            break;
        at += size;
    }
    return reader->rc;
}

static int by_id_and_order(const void *a, const void *b, void *user)
{
    const struct xml *xml = user;
    const uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
    const int order = strcmp(xml_get(xml, i, "id"), xml_get(xml, k, "id"));
    return order != 0 ? order : (i > k) - (i < k);
}

static void index_ids(struct xml *xml)
{
    xml->by_id = mem_alloc(xml->element_count * sizeof *xml->by_id);
    for (uint32_t e = 0; e < xml->element_count; e++)
        if (xml_get(xml, e, "id") != NULL)
            xml->by_id[xml->id_count++] = e;
    qsort_r(xml->by_id, xml->id_count, sizeof *xml->by_id, by_id_and_order, xml);
}

/* A declaration that can be read byte by byte is not in UTF-16, whatever it says: the text was converted on its way. */
static bool is_declared_utf16(const uint8_t *bytes, size_t size_bytes)
{
    static const char NAME[] = "utf-16";
    const size_t length = sizeof NAME - 1;
    if (size_bytes < 5 || memcmp(bytes, "<?xml", 5) != 0)
        return false;
    for (size_t i = 5; i + length < size_bytes && bytes[i] != '>'; i++)
        if ((bytes[i] == '"' || bytes[i] == '\'') && strncasecmp((const char *)bytes + i + 1, NAME, length) == 0)
            return true;
    return false;
}

int xml_parse(struct xml *xml, const uint8_t *bytes, size_t size_bytes, struct err *err)
{
    *xml = (struct xml){0};
    while (size_bytes > 0 && (*bytes == ' ' || *bytes == '\t' || *bytes == '\r' || *bytes == '\n')) {
        bytes++;
        size_bytes--;
    }
    const char *encoding = is_declared_utf16(bytes, size_bytes) ? "UTF-8" : NULL;
    struct xml_reader reader = {.xml = xml, .parser = XML_ParserCreate(encoding), .err = err, .open = XML_NONE};
    if (reader.parser == NULL)
        return err_set(err, ERR_IMPORT_MEMORY, "no memory for a parser");
    /* A salt that depends on every byte: nobody can aim at it, and no random numbers are asked for. */
    XML_SetHashSalt(reader.parser, (unsigned long)hash64(HASH64_SEED, bytes, size_bytes) | 1);
    XML_SetUserData(reader.parser, &reader);
    XML_SetElementHandler(reader.parser, on_start, on_end);
    XML_SetCharacterDataHandler(reader.parser, on_text);
    XML_SetEntityDeclHandler(reader.parser, on_entity);
    XML_SetUnknownEncodingHandler(reader.parser, on_encoding, NULL);
    int rc = feed(&reader, bytes, size_bytes);
    XML_ParserFree(reader.parser);
    if (rc == 0)
        index_ids(xml);
    else
        xml_fini(xml);
    return rc;
}

void xml_fini(struct xml *xml)
{
    free(xml->elements);
    free(xml->attributes);
    free(xml->text);
    free(xml->by_id);
    *xml = (struct xml){0};
}
