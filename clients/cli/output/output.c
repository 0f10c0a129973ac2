/* Writes files through temporary ones, so that they appear complete. */
#include "clients/cli/output/output.h"

#include "clients/cli/output/regular_file.h"
#include "clients/cli/output/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int output_make_folders(const char *path)
{
    char *folder = must_copy(path);
    for (char *at = folder + 1; *at != '\0'; at++) {
        if (*at != '/')
            continue;
        *at = '\0';
        if (mkdir(folder, 0777) < 0 && errno != EEXIST) {
            free(folder);
            return -1;
        }
        *at = '/';
    }
    free(folder);
    return 0;
}

static int write_all(int fd, const char *bytes, size_t size_bytes)
{
    while (size_bytes > 0) {
        const ssize_t written = write(fd, bytes, size_bytes);
        if (written < 0 && errno != EINTR)
            return -1;
        if (written > 0) {
            bytes += written;
            size_bytes -= (size_t)written;
        }
    }
    return 0;
}

int output_write(const char *path, const char *temporary_folder, const void *bytes, size_t size_bytes,
                 struct text *problem)
{
    struct text name = {0};
    const char *slash = strrchr(path, '/');
    if (temporary_folder != NULL)
        text_printf(&name, "%s/tmp-XXXXXX", temporary_folder);
    else
        text_printf(&name, "%.*s.posectl-XXXXXX", slash == NULL ? 0 : (int)(slash + 1 - path), path);
    int fd = output_make_folders(path) < 0 ? -1 : mkostemp(name.at, O_CLOEXEC);
    const mode_t mask = umask(0);
    umask(mask);
    const int is_bad = fd < 0 || fchmod(fd, 0666 & ~mask) < 0 || write_all(fd, bytes, size_bytes) < 0;
    int failure = is_bad ? errno : 0;
    if (fd >= 0 && close(fd) < 0 && failure == 0)
        failure = errno;
    if (failure == 0 && rename(name.at, path) < 0)
        failure = errno;
    if (failure != 0 && fd >= 0)
        unlink(name.at);
    text_free(&name);
    if (failure != 0)
        text_printf(problem, "cannot write %s: %s", path, strerror(failure));
    return failure == 0 ? 0 : -1;
}

/* Returns whether the file has exactly these bytes. */
static bool is_there(const char *path, const struct text *bytes)
{
    FILE *file = regular_file_read(path);
    char *found = must_alloc(bytes->size_bytes + 1);
    const size_t size_bytes = file == NULL ? 0 : fread(found, 1, bytes->size_bytes + 1, file);
    const bool is_same = file != NULL && size_bytes == bytes->size_bytes && memcmp(found, bytes->at, size_bytes) == 0;
    if (file != NULL)
        fclose(file);
    free(found);
    return is_same;
}

int output_update(const char *path, const char *temporary_folder, const struct text *bytes, struct text *problem)
{
    return is_there(path, bytes) ? 0 : output_write(path, temporary_folder, bytes->at, bytes->size_bytes, problem);
}

/* --- symbolic links --- */

bool output_is_link(const char *path, struct text *problem)
{
    struct stat info;
    if (lstat(path, &info) != 0 || !S_ISLNK(info.st_mode))
        return false;
    text_printf(problem, "'%s' is a symbolic link; posectl writes through none: remove it", path);
    return true;
}

bool output_is_behind_link(const char *folder, const char *name, struct text *problem)
{
    bool is_link = false;
    for (const char *slash = strchr(name, '/'); slash != NULL && !is_link; slash = strchr(slash + 1, '/')) {
        struct text inner = {0};
        text_printf(&inner, "%s/%.*s", folder, (int)(slash - name), name);
        is_link = output_is_link(inner.at, problem);
        text_free(&inner);
    }
    return is_link;
}

/* Returns whether the links of the name belong to the system. /dev/stdout is a link to /proc/self/fd/1, which is
 * another. */
static bool is_of_the_system(const char *file)
{
    return strncmp(file, "/dev/", 5) == 0 || strncmp(file, "/proc/", 6) == 0;
}

/* --- files of the command line --- */

int output_give(const char *file, const void *bytes, size_t size_bytes)
{
    struct text problem = {0};
    struct stat info;
    if (file == NULL || strcmp(file, "-") == 0) {
        if ((size_bytes == 0 || fwrite(bytes, 1, size_bytes, stdout) == size_bytes) && fflush(stdout) == 0)
            return STATUS_DONE;
        if (errno != EPIPE) /* the reader has closed the pipe */
            terminal_error("cannot write to stdout: %s", strerror(errno));
        return STATUS_SERVER;
    }
    if (stat(file, &info) == 0 && !S_ISREG(info.st_mode)) { /* /dev/null or a pipe cannot be replaced */
        if (!is_of_the_system(file) && output_is_link(file, &problem))
            goto done;
        const int fd = open(file, O_WRONLY | O_CLOEXEC);
        const int rc = fd < 0 ? -1 : write_all(fd, bytes, size_bytes);
        if (rc < 0)
            text_printf(&problem, "cannot write %s: %s", file, strerror(errno));
        if (fd >= 0)
            close(fd);
    } else
        (void)output_write(file, NULL, bytes, size_bytes, &problem);
done:
    if (problem.size_bytes == 0)
        return STATUS_DONE;
    terminal_error("%s", problem.at);
    text_free(&problem);
    return STATUS_SERVER;
}

int output_give_json(const char *json, size_t size_bytes)
{
    struct text out = {0};
    text_put_json(&out, json, size_bytes);
    const int status = output_give("-", out.at == NULL ? "" : out.at, out.size_bytes);
    text_free(&out);
    return status;
}

char *output_name(const char *model, const char *extension)
{
    struct text name = {0};
    const char *slash = strrchr(model, '/'), *base = slash == NULL ? model : slash + 1, *dot = strrchr(base, '.');
    text_printf(&name, "%.*s%s", (int)(dot == NULL || dot == base ? strlen(base) : (size_t)(dot - base)), base,
                extension);
    return name.at;
}
