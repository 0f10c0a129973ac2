/* threemf_xml.h - the XML of a part of a 3MF package, element by element while it is unpacked. By expat.
 *
 * The file is hostile: no entity may be declared, nothing outside is ever opened, and depth is limited. Namespaces are
 * told apart by their names and not by prefixes. One thread. */
#pragma once

#include "import/source/zip_read.h"

#include <stdbool.h>

/* Namespaces whose elements or attributes mean something here. */
enum threemf_namespace {
    NS_NONE, /* attributes without a prefix */
    NS_CORE,
    NS_MATERIAL,
    NS_PRODUCTION,
    NS_BEAMS,
    NS_SLICE,
    NS_RELATIONSHIPS,
    NS_OTHER,
};

struct threemf_xml;

/* Valid until the call that got it returns. */
struct threemf_element {
    struct threemf_xml *xml;
    enum threemf_namespace ns;
    const char *tag;         /* without its namespace */
    const char **attributes; /* name, value, ..., NULL */
};

/* What is done with a part. A start returns 0 (the element is entered), 1 (it is left out with all that is in it), or
 * what threemf_fail() does. */
struct threemf_handler {
    int (*start)(void *user, const struct threemf_element *element);
    int (*end)(void *user);                                            /* of an element that was entered */
    void (*text)(void *user, const char *text, size_t size);           /* or NULL; in pieces */
    void (*declare)(void *user, const char *prefix, const char *name); /* of a namespace; or NULL */
    void *user;
};

/* Reads entry `entry` of the zip, which messages call `part`. Returns 0, ERR_BAD_MODEL, ERR_MODEL_LIMIT or what the
 * handler said. */
int threemf_xml_read(struct zip_reader *zip, int64_t entry, const char *part, const struct threemf_handler *handler,
                     struct err *err);

/* The name that a namespace has, for those that a file may require. */
const char *threemf_namespace_name(enum threemf_namespace ns);

/* Sets the error to a message with the part, the line and the element, and returns its code. */
int threemf_fail(const struct threemf_element *element, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
unsigned long threemf_line(const struct threemf_element *element);

/* The value of an attribute, or NULL. */
const char *threemf_get(const struct threemf_element *element, enum threemf_namespace ns, const char *name);

/* Values of attributes without a prefix. Where it is not there, the number stays as it is unless it is required. Return
 * 0 or ERR_BAD_MODEL: not a number (ST_Number, ST_ResourceID, ST_ResourceIndex), not finite as a float, 2^31 or more.
 */
int threemf_number(const struct threemf_element *element, const char *name, bool is_required, double *out);
int threemf_index(const struct threemf_element *element, const char *name, bool is_required, uint32_t *out);
/* "#RRGGBB" or "#RRGGBBAA" (ST_ColorValue). */
int threemf_color(const struct threemf_element *element, const char *name, bool is_required, uint8_t rgba[4]);
/* The next number of a list of numbers between white space; *text moves behind it. 1, 0 at the end, or -1. */
int threemf_next_number(const char **text, double *out);
int threemf_next_index(const char **text, uint32_t *out);
