/* remove_tree.c - removes a folder of any depth in constant memory: moves nonempty folders up and empties them
 * there. */
#include "daemon/upload/remove_tree.h"
#include "daemon/support/fd.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_SIZE = sizeof((struct dirent *)0)->d_name, MOVE_TRIES = 8 };

struct removal {
    int top_fd;          /* of the folder to remove */
    uint64_t next;       /* a name in it that nothing has */
    bool has_progressed; /* something was removed or moved since the top was last read from its start */
    int error;           /* since then: the first errno and its name, "" for a moved folder */
    char culprit[NAME_SIZE];
};

static void fail(struct removal *removal, const char *name)
{
    if (removal->error != 0)
        return;
    removal->error = errno;
    memcpy(removal->culprit, name, strlen(name) + 1);
}

static bool is_dots(const char *name) { return strcmp(name, ".") == 0 || strcmp(name, "..") == 0; }

int remove_tree_open_up(int above_fd, const char *name)
{
    const int fd = openat(above_fd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return -1;
    char path[32]; /* a descriptor that may not be read takes no fchmod() */
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    const int rc = chmod(path, S_IRWXU);
    fd_close(fd);
    return rc;
}

/* A descriptor, or -1 and errno. */
static int open_folder(int above_fd, const char *name)
{
    enum { FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };
    const int fd = openat(above_fd, name, FLAGS);
    if (fd >= 0 || errno != EACCES || remove_tree_open_up(above_fd, name) != 0)
        return fd;
    return openat(above_fd, name, FLAGS);
}

/* Takes the descriptor. */
static DIR *read_folder(int fd)
{
    struct stat stat;
    if (fd < 0)
        return NULL;
    if (fstat(fd, &stat) == 0 && (stat.st_mode & S_IRWXU) != S_IRWXU)
        fchmod(fd, S_IRWXU); /* if it fails, the operation that needs it reports an error */
    return fd_open_names(fd);
}

/* True when it is gone. False and ENOTEMPTY: a folder with something in it. */
static bool remove_entry(int folder_fd, const char *name, unsigned char type)
{
    int error = 0;
    if (type != DT_DIR) {
        if (unlinkat(folder_fd, name, 0) == 0 || errno == ENOENT)
            return true;
        error = errno;
        if (error != EISDIR && error != EPERM) /* POSIX specifies EPERM for folders */
            return false;
    }
    if (unlinkat(folder_fd, name, AT_REMOVEDIR) == 0 || errno == ENOENT)
        return true;
    if (errno == EEXIST)
        errno = ENOTEMPTY;
    else if (errno == ENOTDIR && error != 0)
        errno = error;
    return false;
}

static bool move_up(struct removal *removal, int folder_fd, const char *name, char moved[NAME_SIZE])
{
    for (int i = 0; i < MOVE_TRIES; i++) {
        snprintf(moved, NAME_SIZE, "%016" PRIx64, removal->next++);
        if (renameat(folder_fd, name, removal->top_fd, moved) == 0)
            return true;
        if (errno == EACCES ? remove_tree_open_up(folder_fd, name) != 0
                            : errno != EEXIST && errno != ENOTEMPTY && errno != ENOTDIR)
            break;
    }
    return false;
}

/* Empties a folder in the top one; moves nonempty folders to the top one, the last of them is `moved`. Returns true if
 * anything changed. */
static bool clear(struct removal *removal, DIR *dir, char moved[NAME_SIZE])
{
    bool has_progressed = false;
    rewinddir(dir);
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        char name[NAME_SIZE];
        if (is_dots(entry->d_name))
            continue;
        if (remove_entry(dirfd(dir), entry->d_name, entry->d_type)) {
            has_progressed = true;
        } else if (errno == ENOTEMPTY && move_up(removal, dirfd(dir), entry->d_name, name)) {
            has_progressed = true;
            memcpy(moved, name, sizeof name);
        } else {
            fail(removal, entry->d_name);
        }
    }
    removal->has_progressed |= has_progressed;
    return has_progressed;
}

/* Removes a nonempty folder in the top one, and continues with a folder that was moved up from it, so that a long chain
 * needs only one reading of the top folder. */
static void remove_chain(struct removal *removal, const char *first)
{
    char name[NAME_SIZE], moved[NAME_SIZE];
    snprintf(name, sizeof name, "%s", first);
    while (name[0] != '\0') {
        DIR *dir = read_folder(open_folder(removal->top_fd, name));
        moved[0] = '\0';
        if (dir == NULL) {
            fail(removal, "");
            return;
        }
        bool has_progressed, is_gone;
        do { /* again: some file systems skip entries while others are removed */
            has_progressed = clear(removal, dir, moved);
            is_gone = remove_entry(removal->top_fd, name, DT_DIR);
        } while (!is_gone && has_progressed);
        if (!is_gone)
            fail(removal, "");
        removal->has_progressed |= is_gone;
        closedir(dir);
        memcpy(name, moved, sizeof name);
    }
}

int remove_tree(int above_fd, const char *name, int fd, struct err *err)
{
    struct removal removal = {0};
    DIR *top = read_folder(fd >= 0 ? fd : open_folder(above_fd, name));
    if (top == NULL)
        return errno == ENOENT ? 0 : err_set(err, ERR_STORAGE, "a folder cannot be removed: %s", strerror(errno));
    removal.top_fd = dirfd(top);
    if (getrandom(&removal.next, sizeof removal.next, GRND_NONBLOCK) != sizeof removal.next)
        removal.next = 0; /* names that are taken are passed over */
    bool is_gone;
    do {
        removal.has_progressed = false;
        removal.error = 0;
        rewinddir(top);
        for (struct dirent *entry; (entry = readdir(top)) != NULL;) {
            if (is_dots(entry->d_name))
                continue;
            if (remove_entry(removal.top_fd, entry->d_name, entry->d_type))
                removal.has_progressed = true;
            else if (errno == ENOTEMPTY)
                remove_chain(&removal, entry->d_name);
            else
                fail(&removal, entry->d_name);
        }
        is_gone = remove_entry(above_fd, name, DT_DIR);
        if (!is_gone)
            fail(&removal, "");
    } while (!is_gone && removal.has_progressed);
    closedir(top);
    if (is_gone)
        return 0;
    const bool is_named = removal.culprit[0] != '\0';
    return err_set(err, ERR_STORAGE, "%s%.200s%s cannot be removed: %s", is_named ? "'" : "a folder", removal.culprit,
                   is_named ? "'" : "", strerror(removal.error));
}
