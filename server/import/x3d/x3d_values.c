/* x3d_values.c - reads numbers of attributes and locates elements for messages. */
#include "import/x3d/x3d.h"

#include "base/mem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *x3d_where(const struct x3d *x3d, uint32_t element, char out[X3D_WHERE_SIZE])
{
    snprintf(out, X3D_WHERE_SIZE, "line %u, <%.60s>", x3d->xml.elements[element].line, xml_tag(&x3d->xml, element));
    return out;
}

/* XML white space, and commas, which count as white space. */
static const char *const BLANKS = " \t\r\n,";

int x3d_numbers(const struct x3d *x3d, uint32_t element, const char *attribute, double **values, uint32_t *count,
                struct err *err)
{
    const char *at = xml_get(&x3d->xml, element, attribute);
    size_t capacity = 0;
    *values = NULL;
    *count = 0;
    for (at = at == NULL ? "" : at; *(at += strspn(at, BLANKS)) != '\0';) {
        char *end;
        const double value = strtod(at, &end);
        int rc = 0;
        if (end == at)
            rc = err_set(err, ERR_BAD_MODEL, "%s: '%.*s' in '%s' is no number", X3D_WHERE(x3d, element),
                         (int)(strcspn(at, BLANKS) < 40 ? strcspn(at, BLANKS) : 40), at, attribute);
        else
            rc = import_check_limit(x3d->import, LIMIT_INDICES, *count, 1, X3D_WHERE(x3d, element), err);
        if (rc < 0) {
            free(*values);
            *values = NULL;
            *count = 0;
            return rc;
        }
        *values = mem_grow(*values, &capacity, (size_t)*count + 1, sizeof **values);
        (*values)[(*count)++] = value;
        at = end;
    }
    return 0;
}

int x3d_get_numbers(const struct x3d *x3d, uint32_t element, const char *attribute, double *out, uint32_t count,
                    struct err *err)
{
    double *values;
    uint32_t have;
    if (x3d_numbers(x3d, element, attribute, &values, &have, err) < 0)
        return err->code;
    bool is_finite = have >= count;
    for (uint32_t i = 0; i < count && is_finite; i++)
        is_finite = isfinite((float)values[i]);
    if (is_finite)
        memcpy(out, values, count * sizeof *out);
    free(values);
    return have >= count && !is_finite
               ? err_set(err, ERR_BAD_MODEL, "%s: a number of '%s' is not finite", X3D_WHERE(x3d, element), attribute)
               : 0;
}
