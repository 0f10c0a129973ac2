/* server/daemon/upload/upload_store.h: staging, moving into place, removing. Names from clients stay beneath the
 * folder. */
#include "tests/unit/support/check.h"
#include "tests/unit/support/temp_tree.h"

#include "daemon/upload/upload_folder.h"
#include "daemon/upload/upload_store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void open_store(const struct temp_tree *tree, struct upload_store *store)
{
    char folder[128];
    struct err err;
    snprintf(folder, sizeof folder, "%s/in", tree->path);
    mkdir(folder, 0755);
    assert_int_equal(upload_store_open(store, folder, tree->path, "in/", &err), 0);
}

/* Stages one file, "item", with this text. */
static void stage_text(const struct upload_store *store, struct upload_stage *stage, const char *text)
{
    struct err err;
    assert_int_equal(upload_stage_begin(store, stage, &err), 0);
    const int fd = upload_stage_create(stage, "item", &err);
    assert_true(fd >= 0);
    assert_int_equal(upload_write(fd, text, strlen(text), &err), 0);
    assert_int_equal(upload_sync(fd, &err), 0);
    close(fd);
}

static void check_text(const struct temp_tree *tree, const char *path, const char *text)
{
    char found[64] = "";
    const int fd = openat(tree->fd, path, O_RDONLY);
    assert_true(fd >= 0);
    assert_int_equal(read(fd, found, sizeof found - 1), (ssize_t)strlen(text));
    assert_string_equal(found, text);
    close(fd);
}

static size_t entries(const struct temp_tree *tree, const char *path)
{
    char full[128];
    snprintf(full, sizeof full, "%s/%s", tree->path, path);
    DIR *dir = opendir(full);
    assert_non_null(dir);
    size_t count = 0;
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(dir);
    return count;
}

static int publish(const struct upload_store *store, const char *path, const char *text, bool *is_new, struct err *err)
{
    struct upload_stage stage;
    stage_text(store, &stage, text);
    const int rc = upload_store_publish(store, &stage, "item", path, is_new, err);
    assert_int_equal(upload_stage_remove(store, &stage, NULL), 0);
    return rc;
}

TEST(upload_store_publishes_and_deletes)
{
    struct temp_tree tree;
    struct upload_store store;
    struct err err;
    bool is_new;
    temp_tree_init(&tree);
    open_store(&tree, &store);
    assert_int_equal(publish(&store, "a/b/fox.glb", "one", &is_new, &err), 0);
    assert_true(is_new);
    check_text(&tree, "in/a/b/fox.glb", "one");
    assert_int_equal(publish(&store, "a/b/fox.glb", "two", &is_new, &err), 0);
    assert_false(is_new);
    check_text(&tree, "in/a/b/fox.glb", "two");
    assert_int_equal(publish(&store, "a/crow.glb", "three", &is_new, &err), 0);
    assert_int_equal(entries(&tree, "in"), 1); /* no stage is left */
    assert_int_equal(upload_store_delete(&store, "a/b/fox.glb", &err), 0);
    assert_int_equal(entries(&tree, "in/a"), 1); /* the empty folder went with it */
    assert_int_equal(upload_store_delete(&store, "a/b/fox.glb", &err), ERR_MODEL_NOT_FOUND);
    assert_int_equal(upload_store_delete(&store, "a", &err), 0);
    assert_int_equal(entries(&tree, "in"), 0);
    upload_store_close(&store);
    temp_tree_fini(&tree);
}

struct publisher {
    const struct upload_store *store;
    atomic_bool is_over;
};

static void *publish_again(void *arg)
{
    enum { UPLOADS = 200 };
    struct publisher *publisher = arg;
    struct err err;
    bool is_new;
    for (int i = 0; i < UPLOADS; i++)
        publish(publisher->store, i % 2 == 0 ? "a/fox.glb" : "a", "one", &is_new, &err);
    atomic_store(&publisher->is_over, true);
    return NULL;
}

TEST(upload_store_deletes_what_uploads_make_at_the_same_time)
{
    struct temp_tree tree;
    struct upload_store store;
    struct err err;
    pthread_t thread;
    temp_tree_init(&tree);
    open_store(&tree, &store);
    struct publisher publisher = {.store = &store};
    assert_int_equal(pthread_create(&thread, NULL, publish_again, &publisher), 0);
    while (!atomic_load(&publisher.is_over))
        if (upload_store_delete(&store, "a", &err) < 0 && err.code != ERR_MODEL_NOT_FOUND)
            fail_msg("%s", err.message);
    pthread_join(thread, NULL);
    upload_store_delete(&store, "a", &err);
    assert_int_equal(entries(&tree, "in"), 0); /* nothing that was set aside is left */
    upload_store_close(&store);
    temp_tree_fini(&tree);
}

TEST(upload_store_keeps_kinds_apart)
{
    struct temp_tree tree;
    struct upload_store store;
    struct err err;
    bool is_new;
    temp_tree_init(&tree);
    temp_tree_file(&tree, "in/folder/file", "old");
    open_store(&tree, &store);
    assert_int_equal(publish(&store, "folder", "new", &is_new, &err), ERR_CONFLICT);
    assert_non_null(strstr(err.message, "folder already"));
    assert_int_equal(publish(&store, "folder/file/inner", "new", &is_new, &err), ERR_CONFLICT);
    check_text(&tree, "in/folder/file", "old");
    assert_int_equal(entries(&tree, "in"), 1);
    upload_store_close(&store);
    temp_tree_fini(&tree);
}

/* Stages "item", a folder with the mark of a zip and one file. */
static int publish_zip(const struct upload_store *store, const char *path, const char *text, bool *is_new,
                       struct err *err)
{
    static const char *const FILES[] = {"item/m.glb", "item/.posed-zip"};
    struct upload_stage stage;
    assert_int_equal(upload_stage_begin(store, &stage, err), 0);
    for (size_t i = 0; i < 2; i++) {
        const int fd = upload_stage_create(&stage, FILES[i], err);
        assert_true(fd >= 0);
        assert_int_equal(upload_write(fd, text, i == 0 ? strlen(text) : 0, err), 0);
        close(fd);
    }
    const int rc = upload_store_publish(store, &stage, "item", path, is_new, err);
    upload_stage_remove(store, &stage, NULL);
    return rc;
}

TEST(upload_store_keeps_zips_apart)
{
    struct temp_tree tree;
    struct upload_store store;
    struct err err;
    bool is_new;
    temp_tree_init(&tree);
    temp_tree_file(&tree, "in/folder/theirs.glb", "old");
    open_store(&tree, &store);
    assert_int_equal(publish_zip(&store, "a/hero", "one", &is_new, &err), 0);
    assert_true(is_new);
    assert_int_equal(publish_zip(&store, "a/hero", "two", &is_new, &err), 0);
    assert_false(is_new);
    check_text(&tree, "in/a/hero/m.glb", "two");
    static const char *const INSIDE[] = {"a/hero/x.glb", "a/hero/b/x.glb", "a/hero/m.glb/x.glb"};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(publish(&store, INSIDE[i], "new", &is_new, &err), ERR_CONFLICT);
        assert_non_null(strstr(err.message, "'a/hero', which came as a zip"));
    }
    assert_int_equal(publish_zip(&store, "a/hero/b", "new", &is_new, &err), ERR_CONFLICT);
    assert_int_equal(publish_zip(&store, "folder", "new", &is_new, &err), ERR_CONFLICT);
    assert_non_null(strstr(err.message, "did not come as a zip"));
    assert_int_equal(publish_zip(&store, "a", "new", &is_new, &err), ERR_CONFLICT);
    assert_int_equal(entries(&tree, "in/a/hero"), 2);
    check_text(&tree, "in/folder/theirs.glb", "old");
    assert_int_equal(publish(&store, "a/heroes.glb", "beside", &is_new, &err), 0);
    assert_int_equal(upload_store_delete(&store, "a/heroes.glb", &err), 0);
    assert_int_equal(upload_store_delete(&store, "a/hero/m.glb", &err), 0); /* with the mark, which alone remains */
    assert_int_equal(entries(&tree, "in"), 1);
    upload_store_close(&store);
    temp_tree_fini(&tree);
}

/* From now on fsync() fails with EIO in this process. */
static bool forbid_fsync(void)
{
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fsync, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EIO),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {.len = sizeof rules / sizeof *rules, .filter = rules};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST(upload_store_takes_back_what_may_not_last)
{
    enum { NOT_HERE = 77, GOOD = 0, BAD = 1 };
    struct temp_tree tree;
    struct upload_store store;
    struct upload_stage stages[2];
    struct err err;
    bool is_new;
    temp_tree_init(&tree);
    open_store(&tree, &store);
    assert_int_equal(publish(&store, "a/fox.glb", "old", &is_new, &err), 0);
    stage_text(&store, &stages[0], "new");
    stage_text(&store, &stages[1], "other");
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (!forbid_fsync())
            _exit(NOT_HERE);
        const int over = upload_store_publish(&store, &stages[0], "item", "a/fox.glb", &is_new, &err);
        const int beside = upload_store_publish(&store, &stages[1], "item", "a/b/crow.glb", &is_new, &err);
        _exit(over == ERR_STORAGE && beside == ERR_STORAGE ? GOOD : BAD);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    for (size_t i = 0; i < 2; i++)
        upload_stage_remove(&store, &stages[i], NULL);
    if (WEXITSTATUS(status) != NOT_HERE) {
        assert_int_equal(WEXITSTATUS(status), GOOD);
        check_text(&tree, "in/a/fox.glb", "old");
        assert_int_equal(entries(&tree, "in/a"), 1);
    }
    upload_store_close(&store);
    temp_tree_fini(&tree);
    if (WEXITSTATUS(status) == NOT_HERE)
        skip();
}

TEST(upload_store_follows_no_link)
{
    struct temp_tree tree;
    struct upload_store store;
    struct err err;
    bool is_new;
    temp_tree_init(&tree);
    temp_tree_file(&tree, "secret/file", "old");
    temp_tree_folder(&tree, "in");
    temp_tree_link(&tree, "in/out", "../secret");
    temp_tree_link(&tree, "in/one", "../secret/file");
    open_store(&tree, &store);
    assert_true(publish(&store, "out/file", "new", &is_new, &err) < 0);
    assert_true(publish(&store, "out/other", "new", &is_new, &err) < 0);
    assert_true(publish(&store, "../secret/file", "new", &is_new, &err) < 0);
    assert_int_equal(upload_store_delete(&store, "out/file", &err), ERR_MODEL_NOT_FOUND);
    assert_int_equal(upload_store_delete(&store, "../secret/file", &err), ERR_MODEL_NOT_FOUND);
    assert_int_equal(publish(&store, "one", "new", &is_new, &err), 0); /* the link is replaced, not what it leads to */
    check_text(&tree, "secret/file", "old");
    assert_int_equal(upload_store_delete(&store, "out", &err), 0); /* the link */
    check_text(&tree, "secret/file", "old");
    assert_int_equal(entries(&tree, "secret"), 1);
    upload_store_close(&store);
    temp_tree_fini(&tree);
}

TEST(upload_store_sweeps_what_a_crash_left)
{
    struct temp_tree tree;
    struct upload_store store, other;
    struct upload_stage living;
    temp_tree_init(&tree);
    temp_tree_file(&tree, "in/.posed-upload-0123456789abcdef/a/b/c.glb", "half");
    temp_tree_file(&tree, "in/.mine", "kept");
    open_store(&tree, &store);
    assert_int_equal(entries(&tree, "in"), 1);
    stage_text(&store, &living, "under way");
    open_store(&tree, &other); /* another process starts */
    assert_int_equal(entries(&tree, "in"), 2);
    upload_store_close(&other);
    assert_int_equal(upload_stage_remove(&store, &living, NULL), 0);
    upload_store_close(&store);
    temp_tree_fini(&tree);
}

TEST(upload_store_sweeps_what_is_deep_or_closed)
{
    struct temp_tree tree;
    struct upload_store store;
    temp_tree_init(&tree);
    temp_tree_folder(&tree, "in");
    temp_tree_deep(&tree, "in/.posed-upload-0123456789abcdef", 300);
    temp_tree_file(&tree, "in/.posed-upload-closed/a/b", "half");
    assert_int_equal(fchmodat(tree.fd, "in/.posed-upload-closed/a", 0, 0), 0);
    assert_int_equal(fchmodat(tree.fd, "in/.posed-upload-closed", 0, 0), 0);
    temp_tree_file(&tree, "in/.posed-upload-file", "no folder of ours");
    open_store(&tree, &store);
    assert_int_equal(entries(&tree, "in"), 1);
    upload_store_close(&store);
    temp_tree_fini(&tree);
}

/* A deleted file is off the disk when the client is told so, and a replaced one leaves nothing behind. */
TEST(upload_store_removes_any_depth)
{
    struct temp_tree tree;
    struct upload_store store;
    struct upload_stage stage;
    struct err err;
    bool is_new;
    temp_tree_init(&tree);
    open_store(&tree, &store);
    temp_tree_deep(&tree, "in/one", 300);
    temp_tree_deep(&tree, "in/two", 300);
    temp_tree_file(&tree, "in/two/.posed-zip", ""); /* or it would not be replaced */
    assert_int_equal(upload_store_delete(&store, "one", &err), 0);
    assert_int_equal(entries(&tree, "in"), 1);
    assert_int_equal(upload_stage_begin(&store, &stage, &err), 0);
    close(upload_stage_create(&stage, "two/file", &err));
    assert_int_equal(upload_store_publish(&store, &stage, "two", "two", &is_new, &err), 0);
    assert_false(is_new);
    assert_int_equal(upload_stage_remove(&store, &stage, &err), 0);
    assert_int_equal(entries(&tree, "in"), 1);
    assert_int_equal(entries(&tree, "in/two"), 1);
    upload_store_close(&store);
    temp_tree_fini(&tree);
}

static char *folders(int count, const char *last)
{
    static char path[8192];
    path[0] = '\0';
    for (int i = 0; i < count; i++)
        strcpy(path + 2 * i, "d/");
    return strcat(path, last);
}

/* Only what a listing would show may be stored; the folder of uploads counts. */
TEST(upload_store_checks_paths)
{
    struct temp_tree tree;
    struct upload_store store;
    struct err err;
    char name[300];
    temp_tree_init(&tree);
    open_store(&tree, &store);
    assert_int_equal(upload_store_check(&store, folders(63, "a.glb"), NULL, &err), 0);
    assert_int_equal(upload_store_check(&store, folders(64, "a.glb"), NULL, &err), ERR_BAD_PATH);
    assert_non_null(strstr(err.message, "'d/d/"));
    assert_non_null(strstr(err.message, "65 folders"));
    assert_int_equal(upload_store_check(&store, folders(62, "a"), "", &err), 0);
    assert_int_equal(upload_store_check(&store, folders(63, "a"), "", &err), ERR_BAD_PATH);
    assert_int_equal(upload_store_check(&store, "a/b", folders(61, "c.glb"), &err), 0);
    assert_int_equal(upload_store_check(&store, "a/b", folders(62, "c.glb"), &err), ERR_BAD_PATH);
    assert_non_null(strstr(err.message, "entry 'd/d/"));
    assert_int_equal(upload_store_check(&store, "a", "b/.c/d.glb", &err), ERR_BAD_PATH);
    assert_int_equal(upload_store_check(&store, ".a/b.glb", NULL, &err), ERR_BAD_PATH);
    snprintf(name, sizeof name, "%0255d", 1);
    assert_int_equal(upload_store_check(&store, name, NULL, &err), 0);
    assert_int_equal(upload_store_check(&store, "a", name, &err), 0);
    snprintf(name, sizeof name, "%0256d", 1);
    assert_int_equal(upload_store_check(&store, name, NULL, &err), ERR_BAD_PATH);
    assert_int_equal(upload_store_check(&store, "a", name, &err), ERR_BAD_PATH);
    assert_int_equal(upload_store_check(&store, folders(3000, "a.glb"), NULL, &err), ERR_BAD_PATH);
    assert_non_null(strstr(err.message, "too long"));
    upload_store_close(&store);
    temp_tree_fini(&tree);
}

TEST(upload_store_stage_creates_folders)
{
    struct temp_tree tree;
    struct upload_store store;
    struct upload_stage stage;
    struct err err;
    temp_tree_init(&tree);
    open_store(&tree, &store);
    assert_int_equal(upload_stage_begin(&store, &stage, &err), 0);
    const int first = upload_stage_create(&stage, "a/b/c.png", &err);
    assert_true(first >= 0);
    close(first);
    assert_int_equal(upload_stage_create(&stage, "a/b/c.png", &err), ERR_CONFLICT);
    assert_int_equal(upload_stage_create(&stage, "a/b/c.png/d", &err), ERR_CONFLICT);
    assert_true(upload_stage_create(&stage, "../d", &err) < 0);
    assert_true(upload_stage_create(&stage, "a/../../d", &err) < 0);
    assert_int_equal(upload_stage_remove(&store, &stage, NULL), 0);
    assert_int_equal(entries(&tree, "in"), 0);
    upload_store_close(&store);
    temp_tree_fini(&tree);
}

/* What upload_folder_find() says of it, and whether upload_folder_check() says the same first. */
static int find_folder(const char *folder, const char *root, struct config *config)
{
    struct err checked, found;
    *config = (struct config){.root = root, .uploads = folder, .cache_dir = "none"};
    const int check = upload_folder_check(config, &checked), rc = upload_folder_find(config, &found);
    assert_int_equal(check, rc);
    if (rc < 0)
        assert_string_equal(checked.message, found.message);
    return rc;
}

TEST(upload_folder_lies_beneath_the_root)
{
    struct temp_tree tree, elsewhere;
    struct config config;
    char path[512];
    temp_tree_init(&tree);
    temp_tree_init(&elsewhere);
    assert_int_equal(find_folder(elsewhere.path, tree.path, &config), ERR_BAD_PARAMETER);
    assert_int_equal(find_folder(tree.path, tree.path, &config), 0);
    assert_string_equal(config.files.uploads, "");
    temp_tree_link(&tree, "link", elsewhere.path);
    temp_tree_link(&tree, "dangling", "nothing");
    temp_tree_file(&tree, "file", "");
    temp_tree_folder(&tree, folders(64, "d"));
    snprintf(path, sizeof path, "%s/%s", tree.path, folders(64, ""));
    assert_int_equal(find_folder(path, tree.path, &config), 0);
    const char *const bad[] = {"link",     "link/new", "dangling", "file",
                               "file/new", "no/such",  ".hidden",  folders(65, "")};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(path, sizeof path, "%s/%s", tree.path, bad[i]);
        if (find_folder(path, tree.path, &config) != ERR_BAD_PARAMETER)
            fail_msg("'%s' was taken", bad[i]);
    }
    assert_int_equal(entries(&elsewhere, "."), 0); /* what is refused is not made */
    snprintf(path, sizeof path, "%s/new//", tree.path);
    assert_int_equal(find_folder(path, tree.path, &config), 0);
    assert_string_equal(config.files.uploads, "new/");
    assert_int_equal(entries(&tree, "new"), 0);
    temp_tree_fini(&elsewhere);
    temp_tree_fini(&tree);
}
