/* posectl text: the text of a model, for `git diff` and other programs that compare lines. */
#include "clients/cli/command_line/commands.h"
#include "clients/cli/model_text/model_text.h"
#include "clients/cli/output/output.h"
#include "clients/cli/output/terminal.h"
#include "clients/cli/server/command_context.h"

#include <stdio.h>
#include <string.h>

/* What Git LFS keeps in place of a file begins so (its specification, "The Pointer"). */
static const char LFS_POINTER[] = "version https://git-lfs.github.com/spec/v1\n";
enum { POINTER_MOST = 1024 };

/* The file as text where it is a pointer of Git LFS, whose content is not here: its lines name it. */
static bool put_pointer(const char *path, struct text *out)
{
    char bytes[POINTER_MOST + 1];
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return false;
    const size_t size_bytes = fread(bytes, 1, POINTER_MOST, file);
    fclose(file);
    bytes[size_bytes] = '\0';
    if (strncmp(bytes, LFS_POINTER, sizeof LFS_POINTER - 1) != 0)
        return false;
    text_put(out, "a pointer of Git LFS; `git lfs pull` fetches what it stands for\n");
    for (char *line = strtok(bytes, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        text_put_printable(out, line);
        text_put(out, "\n");
    }
    return true;
}

/* A model that cannot be read has a text as well, and no status that would end `git diff`. */
static void put_refusal(const struct connection *connection, const char *model, struct text *out)
{
    char code[64];
    connection_error_code(connection, code);
    text_printf(out, "this model cannot be read: %s: ", code);
    text_put_printable(out, connection_error_message(connection, model));
    text_put(out, "\n");
}

int run_text(const struct args *args)
{
    struct command_context context = {0};
    struct text out = {0};
    int status = STATUS_DONE;
    const bool is_pointer =
        args->positional_count == 1 && session_address(args) == NULL && put_pointer(args->positional[0], &out);
    if (!is_pointer)
        status = context_open_models(&context, args, 1, 1);
    if (!is_pointer && status == STATUS_DONE) {
        const char *model = context.paths.arguments[0].path;
        const int rc = model_text_put(&context.connection, model, &out);
        if (rc == POSED_E_SERVER)
            put_refusal(&context.connection, model, &out);
        else if (rc != 0)
            status = connection_status(&context.connection, rc);
    }
    if (status == STATUS_DONE)
        status = output_give(args_text(args, OPTION_FILE, "-"), out.at, out.size_bytes);
    text_free(&out);
    context_close(&context);
    return status;
}
