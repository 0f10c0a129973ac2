/* assimp_mdl.c - Half-Life models (version 10; studio.h of the Half-Life SDK): finds files that are part of another
 * model, and masks textures with transparent texels. */
#include "import/assimp/assimp.h"

#include "base/bytes.h"
#include "base/half_life.h"

#include <stdio.h>
#include <string.h>

enum {
    TEXTURE_BYTES = 80, /* a name of 64, flags, width, height, where the texels are */
    FLAG_MASKED = 64,
    HOLE = 255, /* the texel that a masked texture does not show */
    FILE_NAME_SIZE = 1024,
    TGA_HEADER_BYTES = 18,
};

/* Whether the file has a header as a model's. */
static bool has_header(const uint8_t *bytes, size_t size_bytes)
{
    const enum half_life_part part = half_life_part_of(bytes, size_bytes);
    return part == HALF_LIFE_MODEL || part == HALF_LIFE_TEXTURES;
}

/* The file's name without the last `count` characters before its extension. */
static int part_error(const struct import *import, const char *what, size_t count, struct err *err)
{
    const char *name = import_file_name(import), *dot = strrchr(name, '.');
    const size_t stem = (size_t)(dot - name);
    if (stem <= count)
        return err_set(err, ERR_NOT_A_MODEL, "the %s of a Half-Life model, which lie in a file of their own", what);
    return err_set(err, ERR_NOT_A_MODEL,
                   "the %s of a Half-Life model, which lie in a file of their own: ask for '%.*s%s'", what,
                   (int)(stem - count), name, dot);
}

int assimp_mdl_check(const struct import *import, struct err *err)
{
    const enum half_life_part part = half_life_part_of(import->bytes, import->size_bytes);
    if (part == HALF_LIFE_SEQUENCES)
        return part_error(import, "sequences", half_life_suffix_bytes(part), err);
    if (part == HALF_LIFE_TEXTURES)
        return part_error(import, "textures", half_life_suffix_bytes(part), err);
    return 0;
}

/* The file that has the textures: the model itself, or where that has none, nameT.mdl beside it. */
static bool find_textures(const struct assimp_job *job, const uint8_t **bytes, size_t *size_bytes)
{
    struct import *import = job->import;
    const char *name = import_file_name(import), *dot = strrchr(name, '.');
    char file[FILE_NAME_SIZE];
    struct err err = {0};
    *bytes = import->bytes;
    *size_bytes = import->size_bytes;
    if (!has_header(*bytes, *size_bytes))
        return false;
    if (get_u32(*bytes + HALF_LIFE_TEXTURES_AT) > 0)
        return true;
    for (const char *letter = "Tt"; *letter != '\0'; letter++) {
        snprintf(file, sizeof file, "%.*s%c%s", (int)(dot - name), name, *letter, dot);
        if (source_files_read(import->files, file, SOURCE_COMPANION, bytes, size_bytes, &err) == 0)
            return has_header(*bytes, *size_bytes);
    }
    return false;
}

bool assimp_mdl_mask(const struct assimp_job *job, uint32_t index, uint8_t *tga, size_t tga_bytes)
{
    const uint8_t *bytes;
    size_t size;
    if (!assimp_is_format(job, "mdl") || !find_textures(job, &bytes, &size))
        return false;
    const uint64_t at = get_u32(bytes + HALF_LIFE_TEXTURES_AT + 4) + (uint64_t)index * TEXTURE_BYTES;
    if (index >= get_u32(bytes + HALF_LIFE_TEXTURES_AT) || at + TEXTURE_BYTES > size)
        return false;
    const uint8_t *row = bytes + at + 64;
    const uint64_t texels = (uint64_t)get_u32(row + 4) * get_u32(row + 8), first = get_u32(row + 12);
    if ((get_u32(row) & FLAG_MASKED) == 0 || first > size || texels > size - first ||
        texels * 4 + TGA_HEADER_BYTES != tga_bytes)
        return false;
    for (size_t i = 0; i < texels; i++)
        if (bytes[first + i] == HOLE)
            tga[TGA_HEADER_BYTES + 4 * i + 3] = 0;
    return true;
}
