/* server/daemon/model/file_access.h: protocol/file_access.def, held by path, and its copy in protocol/http.md. */
#include "tests/unit/support/check.h"
#include "tests/unit/support/document.h"
#include "tests/unit/support/temp_tree.h"

#include "daemon/model/file_access.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct file_policy UPLOADS = {.uploads = "in/"}, HIDDEN = {.uploads = "in/", .allows_hidden = true},
                                HIDDEN_MODELS = {.uploads = "in/", .allows_hidden_models = true}, NONE = {0},
                                EVERYWHERE = {.uploads = ""};

enum { ALONE = 1, FOLDER, ROOT, HIDDEN_NAME, OUTSIDE, MISSING, GIVEN }; /* the result of a request */

static void make_tree(struct temp_tree *tree)
{
    static const char *const FILES[] = {"a/fox.glb",          "a/fox.bin",        ".env",
                                        "a/.private/s.png",   "in/one.glb",       "in/two.bin",
                                        "in/hero/.posed-zip", "in/hero/hero.glb", "in/hero/data/x.bin",
                                        "in/hero/.x",         "in/heroes/h.glb"};
    temp_tree_init(tree);
    for (size_t i = 0; i < sizeof FILES / sizeof *FILES; i++)
        temp_tree_file(tree, FILES[i], FILES[i]);
}

static int outcome(const struct import_file_reply *reply)
{
    switch (reply->error) {
    case 0:
        return GIVEN;
    case ENOENT:
        return MISSING;
    case EXDEV:
        return OUTSIDE;
    default:
        return reply->error - IMPORT_REFUSED(0) + ALONE;
    }
}

static int ask(const struct temp_tree *tree, const struct file_access *access, int kind, const char *path)
{
    struct import_file_request request = {.magic = IMPORT_FILES_MAGIC, .kind = (uint32_t)kind};
    struct import_file_reply reply;
    strcpy(request.path, path);
    const int fd = file_access_serve(access, tree->fd, &request, &reply);
    assert_true((fd >= 0) == (reply.error == 0));
    if (fd >= 0)
        close(fd);
    else if (reply.error >= IMPORT_REFUSED(0)) /* it does not reveal the files there */
        assert_true(stamp_equal(&reply.stamp, &(struct stamp){0}));
    return outcome(&reply);
}

TEST(file_access_is_held_by_path)
{
    static const struct {
        const struct file_policy *policy;
        const char *model, *path;
        int outcome;
    } rows[] = {
        {&UPLOADS, "in/one.glb", "in/one.glb", GIVEN},
        {&UPLOADS, "in/one.glb", "in/two.bin", ALONE},
        {&UPLOADS, "in/one.glb", "in/missing.bin", ALONE},
        {&UPLOADS, "in/one.glb", "a/fox.bin", ALONE},
        {&UPLOADS, "in/one.glb", ".env", ALONE},
        {&UPLOADS, "in/heroes/h.glb", "in/hero/hero.glb", ALONE},
        {&UPLOADS, "in/hero/hero.glb", "in/hero/hero.glb", GIVEN},
        {&UPLOADS, "in/hero/hero.glb", "in/hero/data/x.bin", GIVEN},
        {&UPLOADS, "in/hero/data/x.bin", "in/hero/hero.glb", GIVEN},
        {&UPLOADS, "in/hero/hero.glb", "in/hero/missing.bin", MISSING},
        {&UPLOADS, "in/hero/hero.glb", "in/hero/.x", HIDDEN_NAME},
        {&HIDDEN, "in/hero/hero.glb", "in/hero/.posed-zip", HIDDEN_NAME},
        {&UPLOADS, "in/hero/hero.glb", "in/heroes/h.glb", FOLDER},
        {&UPLOADS, "in/hero/hero.glb", "in/one.glb", FOLDER},
        {&UPLOADS, "in/hero/hero.glb", "a/fox.bin", FOLDER},
        {&UPLOADS, "in/hero/hero.glb", ".env", FOLDER},
        {&UPLOADS, "a/fox.glb", "a/fox.bin", GIVEN},
        {&UPLOADS, "a/fox.glb", "b/missing.bin", MISSING},
        {&UPLOADS, "a/fox.glb", ".env", HIDDEN_NAME},
        {&UPLOADS, "a/fox.glb", ".missing", HIDDEN_NAME},
        {&UPLOADS, "a/fox.glb", "a/.private/s.png", HIDDEN_NAME},
        {&UPLOADS, "a/fox.glb", "in/one.glb", ROOT},
        {&UPLOADS, "a/fox.glb", "in/missing.glb", ROOT},
        {&UPLOADS, "a/fox.glb", "in/hero/data/x.bin", ROOT},
        {&HIDDEN, "a/fox.glb", "a/.private/s.png", GIVEN},
        {&HIDDEN, "a/fox.glb", "in/.posed-upload-0/x.glb", ROOT},
        {&HIDDEN, "in/one.glb", ".env", ALONE},
        {&HIDDEN_MODELS, "a/.private/m.glb", "a/.private/s.png", GIVEN},
        {&HIDDEN_MODELS, "a/.private/in/m.glb", "a/.private/s.png", GIVEN},
        {&HIDDEN_MODELS, "a/.private/m.glb", "a/fox.bin", GIVEN},
        {&HIDDEN_MODELS, "a/.private/m.glb", "a/.private/.s.png", HIDDEN_NAME},
        {&HIDDEN_MODELS, "a/.private/m.glb", ".env", HIDDEN_NAME},
        {&HIDDEN_MODELS, "a/.private/m.glb", "in/one.glb", ROOT},
        {&HIDDEN_MODELS, "a/.priv", "a/.private/s.png", HIDDEN_NAME},
        {&HIDDEN_MODELS, "a/fox.glb", "a/.private/s.png", HIDDEN_NAME},
        {&HIDDEN_MODELS, ".env", ".env", GIVEN},
        {&NONE, "a/fox.glb", "in/hero/data/x.bin", GIVEN},
        {&NONE, "in/hero/hero.glb", "in/one.glb", GIVEN},
        {&NONE, "in/hero/hero.glb", ".env", HIDDEN_NAME},
        {&EVERYWHERE, "a/fox.glb", "a/fox.bin", ALONE},
        {&EVERYWHERE, "in/hero/hero.glb", "in/hero/data/x.bin", GIVEN},
        {&EVERYWHERE, "in/hero/hero.glb", "in/one.glb", FOLDER},
        /* as no importer of ours asks */
        {&UPLOADS, "in/hero/hero.glb", "in/hero/../one.glb", OUTSIDE},
        {&UPLOADS, "in/hero/hero.glb", "in/hero/data/../../../.env", OUTSIDE},
        {&UPLOADS, "in/hero/hero.glb", "in//hero/hero.glb", OUTSIDE},
        {&UPLOADS, "in/hero/hero.glb", "./in/hero/hero.glb", OUTSIDE},
        {&UPLOADS, "a/fox.glb", "a/../in/one.glb", OUTSIDE},
        {&UPLOADS, "a/fox.glb", "./in/one.glb", OUTSIDE},
        {&UPLOADS, "a/fox.glb", "/etc/passwd", OUTSIDE},
        {&UPLOADS, "a/fox.glb", "..", OUTSIDE},
    };
    struct temp_tree tree;
    make_tree(&tree);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct file_access access;
        assert_int_equal(file_access_find(&access, tree.fd, rows[i].policy, rows[i].model), 0);
        const int found = ask(&tree, &access, IMPORT_FILE_OPEN, rows[i].path);
        if (found != rows[i].outcome)
            fail_msg("%s asks for %s: %d, not %d", rows[i].model, rows[i].path, found, rows[i].outcome);
        file_access_fini(&access);
    }
    temp_tree_fini(&tree);
}

TEST(file_access_lists_no_other_folder)
{
    static const struct {
        const char *model, *folder;
        int outcome;
    } rows[] = {
        {"in/one.glb", "in", ALONE},
        {"in/one.glb", ".", ALONE},
        {"in/hero/hero.glb", "in/hero", GIVEN},
        {"in/hero/hero.glb", "in/hero/data", GIVEN},
        {"in/hero/hero.glb", "in", FOLDER},
        {"in/hero/hero.glb", "in/heroes", FOLDER},
        {"in/hero/hero.glb", ".", FOLDER},
        {"a/fox.glb", "a", GIVEN},
        {"a/fox.glb", ".", GIVEN},
        {"a/fox.glb", "in", ROOT},
        {"a/fox.glb", "in/hero", ROOT},
        {"a/fox.glb", "a/.private", HIDDEN_NAME},
        {"a/fox.glb", "", GIVEN},
    };
    struct temp_tree tree;
    make_tree(&tree);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct file_access access;
        assert_int_equal(file_access_find(&access, tree.fd, &UPLOADS, rows[i].model), 0);
        const char *folder = rows[i].folder[0] == '\0' ? "." : rows[i].folder;
        const int found = ask(&tree, &access, IMPORT_FILE_LIST, folder);
        if (found != rows[i].outcome)
            fail_msg("%s lists %s: %d, not %d", rows[i].model, folder, found, rows[i].outcome);
        file_access_fini(&access);
    }
    temp_tree_fini(&tree);
}

TEST(file_access_to_a_zip_ends_with_its_folder)
{
    struct temp_tree tree;
    struct file_access access;
    make_tree(&tree);
    assert_int_equal(file_access_find(&access, tree.fd, &UPLOADS, "in/hero/hero.glb"), 0);
    assert_int_equal(renameat(tree.fd, "in/hero", tree.fd, "in/gone"), 0);
    assert_int_equal(renameat(tree.fd, "in/heroes", tree.fd, "in/hero"), 0); /* somebody else's */
    assert_int_equal(ask(&tree, &access, IMPORT_FILE_OPEN, "in/hero/h.glb"), MISSING);
    assert_int_equal(ask(&tree, &access, IMPORT_FILE_OPEN, "in/hero/data/x.bin"), GIVEN);
    file_access_fini(&access);
    temp_tree_fini(&tree);
}

TEST(file_access_needs_a_real_mark)
{
    struct temp_tree tree;
    struct file_access access;
    make_tree(&tree);
    temp_tree_file(&tree, "in/.posed-zip", ""); /* of the upload folder itself: says nothing */
    temp_tree_file(&tree, "in/linked/m.glb", "");
    temp_tree_link(&tree, "in/linked/.posed-zip", "../hero/.posed-zip");
    temp_tree_file(&tree, "in/folder/m.glb", "");
    temp_tree_folder(&tree, "in/folder/.posed-zip");
    static const char *const MODELS[] = {"in/linked/m.glb", "in/folder/m.glb", "in/one.glb"};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(file_access_find(&access, tree.fd, &UPLOADS, MODELS[i]), 0);
        assert_int_equal(access.kind, FILE_ACCESS_ALONE);
        assert_string_equal(access.own, MODELS[i]);
        file_access_fini(&access);
    }
    temp_tree_fini(&tree);
}

/* Mounts the upload folder a second time, as a/again, where only this process sees it. */
static bool mount_again(const struct temp_tree *tree)
{
    char from[128], to[128];
    snprintf(from, sizeof from, "%s/in", tree->path);
    snprintf(to, sizeof to, "%s/a/again", tree->path);
    return (unshare(CLONE_NEWNS) == 0 || unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0) &&
           mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 && mount(from, to, NULL, MS_BIND, NULL) == 0;
}

TEST(file_access_knows_the_upload_folder_under_another_name)
{
    enum { NOT_HERE = 77, GOOD = 0, BAD = 1 };
    struct temp_tree tree;
    struct file_access access;
    make_tree(&tree);
    temp_tree_folder(&tree, "a/again");
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (!mount_again(&tree))
            _exit(NOT_HERE);
        const int root = open(tree.path, O_PATH | O_DIRECTORY);
        const struct temp_tree seen = {.fd = root};
        bool is_good = file_access_find(&access, root, &UPLOADS, "a/fox.glb") == 0 &&
                       ask(&seen, &access, IMPORT_FILE_OPEN, "a/again/one.glb") == ROOT &&
                       ask(&seen, &access, IMPORT_FILE_LIST, "a/again") == ROOT &&
                       ask(&seen, &access, IMPORT_FILE_OPEN, "a/fox.bin") == GIVEN;
        file_access_fini(&access);
        is_good = is_good && file_access_find(&access, root, &UPLOADS, "a/again/one.glb") == 0 &&
                  ask(&seen, &access, IMPORT_FILE_OPEN, "a/fox.bin") == ALONE;
        file_access_fini(&access);
        is_good = is_good && file_access_find(&access, root, &UPLOADS, "a/again/hero/hero.glb") == 0 &&
                  ask(&seen, &access, IMPORT_FILE_OPEN, "a/again/hero/data/x.bin") == GIVEN &&
                  ask(&seen, &access, IMPORT_FILE_OPEN, "a/again/one.glb") == FOLDER;
        file_access_fini(&access);
        _exit(is_good ? GOOD : BAD);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    temp_tree_fini(&tree);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == NOT_HERE)
        skip();
    assert_int_equal(WEXITSTATUS(status), GOOD);
}

TEST(file_access_of_a_stage_is_that_of_the_place)
{
    struct temp_tree tree;
    struct file_access access, copy;
    make_tree(&tree);
    temp_tree_file(&tree, "in/.posed-upload-0/hero/new.bin", "new");
    temp_tree_file(&tree, "in/.posed-upload-0/one.glb", "new");
    const int stage = openat(tree.fd, "in/.posed-upload-0", O_RDONLY | O_DIRECTORY);
    assert_true(file_access_stage(&access, "in/hero/", stage, "hero/"));
    assert_true(file_access_copy(&copy, &access));
    file_access_fini(&access);
    assert_int_equal(ask(&tree, &copy, IMPORT_FILE_OPEN, "in/hero/new.bin"), GIVEN);
    assert_int_equal(ask(&tree, &copy, IMPORT_FILE_OPEN, "in/hero/data/x.bin"), MISSING); /* of the older one */
    assert_int_equal(ask(&tree, &copy, IMPORT_FILE_OPEN, "in/.posed-upload-0/hero/new.bin"), FOLDER);
    assert_int_equal(ask(&tree, &copy, IMPORT_FILE_LIST, "in/hero"), GIVEN);
    file_access_fini(&copy);
    assert_true(file_access_stage(&access, "in/sub/one.glb", stage, "one.glb"));
    close(stage);
    assert_int_equal(ask(&tree, &access, IMPORT_FILE_OPEN, "in/sub/one.glb"), GIVEN);
    assert_int_equal(ask(&tree, &access, IMPORT_FILE_OPEN, "in/one.glb"), ALONE);
    file_access_fini(&access);
    temp_tree_fini(&tree);
}

static struct source source_of(const char *path, bool is_missing)
{
    return (struct source){.path = mem_strdup(path), .role = SOURCE_COMPANION, .is_missing = is_missing};
}

TEST(file_access_looks_again_only_at_what_was_open)
{
    struct temp_tree tree;
    struct file_access access;
    make_tree(&tree);
    assert_int_equal(file_access_find(&access, tree.fd, &UPLOADS, "in/hero/data/x.bin"), 0);
    struct sources *found = sources_new(3);
    found->items[0] = source_of("in/hero/data/x.bin", false);
    found->items[1] = source_of(".env", true); /* asked for, and refused */
    found->items[2] = source_of("in/hero/none.png", true);
    struct sources *kept = file_access_sources(&access, tree.fd, found);
    assert_non_null(kept);
    assert_int_equal(kept->count, 4);
    assert_string_equal(kept->items[1].path, "in/hero/none.png");
    assert_string_equal(kept->items[2].path, "in/hero/data/.posed-zip");
    assert_true(kept->items[2].is_missing);
    assert_string_equal(kept->items[3].path, "in/hero/.posed-zip");
    assert_false(kept->items[3].is_missing);
    sources_free(kept);

    found = sources_new(1); /* as a subverted importer may claim, to learn whether it is true */
    found->items[0] = source_of(".env", false);
    assert_null(file_access_sources(&access, tree.fd, found));
    file_access_fini(&access);
    temp_tree_fini(&tree);
}

TEST(file_access_to_hidden_models)
{
    static const struct {
        const struct file_policy *policy;
        const char *path;
        int code;
    } rows[] = {
        {&UPLOADS, "a/fox.glb", 0},
        {&UPLOADS, ".a/fox.glb", ERR_MODEL_NOT_FOUND},
        {&NONE, "a/.fox.glb", ERR_MODEL_NOT_FOUND},
        {&HIDDEN, "a/.b/fox.glb", 0},
        {&HIDDEN, "in/.posed-upload-0123456789abcdef/fox.glb", ERR_MODEL_NOT_FOUND},
        {&UPLOADS, "a./fo.x.glb", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct err err = {0};
        assert_int_equal(file_access_check_model(rows[i].policy, -1, rows[i].path, &err), rows[i].code);
        assert_true(rows[i].code == 0 || strstr(err.message, rows[i].path) != NULL);
    }
}

TEST(http_document_has_the_table_of_file_access)
{
    char *text = document_read("protocol/http.md"), table[2048] = "| model | opens besides itself |\n|---|---|\n";
#define X(symbol, model, opens, refusal) strcat(table, "| " model " | " opens " |\n");
#include "protocol/file_access.def"
#undef X
    if (strstr(text, table) == NULL)
        fail_msg("http.md should have this table:\n%s", table);
    free(text);
}
