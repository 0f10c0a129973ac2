#include "import/xml/xml.h"

#include "base/hash.h"
#include "base/mem.h"
#include "import/xml/xml_parser.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { DEPTH_MAX = 1024, ELEMENTS_MAX = 4000000 };

struct xml_reader {
    struct xml_parser parser; /* the first member, because handlers receive it */
    struct xml *xml;
    const struct xml_form *form;
    uint32_t open;    /* the innermost open element that is kept, or XML_NONE */
    uint32_t skipped; /* depth within a skipped element */
    size_t prefix;    /* length of the document element's prefix with its colon; its namespace is the file's */
};

/* --- expat's events to elements --- */

/* Appends text and returns its offset, or XML_NONE if the offset would overflow. */
static uint32_t put(struct xml_reader *reader, const char *text, size_t size)
{
    struct xml *xml = reader->xml;
    if (xml->text_size + size >= UINT32_MAX) {
        xml_parser_fail(&reader->parser, ERR_MODEL_LIMIT, "too much text");
        return XML_NONE;
    }
    xml->text = mem_grow(xml->text, &xml->text_capacity, xml->text_size + size, 1);
    memcpy(xml->text + xml->text_size, text, size);
    xml->text_size += size;
    return (uint32_t)(xml->text_size - size);
}

static uint32_t putz(struct xml_reader *reader, const char *text) { return put(reader, text, strlen(text) + 1); }

/* Ends the text of the open element unless it has children, because then its text is not needed. */
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
    const bool is_cut = colon != NULL && (reader->form->is_any_prefix || (size_t)(colon - tag) + 1 == reader->prefix);
    return is_cut ? colon + 1 : tag;
}

static bool is_left_out(const struct xml_reader *reader, const char *tag)
{
    return reader->form->is_left_out != NULL && reader->form->is_left_out(reader->xml, reader->open, tag);
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
        xml_parser_fail(&reader->parser, ERR_MODEL_LIMIT,
                        depth > DEPTH_MAX ? "elements are nested too deep" : "the file has too many elements");
        return;
    }
    xml->elements = mem_grow(xml->elements, &xml->element_capacity, xml->element_count + 1, sizeof *xml->elements);
    struct xml_element added = {.parent = reader->open, .depth = depth, .text = XML_NONE, .tag = putz(reader, tag)};
    added.line = (uint32_t)xml_parser_line(&reader->parser);
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

/* --- the file --- */

/* A declaration that is readable byte by byte is not in UTF-16, whatever it claims: the text was converted earlier. */
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

static int by_key_and_order(const void *a, const void *b, void *user)
{
    const struct xml *xml = user;
    const uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
    const int order = strcmp(xml_get(xml, i, xml->key), xml_get(xml, k, xml->key));
    return order != 0 ? order : (i > k) - (i < k);
}

static void index_keys(struct xml *xml)
{
    xml->by_key = mem_alloc(xml->element_count * sizeof *xml->by_key);
    for (uint32_t e = 0; e < xml->element_count; e++)
        if (xml_get(xml, e, xml->key) != NULL)
            xml->by_key[xml->key_count++] = e;
    qsort_r(xml->by_key, xml->key_count, sizeof *xml->by_key, by_key_and_order, xml);
}

int xml_parse(struct xml *xml, const struct xml_form *form, const uint8_t *bytes, size_t size_bytes, struct err *err)
{
    *xml = (struct xml){.key = form->key};
    while (size_bytes > 0 && (*bytes == ' ' || *bytes == '\t' || *bytes == '\r' || *bytes == '\n')) {
        bytes++;
        size_bytes--;
    }
    struct xml_reader reader = {.xml = xml, .form = form, .open = XML_NONE};
    int rc = xml_parser_open(&reader.parser, is_declared_utf16(bytes, size_bytes) ? "UTF-8" : NULL,
                             hash64(HASH64_SEED, bytes, size_bytes), err);
    if (rc == 0) {
        XML_SetElementHandler(reader.parser.expat, on_start, on_end);
        XML_SetCharacterDataHandler(reader.parser.expat, form->has_text ? on_text : NULL);
        rc = xml_parser_feed(&reader.parser, bytes, size_bytes, true);
    }
    xml_parser_close(&reader.parser);
    if (rc == 0)
        index_keys(xml);
    else
        xml_fini(xml);
    return rc;
}

void xml_fini(struct xml *xml)
{
    free(xml->elements);
    free(xml->attributes);
    free(xml->text);
    free(xml->by_key);
    *xml = (struct xml){0};
}
