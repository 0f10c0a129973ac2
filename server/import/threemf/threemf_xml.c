#include "import/threemf/threemf_xml.h"

#include "import/xml/xml_parser.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { DEPTH_MAX = 256, CHUNK_BYTES = 65536 };
#define SEPARATOR '\n' /* between a namespace's name and a tag; no namespace name contains it */

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

struct threemf_xml {
    struct xml_parser parser; /* first: handlers get it */
    const struct threemf_handler *handler;
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

/* Splits a name from expat into namespace and tag. */
static enum threemf_namespace split(const char *name, const char **tag)
{
    const char *at = strchr(name, SEPARATOR);
    *tag = at == NULL ? name : at + 1;
    if (at == NULL)
        return NS_NONE;
    const size_t size = (size_t)(at - name);
    for (int ns = NS_CORE; ns < NAME_COUNT; ns++)
        if (strncmp(name, NAMES[ns], size) == 0 && NAMES[ns][size] == '\0')
            return (enum threemf_namespace)ns;
    return NS_OTHER;
}

static void XMLCALL on_start(void *user, const XML_Char *name, const XML_Char **attributes)
{
    struct threemf_xml *xml = user;
    struct threemf_element element = {.xml = xml, .attributes = attributes};
    if (xml->parser.rc != 0)
        return;
    element.ns = split(name, &element.tag);
    int rc = 1;
    if (++xml->depth > DEPTH_MAX)
        rc = threemf_fail(&element, ERR_MODEL_LIMIT, "elements lie more than %d levels deep", DEPTH_MAX);
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
    xml->depth--;
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

static void XMLCALL on_namespace(void *user, const XML_Char *prefix, const XML_Char *name)
{
    const struct threemf_xml *xml = user;
    if (xml->parser.rc == 0 && xml->skipped == 0 && xml->handler->declare != NULL && name != NULL)
        xml->handler->declare(xml->handler->user, prefix == NULL ? "" : prefix, name);
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
    int rc = xml_parser_open(&xml.parser, NULL, SEPARATOR, zip_reader_salt(zip), err);
    if (rc == 0) {
        XML_SetElementHandler(xml.parser.expat, on_start, on_end);
        XML_SetCharacterDataHandler(xml.parser.expat, on_text);
        XML_SetStartNamespaceDeclHandler(xml.parser.expat, on_namespace);
        XML_SetStartDoctypeDeclHandler(xml.parser.expat, on_doctype);
        rc = feed(&xml, file, part);
    }
    xml_parser_close(&xml.parser);
    zip_read_close(file);
    return rc;
}
