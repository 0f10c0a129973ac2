/* collada_values.h - lists of numbers and names in a COLLADA file, and how <source> elements lay them out. Pure. */
#pragma once

#include "import/collada/collada_xml.h"

/* At most `limit` numbers into out; returns how many there are in all, or -1 where something is no finite number. */
int values_fixed(const char *text, double *out, int limit);

/* Rows as an accessor lays them out. */
struct value_rows {
    double *values; /* [count * width]; heap */
    uint32_t count, width;
};

/* The numbers of the <source> that `element`'s attribute `attribute` names. Returns 0, ERR_BAD_MODEL or
 * ERR_IMPORT_MEMORY; on failure *rows is empty. */
int rows_read(const struct xml *xml, uint32_t element, const char *attribute, struct value_rows *rows, struct err *err);
void rows_fini(struct value_rows *rows);

/* Likewise a <source> of names: calls take() for each, in order. Returns how many, or ERR_BAD_MODEL. */
typedef void take_name(void *user, uint32_t index, const char *name, size_t size_bytes);
int64_t names_read(const struct xml *xml, uint32_t element, const char *attribute, take_name *take, void *user,
                   struct err *err);
