/* zip_unpack.c - checks each entry of a zip and appends its bytes to the archive. */
#include "import/source/import.h"

#include "base/utf8.h"
#include "worker/archive.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <zip.h>

enum { PATH_BYTES_MAX = 1024, PART_BYTES_MAX = 255 };
enum { FILE_TYPE_SHIFT = 16, FILE_TYPE_MASK = 0170000, FILE_TYPE_REGULAR = 0100000, FILE_TYPE_FOLDER = 0040000 };

struct zip_unpacker {
    const struct import *import;
    zip_t *zip;
    struct buf names, entries, data;
    uint32_t count;
};

bool zip_unpack_is_zip(const char *path)
{
    const size_t bytes = strlen(path);
    return bytes > 4 && strcasecmp(path + bytes - 4, ".zip") == 0;
}

static int bad(const char *name, const char *why, struct err *err)
{
    return err_set(err, ERR_BAD_MODEL, "entry '%.200s' %s", name, why);
}

/* Describes the fault in the path of an entry, or returns NULL. The code that writes the file checks the depth of its
 * folders. */
static const char *fault_of_path(const char *path)
{
    const size_t bytes = strlen(path);
    if (bytes > PATH_BYTES_MAX)
        return "has a name that is too long";
    if (path[0] == '/' || (bytes > 1 && path[1] == ':'))
        return "has an absolute name";
    if (!utf8_is_valid(path, bytes))
        return "has a name that is not UTF-8";
    for (const char *part = path;; part++) {
        const size_t part_bytes = strcspn(part, "/");
        if (part_bytes == 0)
            return "has a name with an empty part";
        if (part_bytes == 2 && part[0] == '.' && part[1] == '.')
            return "leads outside by '..'";
        if (part_bytes > PART_BYTES_MAX)
            return "has a name with a part that is too long";
        part += part_bytes;
        if (*part == '\0')
            return NULL;
    }
}

/* Hidden files are metadata of the system that made the zip. */
static bool is_left_out(const char *path)
{
    if (strncmp(path, "__MACOSX/", 9) == 0 || path[strlen(path) - 1] == '/')
        return true;
    for (const char *part = path; part != NULL; part = strchr(part, '/') == NULL ? NULL : strchr(part, '/') + 1)
        if (part[0] == '.' && strncmp(part, "../", 3) != 0 && strcmp(part, "..") != 0)
            return true;
    return false;
}

static bool is_regular(zip_t *zip, zip_uint64_t index)
{
    zip_uint8_t system;
    zip_uint32_t attributes;
    if (zip_file_get_external_attributes(zip, index, 0, &system, &attributes) != 0 || system != ZIP_OPSYS_UNIX)
        return true;
    const zip_uint32_t type = (attributes >> FILE_TYPE_SHIFT) & FILE_TYPE_MASK;
    return type == 0 || type == FILE_TYPE_REGULAR || type == FILE_TYPE_FOLDER;
}

static bool is_known(const struct zip_unpacker *unpacking, const char *path)
{
    const struct archive_entry *entries = (const struct archive_entry *)(const void *)unpacking->entries.data;
    const size_t bytes = strlen(path);
    for (uint32_t i = 0; i < unpacking->count; i++)
        if (entries[i].name_bytes == bytes && memcmp(unpacking->names.data + entries[i].name_offset, path, bytes) == 0)
            return true;
    return false;
}

static int too_much(const struct zip_unpacker *unpacking, struct err *err)
{
    return err_set(err, ERR_MODEL_LIMIT, "its files are larger than %s",
                   LIMIT_TEXT(unpacking->import->limits, LIMIT_BAKED_BYTES));
}

/* The sizes that a zip declares are not trusted: the limit of the buffer bounds the bytes that are decompressed. */
static int read_data(struct zip_unpacker *unpacking, zip_uint64_t index, const char *path, struct err *err)
{
    zip_file_t *file = zip_fopen_index(unpacking->zip, index, 0);
    if (file == NULL)
        return bad(path, zip_strerror(unpacking->zip), err);
    char bytes[65536];
    zip_int64_t n = zip_fread(file, bytes, sizeof bytes);
    for (; n > 0 && !buf_failed(&unpacking->data); n = zip_fread(file, bytes, sizeof bytes))
        buf_put(&unpacking->data, bytes, (size_t)n);
    const int rc = buf_failed(&unpacking->data) ? too_much(unpacking, err)
                   : n < 0                      ? bad(path, zip_file_strerror(file), err)
                                                : 0;
    zip_fclose(file);
    return rc;
}

static int unpack_entry(struct zip_unpacker *unpacking, zip_uint64_t index, struct err *err)
{
    zip_stat_t stat;
    char path[PATH_BYTES_MAX + 2];
    const char *name = zip_get_name(unpacking->zip, index, ZIP_FL_ENC_GUESS);
    if (name == NULL || name[0] == '\0' || zip_stat_index(unpacking->zip, index, 0, &stat) != 0)
        return bad("?", "cannot be read", err);
    strncpy(path, name, sizeof path - 1);
    path[sizeof path - 1] = '\0';
    for (char *c = path; *c != '\0'; c++)
        *c = *c == '\\' ? '/' : *c;
    if (is_left_out(path))
        return 0;
    const char *fault = fault_of_path(path);
    if (fault == NULL && !is_regular(unpacking->zip, index))
        fault = "is a link or a device";
    if (fault == NULL && (stat.valid & ZIP_STAT_ENCRYPTION_METHOD) != 0 && stat.encryption_method != ZIP_EM_NONE)
        fault = "is encrypted";
    if (fault == NULL && is_known(unpacking, path))
        fault = "is there twice";
    if (fault != NULL)
        return bad(path, fault, err);
    const uint64_t files_max = unpacking->import->limits->value[LIMIT_ARCHIVE_FILES];
    if (unpacking->count >= files_max)
        return err_set(err, ERR_MODEL_LIMIT, "it has more than %llu files", (unsigned long long)files_max);
    const uint64_t data_offset = unpacking->data.size_bytes;
    if (read_data(unpacking, index, path, err) < 0)
        return err->code;
    const struct archive_entry entry = {
        .name_offset = (uint32_t)unpacking->names.size_bytes,
        .name_bytes = (uint32_t)strlen(path),
        .data_offset = data_offset,
        .size_bytes = unpacking->data.size_bytes - data_offset,
    };
    buf_put(&unpacking->entries, &entry, sizeof entry);
    buf_put_text(&unpacking->names, path);
    unpacking->count++;
    return 0;
}

static int unpack_all(struct zip_unpacker *unpacking, struct buf *out, struct err *err)
{
    const zip_int64_t total = zip_get_num_entries(unpacking->zip, 0);
    for (zip_int64_t i = 0; i < total; i++)
        if (unpack_entry(unpacking, (zip_uint64_t)i, err) < 0)
            return err->code;
    if (unpacking->count == 0)
        return err_set(err, ERR_NOT_A_MODEL, "the zip has no files");
    struct archive_header header = {
        .count = unpacking->count,
        .names_bytes = (uint32_t)unpacking->names.size_bytes,
        .data_bytes = unpacking->data.size_bytes,
    };
    memcpy(header.magic, ARCHIVE_MAGIC, sizeof header.magic);
    buf_put(out, &header, sizeof header);
    buf_put(out, unpacking->entries.data, unpacking->entries.size_bytes);
    buf_put(out, unpacking->names.data, unpacking->names.size_bytes);
    buf_put(out, unpacking->data.data, unpacking->data.size_bytes);
    return buf_failed(out) ? too_much(unpacking, err) : 0;
}

static zip_t *open_zip(const struct import *import, struct err *err)
{
    zip_error_t error;
    zip_error_init(&error);
    zip_source_t *source = zip_source_buffer_create(import->bytes, import->size_bytes, 0, &error);
    zip_t *zip = source == NULL ? NULL : zip_open_from_source(source, ZIP_RDONLY | ZIP_CHECKCONS, &error);
    if (zip == NULL) {
        err_set(err, ERR_NOT_A_MODEL, "not a zip that can be read: %s", zip_error_strerror(&error));
        zip_source_free(source);
    }
    zip_error_fini(&error);
    return zip;
}

int zip_unpack(const struct import *import, struct buf *out, struct err *err)
{
    struct zip_unpacker unpacking = {.import = import, .zip = open_zip(import, err)};
    if (unpacking.zip == NULL)
        return err->code;
    buf_init(&unpacking.names, (size_t)1 << 26);
    buf_init(&unpacking.entries, (size_t)1 << 26);
    buf_init(&unpacking.data, (size_t)import->limits->value[LIMIT_BAKED_BYTES]);
    const int rc = unpack_all(&unpacking, out, err);
    buf_fini(&unpacking.names);
    buf_fini(&unpacking.entries);
    buf_fini(&unpacking.data);
    zip_discard(unpacking.zip);
    return rc;
}
