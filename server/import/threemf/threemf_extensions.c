/* threemf_extensions.c - checks the extensions that a file requires (3MF Core Specification 1.3, 3.4
 * "requiredextensions"). */
#include "import/threemf/threemf_reader.h"

#include <stdio.h>
#include <string.h>

/* The extensions that a file may require: the supported ones, and those that do not change the mesh. formats.md has the
 * same list. */
static const char *const KNOWN[] = {
    "http://schemas.microsoft.com/3dmanufacturing/core/2015/02",
    "http://schemas.microsoft.com/3dmanufacturing/material/2015/02",
    "http://schemas.microsoft.com/3dmanufacturing/production/2015/06",
    "http://schemas.microsoft.com/3dmanufacturing/beamlattice/2017/02",
    "http://schemas.microsoft.com/3dmanufacturing/beamlattice/balls/2020/07",
    "http://schemas.microsoft.com/3dmanufacturing/slice/2015/07",
    "http://schemas.microsoft.com/3dmanufacturing/trianglesets/2021/07",
    /* of slicers, for themselves */
    "http://schemas.bambulab.com/package/2021",
    "http://schemas.slic3r.org/3mf/2017/06",
};

static const char *namespace_of(const struct threemf_reader *reader, const char *prefix)
{
    for (uint32_t i = reader->prefix_count; i-- > 0;)
        if (strcmp(reader->prefixes[i].prefix, prefix) == 0)
            return reader->prefixes[i].name;
    return NULL;
}

static bool is_known(const char *name)
{
    for (size_t i = 0; i < sizeof KNOWN / sizeof *KNOWN; i++)
        if (strcmp(KNOWN[i], name) == 0)
            return true;
    return false;
}

int threemf_check_extensions(struct threemf_reader *reader, const struct threemf_element *element)
{
    const char *at = threemf_get(element, NS_NONE, "requiredextensions");
    while (at != NULL && *(at += strspn(at, " \t\r\n")) != '\0') {
        const size_t size = strcspn(at, " \t\r\n");
        char prefix[PREFIX_BYTES];
        snprintf(prefix, sizeof prefix, "%.*s", size < sizeof prefix ? (int)size : (int)sizeof prefix - 1, at);
        const char *name = namespace_of(reader, prefix);
        if (name == NULL)
            return threemf_fail(element, ERR_UNSUPPORTED_EXTENSION,
                                "the file requires the extension '%s', for which it declares no namespace", prefix);
        if (!is_known(name))
            return threemf_fail(element, ERR_UNSUPPORTED_EXTENSION, "the file requires the extension '%s' (%.120s)",
                                prefix, name);
        at += size;
    }
    return 0;
}
