/* Checks out two revisions of a git repository: revisions.h. */
#include "clients/cli/diff/revisions.h"

#include "clients/cli/diff/git.h"
#include "clients/cli/diff/lfs.h"
#include "clients/cli/output/output.h"
#include "clients/cli/output/terminal.h"
#include "clients/cli/server/session.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* Extensions of files that may belong to a model. */
static const char *const COMPANIONS[] = {"bin",      "mtl",  "png", "jpg",  "jpeg", "webp", "tga", "bmp",
                                         "dds",      "ktx2", "ktx", "gif",  "tif",  "tiff", "psd", "material",
                                         "skeleton", "glsl", "hdr", "jfif", "pcx",  "skin", "exr"};

static const struct {
    const char *extension, *companion_of;
} FORMATS[] = {
#define X(extension, name, reader, companion_of, magic, clips, fidelity) {extension, companion_of},
#include "protocol/formats.def"
#undef X
};

struct checkout {
    struct revisions *revisions;
    char *top;                     /* of the repository */
    char *commits[REVISION_SIDES]; /* hashes */
    struct text changed;           /* NUL-terminated paths that differ */
    struct text trees[REVISION_SIDES];
    struct text models; /* NUL-terminated paths of the models to compare */
};

static bool has_extension(const char *path, const char *extension)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash == NULL ? path : slash, '.');
    return dot != NULL && strcasecmp(dot + 1, extension) == 0;
}

static bool is_model(const char *path)
{
    for (size_t i = 0; i < sizeof FORMATS / sizeof *FORMATS; i++)
        if (FORMATS[i].companion_of[0] == '\0' && has_extension(path, FORMATS[i].extension))
            return true;
    return false;
}

static bool is_companion(const char *path)
{
    for (size_t i = 0; i < sizeof COMPANIONS / sizeof *COMPANIONS; i++)
        if (has_extension(path, COMPANIONS[i]))
            return true;
    for (size_t i = 0; i < sizeof FORMATS / sizeof *FORMATS; i++)
        if (FORMATS[i].companion_of[0] != '\0' && has_extension(path, FORMATS[i].extension))
            return true;
    return false;
}

/* Returns the size in bytes of the path's folder, without its last slash; 0 at the top. `size`: that of the path. */
static size_t folder_bytes(const char *path, size_t size)
{
    while (size > 0 && path[size - 1] != '/')
        size--;
    return size > 0 ? size - 1 : 0;
}

static bool is_under(const char *path, const char *folder, size_t size)
{
    return size == 0 || (strncmp(path, folder, size) == 0 && path[size] == '/');
}

/* Returns whether the model may open a file at `path`: see revisions.h. */
static bool may_open(const char *model, const char *path)
{
    const size_t own = folder_bytes(model, strlen(model)), above = folder_bytes(model, own);
    const size_t at = folder_bytes(path, strlen(path)), beside = folder_bytes(path, at);
    return is_under(path, model, own) || (at == above && memcmp(path, model, at) == 0) ||
           (beside == above && memcmp(path, model, beside) == 0);
}

static void put_entry(struct text *list, const char *path) { text_put_bytes(list, path, strlen(path) + 1); }

static bool has_entry(const struct text *list, const char *path)
{
    size_t at = 0;
    for (const char *entry; (entry = git_next(list, &at)) != NULL;)
        if (strcmp(entry, path) == 0)
            return true;
    return false;
}

/* --- what differs --- */

/* Reads "A..B" or "A...B". An empty side means HEAD. Returns 0 or an exit status. */
static int read_commits(struct checkout *checkout, const char *range)
{
    const char *dots = strstr(range, "..");
    if (dots == NULL) {
        terminal_error("--git takes OLD..NEW, two revisions, not '%s'; main...HEAD is from where HEAD left main",
                       range);
        return STATUS_USAGE;
    }
    const bool is_from_base = dots[2] == '.';
    const char *const names[REVISION_SIDES] = {range, dots + 2 + is_from_base};
    for (int s = 0; s < REVISION_SIDES; s++) {
        struct text name = {0}, out = {0};
        const size_t size = s == 0 ? (size_t)(dots - range) : strlen(names[1]);
        text_printf(&name, "%.*s^{commit}", size == 0 ? 4 : (int)size, size == 0 ? "HEAD" : names[s]);
        const char *const ask[] = {"rev-parse", "--verify", "--quiet", "--end-of-options", name.at, NULL};
        const int rc = git_run(NULL, NULL, ask, NULL, &out, true);
        if (rc != 0)
            terminal_error("git knows no revision '%.*s' here", (int)size, names[s]);
        checkout->commits[s] = must_copy(out.at == NULL ? "" : out.at);
        checkout->commits[s][strcspn(checkout->commits[s], "\n")] = '\0';
        text_free(&name);
        text_free(&out);
        if (rc != 0)
            return STATUS_USAGE;
    }
    struct text base = {0};
    const char *const ask[] = {"merge-base", checkout->commits[0], checkout->commits[1], NULL};
    if (is_from_base && git_run(NULL, NULL, ask, NULL, &base, true) == 0) {
        free(checkout->commits[0]);
        checkout->commits[0] = must_copy(base.at);
        checkout->commits[0][strcspn(checkout->commits[0], "\n")] = '\0';
    } else if (is_from_base) {
        terminal_error("the revisions of '%s' have no common ancestor", range);
    }
    const bool is_bad = is_from_base && base.at == NULL;
    text_free(&base);
    return is_bad ? STATUS_USAGE : STATUS_DONE;
}

static int list_changes(struct checkout *checkout, const struct args *args)
{
    enum { FIXED = 7 };
    const char **ask = must_alloc((FIXED + args->positional_count + 1) * sizeof *ask);
    const char *const fixed[FIXED] = {
        "diff", "--name-only", "-z", "--no-renames", checkout->commits[0], checkout->commits[1], "--"};
    memcpy(ask, fixed, sizeof fixed);
    memcpy(ask + FIXED, args->positional, args->positional_count * sizeof *ask);
    int rc = git_run(NULL, NULL, ask, NULL, &checkout->changed, false);
    free(ask);
    for (int s = 0; s < REVISION_SIDES && rc == 0; s++) {
        const char *const list[] = {"ls-tree", "-r", "-z", "--name-only", "--full-tree", checkout->commits[s], NULL};
        rc = git_run(NULL, NULL, list, NULL, &checkout->trees[s], false);
    }
    return rc == 0 ? STATUS_DONE : STATUS_USAGE; /* git has printed the error */
}

static bool is_affected(const struct checkout *checkout, const char *model)
{
    size_t at = 0;
    for (const char *path; (path = git_next(&checkout->changed, &at)) != NULL;)
        if (strcmp(path, model) == 0 || (is_companion(path) && may_open(model, path)))
            return true;
    return false;
}

static void choose_models(struct checkout *checkout)
{
    for (int s = 0; s < REVISION_SIDES; s++) {
        size_t at = 0;
        for (const char *path; (path = git_next(&checkout->trees[s], &at)) != NULL;)
            if (is_model(path) && is_affected(checkout, path) && !has_entry(&checkout->models, path)) {
                put_entry(&checkout->models, path);
                checkout->revisions->model_count++;
            }
    }
}

/* --- files --- */

static bool is_wanted(const struct checkout *checkout, const char *path)
{
    size_t at = 0;
    const bool is_beside = is_companion(path);
    for (const char *model; (model = git_next(&checkout->models, &at)) != NULL;)
        if (strcmp(model, path) == 0 || (is_beside && may_open(model, path)))
            return true;
    return false;
}

/* Turns the filters of Git LFS off. lfs_resolve() runs it if it is installed. */
static int check_out(struct checkout *checkout, int s)
{
    struct text prefix = {0}, index = {0}, list = {0}, out = {0};
    size_t at = 0;
    text_printf(&prefix, "--prefix=%s/", checkout->revisions->folders[s]);
    text_printf(&index, "%s/index%d", checkout->revisions->folder, s);
    for (const char *path; (path = git_next(&checkout->trees[s], &at)) != NULL;)
        if (is_wanted(checkout, path))
            put_entry(&list, path);
    const char *const read[] = {"read-tree", checkout->commits[s], NULL};
    const char *const write[] = {"-c",
                                 "filter.lfs.smudge=",
                                 "-c",
                                 "filter.lfs.process=",
                                 "-c",
                                 "filter.lfs.required=false",
                                 "checkout-index",
                                 "--force",
                                 prefix.at,
                                 "-z",
                                 "--stdin",
                                 NULL};
    int rc = git_run(checkout->top, index.at, read, NULL, &out, false);
    if (rc == 0)
        rc = git_run(checkout->top, index.at, write, &list, &out, false);
    unlink(index.at);
    at = 0;
    for (const char *path; rc == 0 && (path = git_next(&list, &at)) != NULL;)
        lfs_resolve(checkout->top, checkout->revisions->folders[s], path);
    text_free(&prefix);
    text_free(&index);
    text_free(&list);
    text_free(&out);
    return rc == 0 ? STATUS_DONE : STATUS_SERVER;
}

static int make_folders(struct revisions *revisions)
{
    struct text folder = {0};
    const char *temporary = getenv("TMPDIR");
    text_printf(&folder, "%s/posectl-diff-XXXXXX", temporary == NULL || *temporary == '\0' ? "/tmp" : temporary);
    char *made = mkdtemp(folder.at);
    revisions->folder = made == NULL ? NULL : realpath(made, NULL);
    bool is_good = revisions->folder != NULL;
    for (int s = 0; s < REVISION_SIDES && is_good; s++) {
        struct text inner = {0};
        text_printf(&inner, "%s/%s", revisions->folder, s == 0 ? "old" : "new");
        revisions->folders[s] = inner.at;
        is_good = mkdir(inner.at, 0700) == 0;
    }
    if (!is_good)
        terminal_error("cannot make a folder at %s: %s", folder.at, strerror(errno));
    text_free(&folder);
    return is_good ? STATUS_DONE : STATUS_SERVER;
}

static int find_top(struct checkout *checkout)
{
    struct text out = {0};
    const char *const ask[] = {"rev-parse", "--show-toplevel", NULL};
    const int rc = git_run(NULL, NULL, ask, NULL, &out, false);
    checkout->top = must_copy(out.at == NULL ? "" : out.at);
    checkout->top[strcspn(checkout->top, "\n")] = '\0';
    text_free(&out);
    return rc == 0 ? STATUS_DONE : STATUS_USAGE;
}

static int run_steps(struct checkout *checkout, const struct args *args)
{
    int status = find_top(checkout);
    if (status == STATUS_DONE)
        status = read_commits(checkout, args_text(args, OPTION_GIT, ""));
    if (status == STATUS_DONE)
        status = list_changes(checkout, args);
    if (status != STATUS_DONE)
        return status;
    choose_models(checkout);
    if (checkout->revisions->model_count == 0)
        return STATUS_DONE;
    status = make_folders(checkout->revisions);
    for (int s = 0; s < REVISION_SIDES && status == STATUS_DONE; s++)
        status = check_out(checkout, s);
    return status;
}

int revisions_check_out(struct revisions *revisions, const struct args *args)
{
    struct checkout checkout = {.revisions = revisions};
    *revisions = (struct revisions){0};
    if (session_address(args) != NULL) {
        terminal_error("--git needs a private server, because the revisions lie in a temporary folder");
        return STATUS_USAGE;
    }
    const int status = run_steps(&checkout, args);
    free(checkout.top);
    text_free(&checkout.changed);
    text_free(&checkout.models);
    for (int s = 0; s < REVISION_SIDES; s++) {
        free(checkout.commits[s]);
        text_free(&checkout.trees[s]);
    }
    return status;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *walk)
{
    (void)info;
    (void)kind;
    (void)walk;
    return remove(path);
}

void revisions_remove(struct revisions *revisions)
{
    if (revisions->folder != NULL)
        nftw(revisions->folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    free(revisions->folder);
    for (int s = 0; s < REVISION_SIDES; s++)
        free(revisions->folders[s]);
    *revisions = (struct revisions){0};
}
