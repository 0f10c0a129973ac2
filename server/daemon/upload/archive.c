/* archive.c - checks the bytes of an unpacked zip, and finds its model. */
#include "daemon/upload/archive.h"

#include "base/utf8.h"
#include "base/file_formats.h"
#include "daemon/model/root.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { COUNT_MAX = 1 << 20 };

static int damaged(const char *why, struct err *err)
{
    return err_set(err, ERR_BAD_BAKE, "the unpacked files are damaged: %s", why);
}

static bool is_path(const char *name, size_t size_bytes)
{
    if (size_bytes == 0 || size_bytes >= ARCHIVE_PATH_SIZE || memchr(name, '\0', size_bytes) != NULL ||
        !utf8_is_valid(name, size_bytes))
        return false;
    for (size_t i = 0; i < size_bytes; i++)
        if ((i == 0 || name[i - 1] == '/') && (name[i] == '/' || name[i] == '.'))
            return false;
    return name[size_bytes - 1] != '/';
}

int archive_check(const void *bytes, size_t size_bytes, struct archive *out, struct err *err)
{
    struct archive_header header;
    if (size_bytes < sizeof header)
        return damaged("no header", err);
    memcpy(&header, bytes, sizeof header);
    if (memcmp(header.magic, ARCHIVE_MAGIC, sizeof header.magic) != 0 || header.count == 0 || header.count > COUNT_MAX)
        return damaged("a wrong header", err);
    const uint64_t entries_bytes = (uint64_t)header.count * sizeof(struct archive_entry);
    uint64_t rest = size_bytes - sizeof header;
    if (entries_bytes > rest || header.names_bytes > rest - entries_bytes ||
        header.data_bytes != rest - entries_bytes - header.names_bytes)
        return damaged("sizes that do not add up", err);
    const char *at = (const char *)bytes + sizeof header;
    *out = (struct archive){
        .entries = (const struct archive_entry *)(const void *)at,
        .count = header.count,
        .names = at + entries_bytes,
        .data = at + entries_bytes + header.names_bytes,
    };
    uint64_t names_end = 0, data_end = 0;
    for (uint32_t i = 0; i < header.count; i++) {
        const struct archive_entry *entry = &out->entries[i];
        if (entry->name_offset != names_end || entry->name_bytes > header.names_bytes - names_end ||
            entry->data_offset != data_end || entry->size_bytes > header.data_bytes - data_end)
            return damaged("an entry that lies elsewhere", err);
        if (!is_path(out->names + entry->name_offset, entry->name_bytes))
            return damaged("a name that is no path", err);
        names_end += entry->name_bytes;
        data_end += entry->size_bytes;
    }
    return names_end == header.names_bytes && data_end == header.data_bytes ? 0 : damaged("bytes of no entry", err);
}

void archive_path(const struct archive *archive, uint32_t index, char out[ARCHIVE_PATH_SIZE])
{
    const struct archive_entry *entry = &archive->entries[index];
    memcpy(out, archive->names + entry->name_offset, entry->name_bytes);
    out[entry->name_bytes] = '\0';
}

static bool has_stem(const char *path, const char *stem)
{
    const char *base = basename(path);
    const size_t bytes = strlen(stem);
    return strncmp(base, stem, bytes) == 0 && base[bytes] == '.' && strchr(base + bytes + 1, '.') == NULL;
}

int archive_find_model(const struct archive *archive, const char *stem, struct err *err)
{
    char path[ARCHIVE_PATH_SIZE], list[256] = "";
    unsigned least = UINT32_MAX, count = 0, named_count = 0;
    int found = -1, named = -1;
    for (uint32_t i = 0; i < archive->count; i++) {
        archive_path(archive, i, path);
        const unsigned depth = root_folders_of(path);
        const struct file_format *format = file_format_of(path);
        if (format == NULL || format->companion_of[0] != '\0' || depth > least)
            continue;
        if (depth < least) {
            least = depth;
            count = named_count = 0;
            list[0] = '\0';
        }
        const size_t at = strlen(list);
        snprintf(list + at, sizeof list - at, "%s%.100s", count == 0 ? "" : ", ", path);
        found = (int)i;
        count++;
        if (has_stem(path, stem)) {
            named = (int)i;
            named_count++;
        }
    }
    if (count == 1)
        return found;
    if (named_count == 1)
        return named;
    if (count == 0)
        return err_set(err, ERR_UNKNOWN_FORMAT,
                       "none of its files has an extension that an importer knows; see /v1/formats");
    return err_set(err, ERR_AMBIGUOUS_NAME, "it has several models, %s; call the zip as the one that is meant", list);
}
