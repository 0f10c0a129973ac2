/* ogre_lookup.c - names of submeshes for the model and for messages, and the geometry of a submesh. */
#include "import/ogre/ogre.h"

#include <stdio.h>

struct str ogre_put_text(const struct ogre *ogre, struct ogre_text text)
{
    return bake_text(ogre->builder, text.text, text.size_bytes);
}

const char *ogre_where(const struct ogre *ogre, uint32_t submesh, char out[OGRE_WHERE_SIZE])
{
    const struct ogre_text name = ogre->mesh.submeshes[submesh].name;
    const int size = name.size_bytes < 60 ? (int)name.size_bytes : 60;
    snprintf(out, OGRE_WHERE_SIZE, size > 0 ? "submesh %u '%.*s'" : "submesh %u%.*s", submesh, size,
             size > 0 ? name.text : "");
    return out;
}

const struct ogre_geometry *ogre_geometry_of(const struct ogre *ogre, uint32_t submesh)
{
    const struct ogre_submesh *from = &ogre->mesh.submeshes[submesh];
    return from->is_shared ? &ogre->mesh.shared : &from->geometry;
}

bool ogre_is_target_of(const struct ogre *ogre, uint16_t target, uint32_t submesh)
{
    return ogre->mesh.submeshes[submesh].is_shared ? target == 0 : target == submesh + 1;
}
