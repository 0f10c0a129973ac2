/* server/daemon/upload/remove_tree.h removes any folder without using more memory for larger ones. */
#include "tests/unit/support/check.h"
#include "tests/unit/support/temp_tree.h"

#include "daemon/upload/remove_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOBODY = 65534 };

static bool is_there(const struct temp_tree *tree, const char *path)
{
    return faccessat(tree->fd, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

/* In a process of its own, with few descriptors, a small stack and another user. 0: everything is removed. */
static int remove_apart(const struct temp_tree *tree, const char *name, uid_t uid)
{
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        const struct rlimit few = {64, 64};
        const int free_fd = dup(tree->fd); /* the highest open one */
        struct err err = {0};
        for (int fd = free_fd; fd < 60; fd++) /* four are left */
            if (fcntl(fd, F_GETFD) < 0)
                dup2(tree->fd, fd);
        if (setrlimit(RLIMIT_NOFILE, &few) != 0 ||
            (uid != 0 && (setresgid(uid, uid, uid) != 0 || setresuid(uid, uid, uid) != 0)))
            _exit(3);
        prctl(PR_SET_DUMPABLE, 1); /* who has another user's id by now may look into its own /proc/self */
        const int rc = remove_tree(tree->fd, name, -1, &err);
        if (rc < 0)
            fprintf(stderr, "%s\n", err.message);
        _exit(rc == 0 ? 0 : rc == ERR_STORAGE ? 1 : 2);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* Their path is longer than a path may be. */
TEST(remove_tree_of_three_thousand_levels)
{
    struct temp_tree tree;
    temp_tree_init(&tree);
    temp_tree_deep(&tree, "deep", 3000);
    assert_int_equal(remove_apart(&tree, "deep", 0), 0);
    assert_false(is_there(&tree, "deep"));
    temp_tree_fini(&tree);
}

/* The names that it would give to moved entries exist already; there are links and other kinds of files. */
TEST(remove_tree_of_many_entries)
{
    struct temp_tree tree;
    char path[320];
    temp_tree_init(&tree);
    temp_tree_file(&tree, "kept/file", "old");
    for (int i = 0; i < 300; i++) {
        snprintf(path, sizeof path, "wide/%016x/inner/%d/file", i, i);
        temp_tree_file(&tree, path, "");
        snprintf(path, sizeof path, "wide/%d", i);
        temp_tree_file(&tree, path, "");
        snprintf(path, sizeof path, "wide/one/%d/%0240d", i, i);
        temp_tree_file(&tree, path, "");
    }
    temp_tree_link(&tree, "wide/link", "../kept");
    temp_tree_link(&tree, "wide/one/1/link", "../../../kept/file");
    temp_tree_folder(&tree, "wide/empty");
    assert_int_equal(mkfifoat(tree.fd, "wide/one/fifo", 0600), 0);
    assert_int_equal(remove_apart(&tree, "wide", 0), 0);
    assert_false(is_there(&tree, "wide"));
    assert_true(is_there(&tree, "kept/file"));
    temp_tree_fini(&tree);
}

TEST(remove_tree_of_nothing_or_no_folder)
{
    struct temp_tree tree;
    struct err err;
    temp_tree_init(&tree);
    temp_tree_file(&tree, "kept/file", "old");
    temp_tree_link(&tree, "link", "kept");
    assert_int_equal(remove_tree(tree.fd, "none", -1, &err), 0);
    assert_int_equal(remove_tree(tree.fd, "link", -1, &err), ERR_STORAGE);
    assert_int_equal(remove_tree(tree.fd, "kept/file", -1, &err), ERR_STORAGE);
    assert_true(is_there(&tree, "kept/file"));
    temp_tree_fini(&tree);
}

/* Folders that their owner may neither read, search nor write. */
TEST(remove_tree_opens_what_is_closed)
{
    static const char *const CLOSED[] = {"closed/a/b/c", "closed/a/b", "closed/a", "closed/d", "closed"};
    const uid_t uid = geteuid() == 0 ? NOBODY : geteuid();
    struct temp_tree tree;
    temp_tree_init(&tree);
    temp_tree_file(&tree, "closed/a/b/c/file", "");
    temp_tree_file(&tree, "closed/d/e/file", "");
    if (geteuid() == 0) {
        static const char *const ALL[] = {"",         "closed",    "closed/a", "closed/a/b", "closed/a/b/c",
                                          "closed/d", "closed/d/e"};
        for (size_t i = 0; i < sizeof ALL / sizeof *ALL; i++)
            assert_int_equal(fchownat(tree.fd, ALL[i], uid, uid, AT_EMPTY_PATH), 0);
    }
    for (size_t i = 0; i < sizeof CLOSED / sizeof *CLOSED; i++)
        assert_int_equal(fchmodat(tree.fd, CLOSED[i], 0, 0), 0);
    assert_int_equal(remove_apart(&tree, "closed", uid), 0);
    assert_false(is_there(&tree, "closed"));
    temp_tree_fini(&tree);
}

/* The message names what could not be removed, and everything else is removed. */
TEST(remove_tree_names_what_is_left)
{
    struct temp_tree tree;
    temp_tree_init(&tree);
    if (geteuid() != 0) {
        temp_tree_fini(&tree);
        skip();
    }
    temp_tree_file(&tree, "mixed/theirs/file", "");
    temp_tree_file(&tree, "mixed/ours/file", "");
    assert_int_equal(fchownat(tree.fd, "", NOBODY, NOBODY, AT_EMPTY_PATH), 0);
    assert_int_equal(fchownat(tree.fd, "mixed", NOBODY, NOBODY, 0), 0);
    assert_int_equal(fchownat(tree.fd, "mixed/ours", NOBODY, NOBODY, 0), 0);
    assert_int_equal(remove_apart(&tree, "mixed", NOBODY), 1);
    assert_true(is_there(&tree, "mixed/theirs/file"));
    assert_false(is_there(&tree, "mixed/ours"));
    assert_int_equal(remove_apart(&tree, "mixed", 0), 0);
    temp_tree_fini(&tree);
}

TEST(remove_tree_empties_no_mounted_file_system)
{
    struct temp_tree tree;
    char from[128], to[128];
    temp_tree_init(&tree);
    temp_tree_file(&tree, "kept/file", "old");
    temp_tree_folder(&tree, "tree/in/mount");
    temp_tree_file(&tree, "tree/file", "");
    snprintf(from, sizeof from, "%s/kept", tree.path);
    snprintf(to, sizeof to, "%s/tree/in/mount", tree.path);
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        struct err err;
        if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
            mount(from, to, NULL, MS_BIND, NULL) != 0)
            _exit(77);
        _exit(remove_tree(tree.fd, "tree", -1, &err) == ERR_STORAGE && strstr(err.message, "'mount'") != NULL &&
                      faccessat(tree.fd, "tree/file", F_OK, 0) != 0
                  ? 0
                  : 1);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(is_there(&tree, "kept/file"));
    temp_tree_fini(&tree);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        skip();
    assert_int_equal(status, 0);
}
