#include "import/threemf/threemf_xml.h"

#include "import/xml/xml_parser.h"

#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 256, CHUNK_BYTES = 65536, BINDINGS_MAX = 256 };

/* The names from 3MF Core Specification 1.3, appendix E, and from the extensions. */
static const char *const NAMES[] = {
    [NS_CORE] = "http://schemas.microsoft.com/3dmanufacturing/core/2015/02",
    [NS_MATERIAL] = "http://schemas.microsoft.com/3dmanufacturing/material/2015/02",
    [NS_PRODUCTION] = "http://schemas.microsoft.com/3dmanufacturing/production/2015/06",
    [NS_BEAMS] = "http://schemas.microsoft.com/3dmanufacturing/beamlattice/2017/02",
    [NS_SLICE] = "http://schemas.microsoft.com/3dmanufacturing/slice/2015/07",
    [NS_RELATIONSHIPS] = "http://schemas.openxmlformats.org/package/2006/relationships",
};
static const int NAME_COUNT = sizeof NAMES / sizeof *NAMES;

/* A prefix that an open element declares; "" is the namespace of elements without a prefix. */
struct binding {
    char *prefix; /* heap */
    enum threemf_namespace ns;
    unsigned depth; /* of the element */
};

struct threemf_xml {
    struct xml_parser parser; /* first: handlers get it */
    const struct threemf_handler *handler;
    struct binding bindings[BINDINGS_MAX]; /* [binding_count], in the order of their elements */
    unsigned binding_count;
    unsigned depth, skipped; /* numbers of open elements, and of open elements in a left-out one */
};

const char *threemf_namespace_name(enum threemf_namespace ns)
{
    return (int)ns < NAME_COUNT && NAMES[ns] != NULL ? NAMES[ns] : "";
}

int threemf_fail(const struct threemf_element *element, int code, const char *format, ...)
{
    char what[280];
    const int size = snprintf(what, sizeof what, ", <%.60s>: ", element->tag);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what + size, sizeof what - (size_t)size, format, arguments);
    va_end(arguments);
    return xml_parser_fail(&element->xml->parser, code, what);
}

unsigned long threemf_line(const struct threemf_element *element) { return xml_parser_line(&element->xml->parser); }

/* --- namespaces (Namespaces in XML 1.0). Files of slicers use prefixes without declaring them, which expat refuses.
 * --- */

static enum threemf_namespace namespace_called(const char *name)
{
    for (int ns = NS_CORE; ns < NAME_COUNT; ns++)
        if (strcmp(name, NAMES[ns]) == 0)
            return (enum threemf_namespace)ns;
    return name[0] == '\0' ? NS_NONE : NS_OTHER;
}

/* Splits a name into namespace and tag. Returns false if no element declares its prefix. */
static bool split(const struct threemf_xml *xml, const char *name, enum threemf_namespace *ns, const char **tag)
{
    const char *colon = strchr(name, ':');
    const size_t size = colon == NULL ? 0 : (size_t)(colon - name);
    *tag = colon == NULL ? name : colon + 1;
    for (unsigned b = xml->binding_count; b-- > 0;) {
        const struct binding *binding = &xml->bindings[b];
        if (strncmp(binding->prefix, name, size) == 0 && binding->prefix[size] == '\0') {
            *ns = binding->ns;
            return true;
        }
    }
    *ns = colon == NULL ? NS_NONE : NS_OTHER;
    return colon == NULL || (size == 3 && memcmp(name, "xml", size) == 0);
}

const char *threemf_get(const struct threemf_element *element, enum threemf_namespace ns, const char *name)
{
    for (const char **at = element->attributes; at[0] != NULL; at += 2) {
        const char *colon = ns == NS_NONE ? NULL : strchr(at[0], ':'), *tag = at[0];
        enum threemf_namespace own = NS_NONE;
        if (strcmp(colon == NULL ? at[0] : colon + 1, name) != 0)
            continue;
        if (colon != NULL)
            split(element->xml, at[0], &own, &tag);
        if (own == ns)
            return at[1];
    }
    return NULL;
}

/* Takes the declarations of an element. Returns false for too many. */
static bool declare(struct threemf_xml *xml, const XML_Char **attributes)
{
    for (; attributes[0] != NULL; attributes += 2) {
        const char *name = attributes[0];
        if (strncmp(name, "xmlns", 5) != 0 || (name[5] != ':' && name[5] != '\0'))
            continue;
        const char *prefix = name[5] == ':' ? name + 6 : "";
        if (xml->binding_count == BINDINGS_MAX)
            return false;
        xml->bindings[xml->binding_count++] =
            (struct binding){mem_strndup(prefix, strlen(prefix)), namespace_called(attributes[1]), xml->depth};
        if (xml->skipped == 0 && xml->handler->declare != NULL)
            xml->handler->declare(xml->handler->user, prefix, attributes[1]);
    }
    return true;
}

/* Drops the declarations of elements that are deeper. */
static void drop_bindings(struct threemf_xml *xml, unsigned depth)
{
    while (xml->binding_count > 0 && xml->bindings[xml->binding_count - 1].depth > depth)
        free(xml->bindings[--xml->binding_count].prefix);
}

/* --- events --- */

static void XMLCALL on_start(void *user, const XML_Char *name, const XML_Char **attributes)
{
    struct threemf_xml *xml = user;
    struct threemf_element element = {.xml = xml, .attributes = attributes};
    if (xml->parser.rc != 0)
        return;
    int rc = 1;
    xml->depth++;
    const bool is_declared = declare(xml, attributes);
    element.is_bound = split(xml, name, &element.ns, &element.tag);
    if (xml->depth > DEPTH_MAX)
        rc = threemf_fail(&element, ERR_MODEL_LIMIT, "elements lie more than %d levels deep", DEPTH_MAX);
    else if (!is_declared)
        rc = threemf_fail(&element, ERR_MODEL_LIMIT, "more than %d prefixes are declared", BINDINGS_MAX);
    else if (xml->skipped == 0)
        rc = xml->handler->start(xml->handler->user, &element);
    if (rc < 0) {
        xml->parser.rc = rc;
        XML_StopParser(xml->parser.expat, XML_FALSE);
    }
    xml->skipped += rc > 0;
}

static void XMLCALL on_end(void *user, const XML_Char *name)
{
    struct threemf_xml *xml = user;
    (void)name;
    if (xml->parser.rc != 0)
        return;
    drop_bindings(xml, --xml->depth);
    if (xml->skipped > 0)
        xml->skipped--;
    else if (xml->handler->end(xml->handler->user) < 0) {
        xml->parser.rc = xml->parser.err->code;
        XML_StopParser(xml->parser.expat, XML_FALSE);
    }
}

static void XMLCALL on_text(void *user, const XML_Char *text, int size)
{
    const struct threemf_xml *xml = user;
    if (xml->parser.rc == 0 && xml->skipped == 0 && xml->handler->text != NULL)
        xml->handler->text(xml->handler->user, text, (size_t)size);
}

/* The Open Packaging Conventions forbid a document type, and thus entities (ECMA-376-2, 6.2.5). */
static void XMLCALL on_doctype(void *user, const XML_Char *name, const XML_Char *system, const XML_Char *public,
                               int has_subset)
{
    struct threemf_xml *xml = user;
    (void)name, (void)system, (void)public, (void)has_subset;
    xml_parser_fail(&xml->parser, ERR_BAD_MODEL, "the part declares a document type, which no part of a package may");
}

static int feed(struct threemf_xml *xml, struct zip_read_file *file, const char *part)
{
    char bytes[CHUNK_BYTES];
    int64_t n;
    do {
        n = zip_read_next(file, bytes, sizeof bytes, xml->parser.err);
        if (n < 0)
            return err_prefix(xml->parser.err, "part '%.150s'", part);
        if (xml_parser_feed(&xml->parser, bytes, (size_t)n, n == 0) < 0)
            return xml->parser.rc;
    } while (n > 0);
    return 0;
}

int threemf_xml_read(struct zip_reader *zip, int64_t entry, const char *part, const struct threemf_handler *handler,
                     struct err *err)
{
    struct zip_read_file *file = zip_reader_open(zip, entry, err);
    if (file == NULL)
        return err_prefix(err, "part '%.150s'", part);
    struct threemf_xml xml = {.handler = handler};
    snprintf(xml.parser.where, sizeof xml.parser.where, "part '%.150s', ", part);
    int rc = xml_parser_open(&xml.parser, NULL, zip_reader_salt(zip), err);
    if (rc == 0) {
        XML_SetElementHandler(xml.parser.expat, on_start, on_end);
        XML_SetCharacterDataHandler(xml.parser.expat, on_text);
        XML_SetStartDoctypeDeclHandler(xml.parser.expat, on_doctype);
        rc = feed(&xml, file, part);
    }
    xml_parser_close(&xml.parser);
    drop_bindings(&xml, 0);
    zip_read_close(file);
    return rc;
}
