/* Finds files that need no comparison. A GLB file without a "uri" refers to no other file, so equal bytes are equal
 * models. */
#include "clients/cli/diff/diff.h"

#include "clients/cli/output/regular_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Files are read in pieces and not mapped: an editor may truncate one meanwhile, and access beyond its end would raise
 * SIGBUS. */
enum { PIECE_BYTES = 1 << 16 };

static int open_model(const struct diff *diff, const char *model)
{
    struct text path = {0};
    text_printf(&path, "%s/%s", diff->context.session.folder, model);
    const int fd = regular_file_open(path.at, O_RDONLY);
    text_free(&path);
    return fd;
}

/* Returns false if the file is too short or cannot be read. */
static bool read_at(int fd, size_t at, unsigned char *bytes, size_t size_bytes)
{
    while (size_bytes > 0) {
        const ssize_t got = pread(fd, bytes, size_bytes, (off_t)at);
        if (got == 0 || (got < 0 && errno != EINTR))
            return false;
        if (got > 0) {
            bytes += got;
            at += (size_t)got;
            size_bytes -= (size_t)got;
        }
    }
    return true;
}

/* Returns whether the JSON at `at` contains neither "uri" nor an escape. Pieces overlap, so that a word across two of
 * them is found. */
static bool names_no_file(int fd, size_t at, size_t size_bytes)
{
    enum { OVERLAP = 2 };
    unsigned char piece[PIECE_BYTES];
    const size_t end = at + size_bytes;
    while (at < end) {
        const size_t got = end - at < sizeof piece ? end - at : sizeof piece;
        if (!read_at(fd, at, piece, got) || memmem(piece, got, "uri", 3) != NULL || memchr(piece, '\\', got) != NULL)
            return false;
        at += got == sizeof piece ? got - OVERLAP : got;
    }
    return true;
}

/* Checks the header (GLB 2.0, 5: magic, version, length) and the JSON chunk behind it, which has its length and kind.
 * Each reference to another file is a "uri" in it, and an escape might spell one. */
static bool is_alone(int fd, size_t size_bytes)
{
    enum { HEAD = 20 };
    unsigned char head[HEAD];
    uint32_t json_bytes;
    if (size_bytes < HEAD || !read_at(fd, 0, head, HEAD) || memcmp(head, "glTF", 4) != 0)
        return false;
    memcpy(&json_bytes, head + 12, sizeof json_bytes);
    return json_bytes <= size_bytes - HEAD && memcmp(head + 16, "JSON", 4) == 0 && names_no_file(fd, HEAD, json_bytes);
}

static bool has_same_bytes(int a, int b, size_t size_bytes)
{
    unsigned char of_a[PIECE_BYTES], of_b[PIECE_BYTES];
    for (size_t at = 0, got; at < size_bytes; at += got) {
        got = size_bytes - at < PIECE_BYTES ? size_bytes - at : PIECE_BYTES;
        if (!read_at(a, at, of_a, got) || !read_at(b, at, of_b, got) || memcmp(of_a, of_b, got) != 0)
            return false;
    }
    return true;
}

static bool is_same(int old_fd, int new_fd)
{
    struct stat old, new;
    if (old_fd < 0 || new_fd < 0 || fstat(old_fd, &old) < 0 || fstat(new_fd, &new) < 0 || old.st_size != new.st_size)
        return false;
    const size_t size_bytes = (size_t) new.st_size;
    return is_alone(new_fd, size_bytes) && has_same_bytes(old_fd, new_fd, size_bytes);
}

/* A file that cannot be read is not the same. The server is asked then, and its error names the file. */
bool diff_is_same_file(const struct diff *diff, const struct diff_pair *pair)
{
    if (strcmp(pair->models[DIFF_OLD], pair->models[DIFF_NEW]) == 0)
        return false; /* the server is asked, and answers at once whether it can be read */
    if (!diff->context.session.is_private)
        return false;
    const int old_fd = open_model(diff, pair->models[DIFF_OLD]), new_fd = open_model(diff, pair->models[DIFF_NEW]);
    const bool result = is_same(old_fd, new_fd);
    if (old_fd >= 0)
        close(old_fd);
    if (new_fd >= 0)
        close(new_fd);
    return result;
}
