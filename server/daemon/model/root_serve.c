/* What importers ask for: one file, or the names of a folder. */
#include "daemon/model/root.h"

#include "base/buf.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <unistd.h>

enum { NAMES_BYTES_MAX = 1 << 20 };

static void put_stamp(const struct stat *stat, struct import_file_reply *reply)
{
    const struct stamp stamp = stamp_of(stat);
    reply->size_bytes = stamp.size_bytes;
    reply->mtime_ns = stamp.mtime_ns;
    reply->ctime_ns = stamp.ctime_ns;
    reply->inode = stamp.inode;
}

static int refuse(struct import_file_reply *reply, int error)
{
    reply->error = error != 0 ? error : EIO;
    return -1;
}

/* What is there, before anything is opened; a file that may not be read has a stamp too. Returns 0 or an errno. */
static int look(int root_fd, const char *path, struct import_file_reply *reply)
{
    struct stat stat;
    const int fd = root_open_beneath(root_fd, path, O_PATH);
    if (fd < 0)
        return errno;
    const int error = fstat(fd, &stat) == 0 ? 0 : errno;
    close(fd);
    if (error != 0)
        return error;
    put_stamp(&stat, reply);
    return S_ISREG(stat.st_mode) ? 0 : S_ISLNK(stat.st_mode) ? ELOOP : ENXIO;
}

static int open_file(int root_fd, const char *path, struct import_file_reply *reply)
{
    int error = look(root_fd, path, reply);
    if (error != 0)
        return refuse(reply, error);
    struct stat stat;
    const int fd = root_open_beneath(root_fd, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return refuse(reply, errno);
    /* it may have been exchanged since */
    error = fstat(fd, &stat) != 0 ? errno : !S_ISREG(stat.st_mode) ? ENXIO : 0;
    if (error != 0) {
        close(fd);
        return refuse(reply, error);
    }
    put_stamp(&stat, reply);
    return fd;
}

static bool ends_with(const char *name, const char *suffix)
{
    const size_t name_size = strlen(name), suffix_size = strlen(suffix);
    return name_size >= suffix_size && strcasecmp(name + name_size - suffix_size, suffix) == 0;
}

static void put_names(DIR *dir, const char *suffix, struct buf *out)
{
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
        if (entry->d_name[0] != '.' && ends_with(entry->d_name, suffix))
            buf_put(out, entry->d_name, strlen(entry->d_name) + 1);
}

static int memory_file(const struct buf *bytes)
{
    const int fd = memfd_create("posed-names", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0)
        return -1;
    if ((bytes->size_bytes > 0 && write(fd, bytes->data, bytes->size_bytes) != (ssize_t)bytes->size_bytes) ||
        lseek(fd, 0, SEEK_SET) != 0 ||
        fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

static int list_folder(int root_fd, const char *path, const char *suffix, struct import_file_reply *reply)
{
    struct stat stat;
    const int folder = root_open_folder(root_fd, path);
    if (folder < 0)
        return refuse(reply, errno);
    DIR *dir = fstat(folder, &stat) == 0 ? fdopendir(folder) : NULL;
    if (dir == NULL) {
        const int error = errno;
        close(folder);
        return refuse(reply, error);
    }
    struct buf names;
    buf_init(&names, NAMES_BYTES_MAX);
    put_stamp(&stat, reply); /* before the names are read, so that a change in between shows */
    put_names(dir, suffix, &names);
    closedir(dir);
    const int fd = memory_file(&names);
    reply->names_bytes = names.size_bytes;
    buf_fini(&names);
    return fd >= 0 ? fd : refuse(reply, errno);
}

int root_serve(int root_fd, const struct import_file_request *request, struct import_file_reply *reply)
{
    *reply = (struct import_file_reply){.magic = IMPORT_FILES_MAGIC};
    return request->kind == IMPORT_FILE_LIST ? list_folder(root_fd, request->path, request->suffix, reply)
                                             : open_file(root_fd, request->path, reply);
}
