/* assimp_mdl.c - Half-Life models (version 10; studio.h of the Half-Life SDK): files that are a part of another model,
 * and textures with holes. */
#include "import/assimp/assimp.h"

#include "base/bytes.h"

#include <stdio.h>
#include <string.h>

enum {
    VERSION = 10,
    HEADER_BYTES = 244,
    BONES_AT = 140,
    TEXTURES_AT = 180, /* their number, and where their table is */
    BODYPARTS_AT = 204,
    TEXTURE_BYTES = 80, /* a name of 64, flags, width, height, where the texels are */
    FLAG_MASKED = 64,
    HOLE = 255, /* the texel that a masked texture does not show */
    FILE_NAME_SIZE = 1024,
    TGA_HEADER_BYTES = 18,
};

static bool is_half_life(const uint8_t *bytes, size_t size_bytes, const char *magic)
{
    return size_bytes >= HEADER_BYTES && memcmp(bytes, magic, 4) == 0 && get_u32(bytes + 4) == VERSION;
}

/* The file's name without the last `count` characters before its ending. */
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
    const uint8_t *bytes = import->bytes;
    if (import->size_bytes >= 8 && memcmp(bytes, "IDSQ", 4) == 0 && get_u32(bytes + 4) == VERSION)
        return part_error(import, "sequences", 2, err); /* name01.mdl */
    if (is_half_life(bytes, import->size_bytes, "IDST") && get_u32(bytes + BONES_AT) == 0 &&
        get_u32(bytes + BODYPARTS_AT) == 0 && get_u32(bytes + TEXTURES_AT) > 0)
        return part_error(import, "textures", 1, err); /* nameT.mdl */
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
    if (!is_half_life(*bytes, *size_bytes, "IDST"))
        return false;
    if (get_u32(*bytes + TEXTURES_AT) > 0)
        return true;
    for (const char *letter = "Tt"; *letter != '\0'; letter++) {
        snprintf(file, sizeof file, "%.*s%c%s", (int)(dot - name), name, *letter, dot);
        if (source_files_read(import->files, file, SOURCE_COMPANION, bytes, size_bytes, &err) == 0)
            return is_half_life(*bytes, *size_bytes, "IDST");
    }
    return false;
}

bool assimp_mdl_mask(const struct assimp_job *job, uint32_t index, uint8_t *tga, size_t tga_bytes)
{
    const uint8_t *bytes;
    size_t size;
    if (!assimp_is_format(job, "mdl") || !find_textures(job, &bytes, &size))
        return false;
    const uint64_t at = get_u32(bytes + TEXTURES_AT + 4) + (uint64_t)index * TEXTURE_BYTES;
    if (index >= get_u32(bytes + TEXTURES_AT) || at + TEXTURE_BYTES > size)
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
