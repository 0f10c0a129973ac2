#include "clients/cli/server/command_context.h"

#include "clients/cli/output/terminal.h"

static int connect_context(struct command_context *context, const struct args *args, unsigned jobs)
{
    return session_start(&context->session, args, &context->paths, jobs) < 0 ||
                   connection_open(&context->connection, &context->session, NULL, NULL) < 0
               ? STATUS_SERVER
               : STATUS_DONE;
}

int context_open(struct command_context *context, const struct args *args, unsigned jobs)
{
    const int status = paths_resolve(&context->paths, args);
    return status != STATUS_DONE ? status : connect_context(context, args, jobs);
}

int context_open_models(struct command_context *context, const struct args *args, size_t count_max, unsigned jobs)
{
    if (args->positional_count > count_max) {
        terminal_error("posectl %s takes one model; unexpected argument '%s'", COMMANDS[args->command].name,
                       args->positional[count_max]);
        return STATUS_USAGE;
    }
    const int status = paths_resolve(&context->paths, args);
    for (size_t i = 0; i < context->paths.count && status == STATUS_DONE; i++)
        if (context->paths.arguments[i].kind != PATH_MODEL) {
            terminal_error(
                "'%s' is not a model; only thumbs, dataset, watch, check, convert and bake take folders and patterns",
                args->positional[i]);
            return STATUS_USAGE;
        }
    return status != STATUS_DONE ? status : connect_context(context, args, jobs);
}

int context_open_server(struct command_context *context, const struct args *args)
{
    const bool has_folder = args->command == COMMAND_MODELS && args->positional_count > 0;
    const struct paths *paths = &context->paths;
    const int status = has_folder ? paths_resolve(&context->paths, args) : paths_resolve_root(&context->paths, args);
    if (status != STATUS_DONE)
        return status;
    if (has_folder && paths->arguments[0].kind != PATH_FOLDER &&
        (paths->folder[0] != '\0' || paths->arguments[0].kind == PATH_PATTERN)) {
        terminal_error("'%s' is not a folder", args->positional[0]);
        return STATUS_USAGE;
    }
    return connect_context(context, args, 1);
}

void context_close(struct command_context *context)
{
    connection_close(&context->connection);
    session_end(&context->session);
    paths_free(&context->paths);
}
