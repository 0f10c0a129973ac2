/* upload_unpack.c - writes the files of a checked archive into an upload's stage. */
#include "daemon/upload/upload_unpack.h"

#include "daemon/model/file_access.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int write_file(const struct upload_stage *stage, const char *stem, const struct archive *archive, uint32_t index,
                      struct err *err)
{
    char path[ARCHIVE_PATH_SIZE], full[ARCHIVE_PATH_SIZE + NAME_MAX + 2];
    archive_path(archive, index, path);
    snprintf(full, sizeof full, "%s/%s", stem, path);
    const int fd = upload_stage_create(stage, full, err);
    if (fd == ERR_CONFLICT)
        return err_set(err, ERR_BAD_MODEL, "entry '%.200s' is where another needs a folder, or is there twice", path);
    if (fd < 0)
        return fd;
    const struct archive_entry *entry = &archive->entries[index];
    const int rc = upload_write(fd, archive->data + entry->data_offset, entry->size_bytes, err);
    close(fd);
    return rc;
}

/* The file that marks the folder as one that came as a zip: no entry can have this name. */
static int write_mark(const struct upload_stage *stage, const char *stem, struct err *err)
{
    char path[NAME_MAX + sizeof FILE_ACCESS_MARK + 1];
    snprintf(path, sizeof path, "%s/" FILE_ACCESS_MARK, stem);
    const int fd = upload_stage_create(stage, path, err);
    if (fd < 0)
        return fd;
    close(fd);
    return 0;
}

/* All of them, before the first one is written. */
static int check_paths(const struct upload_store *store, const char *target, const struct archive *archive,
                       struct err *err)
{
    char path[ARCHIVE_PATH_SIZE];
    for (uint32_t i = 0; i < archive->count; i++) {
        archive_path(archive, i, path);
        if (upload_store_check(store, target, path, err) < 0)
            return err->code = ERR_BAD_MODEL; /* the client's name is a good one */
    }
    return 0;
}

static int write_files(const struct upload_store *store, const struct upload_stage *stage, const char *target,
                       const struct archive *archive, char model_path[ARCHIVE_PATH_SIZE], struct err *err)
{
    const char *stem = basename(target);
    const int model = archive_find_model(archive, stem, err);
    if (model < 0)
        return model;
    archive_path(archive, (uint32_t)model, model_path);
    if (check_paths(store, target, archive, err) < 0)
        return err->code;
    for (uint32_t i = 0; i < archive->count; i++)
        if (write_file(stage, stem, archive, i, err) < 0)
            return err->code;
    return write_mark(stage, stem, err) < 0 ? err->code : upload_sync_all(stage, err);
}

int upload_unpack(const struct upload_store *store, const struct upload_stage *stage, int archive_fd,
                  const char *target, char model_path[ARCHIVE_PATH_SIZE], struct err *err)
{
    struct stat stat;
    if (fstat(archive_fd, &stat) != 0 || stat.st_size <= 0)
        return err_set(err, ERR_BAD_BAKE, "the unpacked files are damaged: there are none");
    const size_t size_bytes = (size_t)stat.st_size;
    void *bytes = mmap(NULL, size_bytes, PROT_READ, MAP_SHARED, archive_fd, 0);
    if (bytes == MAP_FAILED)
        return err_set(err, ERR_NO_MEMORY, "no memory for the unpacked files: %s", strerror(errno));
    struct archive archive;
    int rc = archive_check(bytes, size_bytes, &archive, err);
    if (rc == 0)
        rc = write_files(store, stage, target, &archive, model_path, err);
    munmap(bytes, size_bytes);
    return rc;
}
