#include "clients/cli/pass/pass_many.h"

#include "clients/cli/pass/output_names.h"
#include "clients/cli/server/pattern.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool pass_many_is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

bool pass_many_is_meant(const struct args *args)
{
    static const enum option_id ONLY[] = {OPTION_INCLUDE, OPTION_EXCLUDE, OPTION_SHARD,
                                          OPTION_JOBS,    OPTION_PRUNE,   OPTION_FORCE,
                                          OPTION_RETRY,   OPTION_REPORT,  OPTION_REPORT_FORMAT};
    bool is_many = args->positional_count > 1;
    for (size_t i = 0; i < sizeof ONLY / sizeof *ONLY; i++)
        is_many |= args_has(args, ONLY[i]);
    for (size_t i = 0; i < args->positional_count && !is_many; i++) {
        const char *path = args->positional[i];
        struct stat info;
        is_many = session_address(args) != NULL
                      ? pattern_is_one(path) || path_is_remote_folder(path)
                      : pass_many_is_folder(path) || (lstat(path, &info) != 0 && pattern_is_one(path));
    }
    return is_many;
}

int pass_many_check_out(const struct pass *pass, size_t path_count)
{
    char out[PATH_MAX];
    size_t rest;
    if (!pass->connected.session.is_private || realpath(pass->out, out) == NULL ||
        !path_is_beneath(pass->connected.session.folder, out, &rest))
        return STATUS_DONE;
    for (size_t i = 0; i < path_count; i++) {
        const struct path_argument *argument = &pass->connected.paths.arguments[i];
        if (argument->kind == PATH_FOLDER && strcmp(argument->path, out + rest) == 0) {
            terminal_error(
                "the output folder %s is the folder of the models; choose another one, such as a folder in it",
                pass->out);
            return STATUS_USAGE;
        }
    }
    return STATUS_DONE;
}

static void name_outputs(struct model_list *models, const char *extension)
{
    size_t first;
    const size_t whole = output_names_set(models, extension, &first);
    if (whole > 0)
        terminal_info("%zu models keep the extension in the names of their files, because there are others of the same "
                      "name: %s becomes %s",
                      whole, models->items[first].model, models->items[first].out);
}

static void keep_shard(struct model_list *models, const struct args *args)
{
    size_t kept = 0;
    for (size_t i = 0; i < models->count; i++)
        if (model_is_in_shard(args, models->items[i].model))
            models->items[kept++] = models->items[i];
        else
            model_list_free_item(&models->items[i]);
    models->count = kept;
}

int pass_many_list(struct pass *pass, size_t path_count, const char *extension, int (*leave_out)(struct pass *pass))
{
    struct args all = *pass->args;
    struct paths paths = pass->connected.paths;
    all.values[OPTION_SHARD] = NULL;
    paths.count = path_count;
    int status = model_list_read(&pass->models, &paths, &all, &pass->connected.connection);
    if (status == STATUS_DONE && leave_out != NULL)
        status = leave_out(pass);
    if (status != STATUS_DONE)
        return status;
    name_outputs(&pass->models, extension);
    keep_shard(&pass->models, pass->args);
    return STATUS_DONE;
}
