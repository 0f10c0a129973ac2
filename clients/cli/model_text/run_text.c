/* posectl text: prints the text of a model, for `git diff` and other programs that compare lines. */
#include "clients/cli/command_line/commands.h"
#include "clients/cli/diff/lfs.h"
#include "clients/cli/model_text/model_text.h"
#include "clients/cli/output/output.h"
#include "clients/cli/output/regular_file.h"
#include "clients/cli/output/terminal.h"
#include "clients/cli/server/command_context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The first line of a pointer, which Git LFS stores in place of a file (its specification, "The Pointer"). */
static const char LFS_POINTER[] = "version https://git-lfs.github.com/spec/v1\n";
enum { POINTER_MOST = 1024 };

/* Reads the file if it is a pointer of Git LFS; else puts nothing. */
static void read_pointer(const char *path, struct text *out)
{
    char bytes[POINTER_MOST];
    FILE *file = regular_file_read(path);
    const size_t size_bytes = file == NULL ? 0 : fread(bytes, 1, sizeof bytes, file);
    if (file != NULL)
        fclose(file);
    if (size_bytes >= sizeof LFS_POINTER - 1 && memcmp(bytes, LFS_POINTER, sizeof LFS_POINTER - 1) == 0)
        text_put_bytes(out, bytes, size_bytes);
}

/* Puts a text for a model that cannot be read. The exit status stays 0, because another one would end `git diff`. */
static void put_refusal(const struct connection *connection, const char *model, struct text *out)
{
    char code[64];
    connection_error_code(connection, code);
    text_printf(out, "this model cannot be read: %s: ", code);
    text_put_printable(out, connection_error_message(connection, model));
    text_put(out, "\n");
}

static int put_model(const struct args *args, struct text *out)
{
    struct command_context context = {0};
    int status = context_open_models(&context, args, 1, 1);
    if (status == STATUS_DONE) {
        const char *model = context.paths.arguments[0].path;
        const int rc = model_text_put(&context.connection, model, out);
        if (rc == POSED_E_SERVER)
            put_refusal(&context.connection, model, out);
        else if (rc != 0)
            status = connection_status(&context.connection, rc);
    }
    context_close(&context);
    return status;
}

/* Puts the content that the pointer stands for, if git-lfs provides it. Otherwise puts the pointer, whose lines
 * identify the content. */
static int put_pointer(const struct args *args, struct text *pointer, struct text *out)
{
    const char *path = args->positional[0], *slash = strrchr(path, '/'), *name = slash == NULL ? path : slash + 1;
    char folder[] = "/tmp/posectl-XXXXXX";
    struct text copy = {0}, problem = {0}, still = {0};
    if (mkdtemp(folder) == NULL)
        folder[0] = '\0';
    text_printf(&copy, "%s/%s", folder, name);
    int status = STATUS_DONE;
    if (folder[0] == '\0' || output_write(copy.at, NULL, pointer->at, pointer->size_bytes, &problem) < 0)
        text_put_bytes(&still, pointer->at, pointer->size_bytes);
    else {
        lfs_resolve(".", folder, name);
        read_pointer(copy.at, &still);
    }
    if (still.size_bytes == 0) {
        struct args of_copy = *args;
        const char *positional[] = {copy.at};
        of_copy.positional = positional;
        of_copy.values[OPTION_MODELS] = NULL;
        status = put_model(&of_copy, out);
    } else {
        text_put(out, "a pointer of Git LFS; `git lfs pull` fetches what it stands for\n");
        for (char *line = strtok(still.at, "\n"); line != NULL; line = strtok(NULL, "\n")) {
            text_put_printable(out, line);
            text_put(out, "\n");
        }
    }
    if (folder[0] != '\0') {
        unlink(copy.at);
        rmdir(folder);
    }
    text_free(&copy);
    text_free(&problem);
    text_free(&still);
    return status;
}

int run_text(const struct args *args)
{
    struct text pointer = {0}, out = {0};
    if (args->positional_count == 1 && session_address(args) == NULL)
        read_pointer(args->positional[0], &pointer);
    int status = pointer.size_bytes > 0 ? put_pointer(args, &pointer, &out) : put_model(args, &out);
    if (status == STATUS_DONE)
        status = output_give(args_text(args, OPTION_FILE, "-"), out.at, out.size_bytes);
    text_free(&pointer);
    text_free(&out);
    return status;
}
