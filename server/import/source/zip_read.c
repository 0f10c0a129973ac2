#include "import/source/zip_read.h"

#include "base/buf.h"
#include "base/hash.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>
#include <zip.h>

struct zip_reader {
    zip_t *zip;
    const struct limits *limits;
    uint64_t read_bytes; /* of all files so far */
    uint64_t salt;
};

struct zip_read_file {
    struct zip_reader *reader;
    zip_file_t *file;
};

struct zip_reader *zip_reader_new(const uint8_t *bytes, size_t size_bytes, const struct limits *limits, struct err *err)
{
    zip_error_t error;
    zip_error_init(&error);
    zip_source_t *source = zip_source_buffer_create(bytes, size_bytes, 0, &error);
    zip_t *zip = source == NULL ? NULL : zip_open_from_source(source, ZIP_RDONLY, &error);
    if (zip == NULL) {
        err_set(err, ERR_NOT_A_MODEL, "not a zip that can be read: %s", zip_error_strerror(&error));
        zip_source_free(source);
    }
    zip_error_fini(&error);
    if (zip == NULL)
        return NULL;
    const uint64_t most = limits->value[LIMIT_ARCHIVE_FILES];
    if ((uint64_t)zip_get_num_entries(zip, 0) > most) {
        err_set(err, ERR_MODEL_LIMIT, "the zip has more than %llu files", (unsigned long long)most);
        zip_discard(zip);
        return NULL;
    }
    struct zip_reader *reader = mem_alloc(sizeof *reader);
    *reader = (struct zip_reader){.zip = zip, .limits = limits, .salt = hash64(HASH64_SEED, bytes, size_bytes) | 1};
    return reader;
}

void zip_reader_free(struct zip_reader *reader)
{
    if (reader != NULL)
        zip_discard(reader->zip);
    free(reader);
}

uint64_t zip_reader_salt(const struct zip_reader *reader) { return reader->salt; }

int64_t zip_reader_find(const struct zip_reader *reader, const char *name)
{
    return zip_name_locate(reader->zip, name, ZIP_FL_NOCASE);
}

struct zip_read_file *zip_reader_open(struct zip_reader *reader, int64_t entry, struct err *err)
{
    zip_file_t *file = zip_fopen_index(reader->zip, (zip_uint64_t)entry, 0);
    if (file == NULL) {
        err_set(err, ERR_BAD_MODEL, "cannot be unpacked: %s", zip_strerror(reader->zip));
        return NULL;
    }
    struct zip_read_file *out = mem_alloc(sizeof *out);
    *out = (struct zip_read_file){.reader = reader, .file = file};
    return out;
}

int64_t zip_read_next(struct zip_read_file *file, void *out, size_t size_bytes, struct err *err)
{
    struct zip_reader *reader = file->reader;
    const zip_int64_t n = zip_fread(file->file, out, size_bytes);
    if (n < 0)
        return err_set(err, ERR_BAD_MODEL, "cannot be unpacked: %s", zip_file_strerror(file->file));
    reader->read_bytes += (uint64_t)n;
    if (reader->read_bytes > reader->limits->value[LIMIT_BAKED_BYTES])
        return err_set(err, ERR_MODEL_LIMIT, "the files in the zip are larger than %s",
                       LIMIT_TEXT(reader->limits, LIMIT_BAKED_BYTES));
    return n;
}

void zip_read_close(struct zip_read_file *file)
{
    zip_fclose(file->file);
    free(file);
}

uint8_t *zip_reader_load(struct zip_reader *reader, int64_t entry, size_t *size_bytes, struct err *err)
{
    struct zip_read_file *file = zip_reader_open(reader, entry, err);
    if (file == NULL)
        return NULL;
    struct buf buf;
    buf_init(&buf, (size_t)reader->limits->value[LIMIT_FILE_BYTES] + 1);
    char bytes[65536];
    int64_t n = zip_read_next(file, bytes, sizeof bytes, err);
    for (; n > 0 && !buf_failed(&buf); n = zip_read_next(file, bytes, sizeof bytes, err))
        buf_put(&buf, bytes, (size_t)n);
    zip_read_close(file);
    *size_bytes = buf.size_bytes;
    buf_put_char(&buf, '\0');
    if (n >= 0 && !buf_failed(&buf))
        return (uint8_t *)buf.data;
    if (n >= 0)
        err_set(err, ERR_MODEL_LIMIT, "is larger than %s", LIMIT_TEXT(reader->limits, LIMIT_FILE_BYTES));
    buf_fini(&buf);
    return NULL;
}
