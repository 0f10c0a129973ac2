#include "clients/cli/ask/command_context.h"

#include "clients/cli/output/terminal.h"

#include <string.h>
#include <unistd.h>

int context_open(struct command_context *one, const struct args *args, size_t count_max)
{
    memset(one, 0, sizeof *one);
    if (args->positional_count > count_max) {
        terminal_error("posectl %s takes one model; '%s' is too much", COMMANDS[args->command].name,
                       args->positional[count_max]);
        return STATUS_USAGE;
    }
    const int status = paths_resolve(&one->places, args);
    if (status != STATUS_DONE)
        return status;
    for (size_t i = 0; i < one->places.count; i++)
        if (one->places.place[i].kind != PATH_MODEL) {
            terminal_error("'%s' is no model; thumbs and check take folders and patterns", args->positional[i]);
            return STATUS_USAGE;
        }
    one->model = one->places.place[0].path;
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (session_start(&one->session, args, one->places.folder,
                      args->command == COMMAND_BENCH && cores > 1 ? (unsigned)cores : 1) < 0 ||
        connection_open(&one->link, &one->session) < 0)
        return STATUS_SERVER;
    return STATUS_DONE;
}

int context_open_server(struct command_context *one, const struct args *args)
{
    const bool has_folder = args->command == COMMAND_MODELS && args->positional_count > 0;
    memset(one, 0, sizeof *one);
    const int status = has_folder ? paths_resolve(&one->places, args) : paths_resolve_root(&one->places, args);
    if (status != STATUS_DONE)
        return status;
    if (has_folder && one->places.place[0].kind != PATH_FOLDER &&
        (one->places.folder[0] != '\0' || one->places.place[0].kind == PATH_PATTERN)) {
        terminal_error("'%s' is no folder", args->positional[0]);
        return STATUS_USAGE;
    }
    one->model = has_folder ? one->places.place[0].path : NULL;
    return session_start(&one->session, args, one->places.folder, 1) < 0 ||
                   connection_open(&one->link, &one->session) < 0
               ? STATUS_SERVER
               : STATUS_DONE;
}

int context_request(struct command_context *one, const struct args *args, const char *format,
                    struct posed_packet *answer)
{
    struct text target = {0}, body = {0};
    text_printf(&target, "/v1/%s?model=", COMMANDS[args->command].name);
    text_put_url(&target, one->model);
    args_put_query(args, &target);
    if (format != NULL && args_parameter(args, "format") == NULL)
        text_printf(&target, "&format=%s", format);
    const bool has_body = args_put_body(args, &body);
    const int status = connection_request_or_report(&one->link, target.at, has_body ? body.at : NULL, answer);
    text_free(&target);
    text_free(&body);
    return status;
}

void context_close(struct command_context *one)
{
    connection_close(&one->link);
    session_end(&one->session);
    paths_free(&one->places);
}
