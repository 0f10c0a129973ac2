#include "import/xml/xml_parser.h"

#include <stdio.h>

/* expat takes sizes as int. */
enum { CHUNK_BYTES = 65536 };

unsigned long xml_parser_line(const struct xml_parser *parser)
{
    return (unsigned long)XML_GetCurrentLineNumber(parser->expat);
}

int xml_parser_fail(struct xml_parser *parser, int code, const char *what)
{
    if (parser->rc == 0)
        parser->rc = err_set(parser->err, code, "%sline %lu%s%s", parser->where, xml_parser_line(parser),
                             what[0] == ',' ? "" : ": ", what); /* ", <tag>: ..." goes on */
    XML_StopParser(parser->expat, XML_FALSE);
    return parser->rc;
}

/* Exporters never declare entities. A file that does so intends an expansion attack or access to other files. */
static void XMLCALL on_entity(void *parser, const XML_Char *name, int is_parameter, const XML_Char *value, int size,
                              const XML_Char *base, const XML_Char *system, const XML_Char *public,
                              const XML_Char *notation)
{
    (void)name, (void)is_parameter, (void)value, (void)size, (void)base, (void)system, (void)public, (void)notation;
    xml_parser_fail(parser, ERR_BAD_MODEL, "the file declares entities");
}

/* For encodings unknown to expat, each byte is a character, so that at least ASCII is right. */
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

int xml_parser_open(struct xml_parser *parser, const char *encoding, uint64_t salt, struct err *err)
{
    parser->err = err;
    parser->expat = XML_ParserCreate(encoding);
    if (parser->expat == NULL)
        return err_set(err, ERR_IMPORT_MEMORY, "no memory for a parser of XML");
    XML_SetHashSalt(parser->expat, (unsigned long)salt | 1);
    XML_SetUserData(parser->expat, parser);
    XML_SetEntityDeclHandler(parser->expat, on_entity);
    XML_SetUnknownEncodingHandler(parser->expat, on_encoding, NULL);
    return 0;
}

void xml_parser_close(struct xml_parser *parser)
{
    if (parser->expat != NULL)
        XML_ParserFree(parser->expat);
}

int xml_parser_feed(struct xml_parser *parser, const void *bytes, size_t size_bytes, bool is_last)
{
    const char *at = bytes;
    do {
        const size_t size = size_bytes < CHUNK_BYTES ? size_bytes : CHUNK_BYTES;
        size_bytes -= size;
        const enum XML_Status status = XML_Parse(parser->expat, at, (int)size, is_last && size_bytes == 0);
        if (parser->rc == 0 && status != XML_STATUS_OK) {
            char what[120];
            snprintf(what, sizeof what, "the XML is broken: %s", XML_ErrorString(XML_GetErrorCode(parser->expat)));
            xml_parser_fail(parser, ERR_BAD_MODEL, what);
        }
        at += size;
    } while (size_bytes > 0 && parser->rc == 0);
    return parser->rc;
}
