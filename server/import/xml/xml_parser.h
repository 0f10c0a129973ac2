/* xml_parser.h - expat as all readers of XML use it. Handlers of elements are the user's, on `expat`. One thread.
 *
 * The file is hostile: no entity may be declared, and nothing outside the file is ever opened. */
#pragma once

#include "base/err.h"

#include <expat.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct xml_parser {
    XML_Parser expat;
    struct err *err;
    char where[176]; /* what messages begin with, or "" */
    int rc;          /* of the first failure */
};

/* encoding: whatever the file declares, or NULL: what it declares. separator: between a namespace's name and a tag, or
 * 0: prefixes stay as they are. salt: nobody can aim at it, and expat asks for no random numbers, which the sandbox
 * forbids. Handlers get `parser`. Returns 0 or ERR_IMPORT_MEMORY; xml_parser_close() in any case. */
int xml_parser_open(struct xml_parser *parser, const char *encoding, char separator, uint64_t salt, struct err *err);
void xml_parser_close(struct xml_parser *parser);

/* The next bytes. Returns 0, ERR_BAD_MODEL (not well-formed) or parser->rc. */
int xml_parser_feed(struct xml_parser *parser, const void *bytes, size_t size_bytes, bool is_last);

/* In a handler: ends the parsing with a message that names the line. Only the first failure counts. Returns its code.
 */
int xml_parser_fail(struct xml_parser *parser, int code, const char *what);
unsigned long xml_parser_line(const struct xml_parser *parser);
