/* formats.c - looks for the magic of a format in the bytes of a file. */
#include "import/source/import.h"

#include <string.h>

enum { SEARCHED_BYTES = 65536 };

bool format_is_lfs_pointer(const uint8_t *bytes, size_t size_bytes)
{
    static const char START[] = "version https://git-lfs.github.com/spec/";
    return size_bytes >= sizeof START - 1 && memcmp(bytes, START, sizeof START - 1) == 0;
}

/* Locale-free: the formats' white space and letters are ASCII. */
static bool is_space(uint8_t c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
static uint8_t lower(uint8_t c) { return c >= 'A' && c <= 'Z' ? (uint8_t)(c + 'a' - 'A') : c; }

static size_t skip_space(const uint8_t *bytes, size_t size_bytes)
{
    size_t at = 0;
    if (size_bytes >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0)
        at = 3;
    while (at < size_bytes && is_space(bytes[at]))
        at++;
    return at;
}

static bool starts_with(const uint8_t *bytes, size_t size_bytes, const char *text, size_t length)
{
    return size_bytes >= length && memcmp(bytes, text, length) == 0;
}

static bool starts_with_nocase(const uint8_t *bytes, size_t size_bytes, const char *text, size_t length)
{
    if (size_bytes < length)
        return false;
    for (size_t i = 0; i < length; i++)
        if (lower(bytes[i]) != lower((uint8_t)text[i]))
            return false;
    return true;
}

/* Skips NUL bytes, so that it also finds UTF-16 text. */
static bool contains(const uint8_t *bytes, size_t size_bytes, const char *text, size_t length)
{
    uint8_t squeezed[SEARCHED_BYTES];
    size_t count = 0;
    for (size_t i = 0; i < size_bytes && i < SEARCHED_BYTES; i++)
        if (bytes[i] != 0)
            squeezed[count++] = bytes[i];
    for (size_t i = 0; i + length <= count; i++)
        if (starts_with_nocase(squeezed + i, count - i, text, length))
            return true;
    return false;
}

static bool matches(const uint8_t *bytes, size_t size_bytes, const char *form, size_t length)
{
    if (length > 0 && form[0] == '?')
        return contains(bytes, size_bytes, form + 1, length - 1);
    if (length > 0 && form[0] == '~') {
        const size_t at = skip_space(bytes, size_bytes);
        return starts_with_nocase(bytes + at, size_bytes - at, form + 1, length - 1);
    }
    return starts_with(bytes, size_bytes, form, length);
}

/* Godot's meshes have the extension of Ogre's. They are binary, compressed or text. */
static bool is_of_godot(const uint8_t *bytes, size_t size_bytes)
{
    static const char *const STARTS[] = {"RSRC", "RSCC", "~[gd_resource"};
    for (size_t i = 0; i < sizeof STARTS / sizeof *STARTS; i++)
        if (matches(bytes, size_bytes, STARTS[i], strlen(STARTS[i])))
            return true;
    return false;
}

int format_check(const struct file_format *format, const uint8_t *bytes, size_t size_bytes, struct err *err)
{
    if (size_bytes == 0)
        return err_set(err, ERR_EMPTY_FILE, "the file is empty: it has no bytes");
    if (skip_space(bytes, size_bytes) == size_bytes)
        return err_set(err, ERR_EMPTY_FILE, "the file is empty: it holds only white space");
    if (format_is_lfs_pointer(bytes, size_bytes))
        return err_set(err, ERR_LFS_POINTER, "this is a Git LFS pointer, not the model; fetch it with 'git lfs pull'");
    if (format->magic[0] == '\0')
        return 0;
    for (const char *form = format->magic;;) {
        const size_t length = strcspn(form, "|");
        if (matches(bytes, size_bytes, form, length))
            return 0;
        if (form[length] == '\0')
            break;
        form += length + 1;
    }
    if (format->reader == READER_OGRE && is_of_godot(bytes, size_bytes))
        return err_set(err, ERR_UNSUPPORTED_FILE,
                       "this is a resource of Godot, which is not read: export the scene from Godot as glTF (.glb)");
    return err_set(err, ERR_NOT_A_MODEL, "the extension '.%s' says %s, but the content is not that", format->extension,
                   format->name);
}
