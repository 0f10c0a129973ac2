/* xml_parser.h - expat with the settings that all readers of XML use. The user sets the element handlers on `expat`.
 * Single-threaded.
 *
 * The file is hostile: it may not declare entities, and the parser never opens anything outside the file. */
#pragma once

#include "base/err.h"

#include <expat.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct xml_parser {
    XML_Parser expat;
    struct err *err;
    char where[176]; /* prefix of messages, or "" */
    int rc;          /* code of the first failure */
};

/* `encoding` overrides the encoding that the file declares, unless NULL. Names keep their prefixes. `salt` is a number
 * that an attacker cannot predict; it prevents expat from asking for random numbers, which the sandbox forbids.
 * Handlers receive `parser`. Returns 0 or ERR_IMPORT_MEMORY. The caller calls xml_parser_close() in any case. */
int xml_parser_open(struct xml_parser *parser, const char *encoding, uint64_t salt, struct err *err);
void xml_parser_close(struct xml_parser *parser);

/* Parses the next bytes. Returns 0, ERR_BAD_MODEL (not well-formed) or parser->rc. */
int xml_parser_feed(struct xml_parser *parser, const void *bytes, size_t size_bytes, bool is_last);

/* For handlers: ends the parsing with a message that names the line. Only the first failure counts. Returns its
 * code. */
int xml_parser_fail(struct xml_parser *parser, int code, const char *what);
unsigned long xml_parser_line(const struct xml_parser *parser);
