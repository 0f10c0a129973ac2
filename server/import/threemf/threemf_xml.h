/* threemf_xml.h - parses the XML of a 3MF part with expat, element by element while it is unpacked.
 *
 * The file is untrusted: the parser refuses entity declarations, never opens external files, and limits the depth. It
 * compares namespaces by name, not by prefix. One thread. */
#pragma once

#include "import/source/zip_read.h"

#include <stdbool.h>

/* Namespaces whose elements or attributes are read. */
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

/* An element; valid only during the handler call that receives it. */
struct threemf_element {
    struct threemf_xml *xml;
    enum threemf_namespace ns;
    bool is_bound;           /* the prefix is declared, or there is none */
    const char *tag;         /* without its prefix */
    const char **attributes; /* name, value, ..., NULL */
};

/* The callbacks for a part. start returns 0 (the element is entered), 1 (it is left out with its content), or the
 * result of threemf_fail(). */
struct threemf_handler {
    int (*start)(void *user, const struct threemf_element *element);
    int (*end)(void *user);                                            /* of an entered element */
    void (*text)(void *user, const char *text, size_t size);           /* or NULL; in pieces */
    void (*declare)(void *user, const char *prefix, const char *name); /* of a namespace; or NULL */
    void *user;
};

/* Reads entry `entry` of the zip; messages call it `part`. Returns 0, ERR_BAD_MODEL, ERR_MODEL_LIMIT or the handler's
 * error. */
int threemf_xml_read(struct zip_reader *zip, int64_t entry, const char *part, const struct threemf_handler *handler,
                     struct err *err);

/* Returns the name of a namespace that a file may require. */
const char *threemf_namespace_name(enum threemf_namespace ns);

/* Sets the error to a message with the part, the line and the element, and returns its code. */
int threemf_fail(const struct threemf_element *element, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
unsigned long threemf_line(const struct threemf_element *element);

/* Returns the value of an attribute, or NULL. */
const char *threemf_get(const struct threemf_element *element, enum threemf_namespace ns, const char *name);

/* Read attributes without a prefix. A missing attribute leaves *out unchanged, or is an error if is_required. Return 0
 * or ERR_BAD_MODEL: missing, not a number (ST_Number, ST_ResourceID, ST_ResourceIndex), not finite as a float, 2^31 or
 * more. */
int threemf_number(const struct threemf_element *element, const char *name, bool is_required, double *out);
int threemf_index(const struct threemf_element *element, const char *name, bool is_required, uint32_t *out);
/* "#RRGGBB" or "#RRGGBBAA" (ST_ColorValue). */
int threemf_color(const struct threemf_element *element, const char *name, bool is_required, uint8_t rgba[4]);
/* Reads the next number of a list separated by white space and moves *text behind it. Returns 1, 0 at the end, or -1 on
 * an error. */
int threemf_next_number(const char **text, double *out);
int threemf_next_index(const char **text, uint32_t *out);
