#include "tests/unit/support/temp_tree.h"

#include "tests/unit/support/check.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

void temp_tree_init(struct temp_tree *tree)
{
    strcpy(tree->path, "/tmp/posed-unit-XXXXXX");
    assert_non_null(mkdtemp(tree->path));
    tree->fd = open(tree->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    assert_true(tree->fd >= 0);
}

static int remove_one(const char *path, const struct stat *stat __attribute__((unused)),
                      int type __attribute__((unused)), struct FTW *ftw __attribute__((unused)))
{
    return remove(path);
}

void temp_tree_fini(struct temp_tree *tree)
{
    close(tree->fd);
    assert_int_equal(nftw(tree->path, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

/* Every folder above `path`, and it itself when it ends in '/'. */
static void make_folders(const struct temp_tree *tree, const char *path)
{
    char part[512];
    for (const char *slash = strchr(path, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        snprintf(part, sizeof part, "%.*s", (int)(slash - path), path);
        mkdirat(tree->fd, part, 0755);
    }
}

void temp_tree_file(const struct temp_tree *tree, const char *path, const char *text)
{
    temp_tree_bytes(tree, path, text, strlen(text));
}

void temp_tree_bytes(const struct temp_tree *tree, const char *path, const void *bytes, size_t size)
{
    make_folders(tree, path);
    const int fd = openat(tree->fd, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, size), size);
    close(fd);
}

void temp_tree_link(const struct temp_tree *tree, const char *path, const char *target)
{
    make_folders(tree, path);
    assert_int_equal(symlinkat(target, tree->fd, path), 0);
}

void temp_tree_folder(const struct temp_tree *tree, const char *path)
{
    make_folders(tree, path);
    assert_int_equal(mkdirat(tree->fd, path, 0755), 0);
}

static struct rlimit fed;

void temp_tree_starve(void)
{
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &fed), 0);
    const struct rlimit none = {.rlim_cur = 0, .rlim_max = fed.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
}

void temp_tree_feed(void) { assert_int_equal(setrlimit(RLIMIT_NOFILE, &fed), 0); }

void temp_tree_deep(const struct temp_tree *tree, const char *name, int levels)
{
    int fd = openat(tree->fd, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; i < levels; i++) {
        assert_int_equal(mkdirat(fd, i == 0 ? name : "d", 0755), 0);
        const int inner = openat(fd, i == 0 ? name : "d", O_PATH | O_DIRECTORY | O_CLOEXEC);
        assert_true(inner >= 0);
        close(fd);
        fd = inner;
    }
    const int file = openat(fd, "file", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    assert_true(file >= 0);
    close(file);
    close(fd);
}
