/* collada_version.c - checks the version of a file: 1.4.0, 1.4.1 and 1.5.0 are supported. */
#include "import/collada/collada.h"

#include <string.h>

static bool starts_with(const char *text, const char *start)
{
    return text != NULL && strncmp(text, start, strlen(start)) == 0;
}

/* The schema's namespace counts if the version attribute is missing. */
int collada_version(const struct xml *xml, struct err *err)
{
    if (!xml_is(xml, 0, "COLLADA"))
        return err_set(err, ERR_NOT_A_MODEL, "the document's element is <%.100s>, not <COLLADA>",
                       xml->text + xml->elements[0].tag);
    const char *version = xml_get(xml, 0, "version"), *space = xml_get(xml, 0, "xmlns");
    if (starts_with(version, "1.4") || starts_with(version, "1.5"))
        return 0;
    if (version != NULL && version[0] != '\0')
        return err_set(err, ERR_BAD_MODEL,
                       "the file is COLLADA %.20s, of which 1.4.0, 1.4.1 and 1.5.0 are read: export it again as 1.4.1, "
                       "or as glTF",
                       version);
    if (space != NULL && strstr(space, "/2004/COLLADASchema") != NULL)
        return err_set(err, ERR_BAD_MODEL,
                       "the file is COLLADA 1.3 or older, of which 1.4.0, 1.4.1 and 1.5.0 are read: export it again as "
                       "1.4.1, or as glTF");
    return 0;
}
