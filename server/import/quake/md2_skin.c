/* md2_skin.c - finds the picture of an MD2 model. The file names pictures by their paths in the game, but they usually
 * lie beside the model, often in another image format. */
#include "import/quake/md2.h"
#include "import/source/source_path.h"
#include "import/source/source_search.h"
#include "import/texture/texture.h"

#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 1024, SKINS_MAX = 32 };

/* Whether the file search finds the picture; an empty name never matches. */
static bool is_there(struct md2 *md2, const char *file)
{
    const char *const texts[] = {"", file};
    return source_search_best(md2->import, texts, 2, SOURCE_TEXTURE) == 1;
}

/* Finds a picture with this stem and any image extension. */
static bool find_stem(struct md2 *md2, const char *stem, size_t size_bytes, char out[NAME_SIZE])
{
    static const char *const EXTENSIONS[] = {"pcx", "png", "tga", "jpg", "jpeg", "bmp"};
    for (size_t i = 0; i < sizeof EXTENSIONS / sizeof *EXTENSIONS; i++) {
        snprintf(out, NAME_SIZE, "%.*s.%s", (int)size_bytes, stem, EXTENSIONS[i]);
        if (is_there(md2, out))
            return true;
    }
    return false;
}

/* Finds the picture of a skin name, also with other extensions. */
static bool find_skin(struct md2 *md2, const char *name, char out[NAME_SIZE])
{
    const char *base = source_path_base_name(name), *dot = strrchr(base, '.');
    snprintf(out, NAME_SIZE, "%s", name);
    if (is_there(md2, out))
        return true;
    return base[0] != '\0' && find_stem(md2, base, dot != NULL ? (size_t)(dot - base) : strlen(base), out);
}

/* Fills `out` with the first skin whose file exists, else with the picture of the model's own name, else with the first
 * skin's name. Returns false if the model names no skin and no picture exists. */
static bool find_picture(struct md2 *md2, char out[NAME_SIZE])
{
    const char *file = import_file_name(md2->import), *dot = strrchr(file, '.');
    char name[MD2_SKIN_NAME_BYTES + 1] = "", first[MD2_SKIN_NAME_BYTES + 1] = "";
    for (uint32_t s = 0; s < md2->file.skin_count && s < SKINS_MAX; s++) {
        memcpy(name, md2->file.skins + MD2_SKIN_NAME_BYTES * (size_t)s, MD2_SKIN_NAME_BYTES);
        if (name[0] == '\0')
            continue;
        if (find_skin(md2, name, out))
            return true;
        if (first[0] == '\0')
            memcpy(first, name, sizeof first);
    }
    if (find_stem(md2, file, (size_t)(dot - file), out))
        return true;
    snprintf(out, NAME_SIZE, "%s", first);
    return first[0] != '\0';
}

int md2_read_material(struct md2 *md2, struct err *err)
{
    struct material material = MATERIAL_PLAIN;
    char uri[NAME_SIZE];
    material.name = bake_textz(md2->import->builder, "skin");
    if (find_picture(md2, uri)) {
        const int texture = texture_add(md2->import, &(struct texture_request){.uri = uri}, err);
        if (texture < 0)
            return texture;
        material.textures[TEXTURE_BASE_COLOR].texture = texture;
    }
    return import_put_material(md2->import, &material, err);
}
