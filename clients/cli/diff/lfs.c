/* Resolves pointers of Git LFS: lfs.h. */
#include "clients/cli/diff/lfs.h"

#include "clients/cli/diff/git.h"
#include "clients/cli/output/output.h"
#include "clients/cli/output/regular_file.h"
#include "clients/cli/output/terminal.h"

#include <stdio.h>
#include <string.h>

/* A pointer consists of this line and two more (git-lfs, docs/spec.md). */
#define POINTER "version https://git-lfs.github.com/spec/v1\n"
enum { POINTER_MOST = 1024 };

static void read_pointer(const char *path, struct text *out)
{
    char bytes[POINTER_MOST + 1];
    FILE *file = regular_file_read(path);
    const size_t size = file == NULL ? 0 : fread(bytes, 1, sizeof bytes, file);
    if (file != NULL)
        fclose(file);
    if (size <= POINTER_MOST && size > strlen(POINTER) && memcmp(bytes, POINTER, strlen(POINTER)) == 0)
        text_put_bytes(out, bytes, size);
}

void lfs_resolve(const char *top, const char *folder, const char *path)
{
    static bool is_told;
    struct text file = {0}, pointer = {0}, content = {0}, problem = {0};
    const char *const smudge[] = {"lfs", "smudge", "--", path, NULL};
    text_printf(&file, "%s/%s", folder, path);
    read_pointer(file.at, &pointer);
    const bool is_pointer = pointer.size_bytes > 0;
    const int rc = is_pointer ? git_run(top, NULL, smudge, &pointer, &content, true) : 0;
    if (is_pointer && rc == 0 &&
        output_write(file.at, NULL, content.at == NULL ? "" : content.at, content.size_bytes, &problem) < 0)
        terminal_error("%s", problem.at);
    if (rc != 0 && !is_told)
        terminal_error(
            "%s is a pointer of Git LFS, and git lfs smudge does not give its content; is git-lfs installed?", path);
    is_told = is_told || rc != 0;
    text_free(&file);
    text_free(&pointer);
    text_free(&content);
    text_free(&problem);
}
