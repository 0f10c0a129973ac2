#include "clients/cli/ask/one_model.h"

#include "clients/cli/output/posectl.h"

#include <string.h>
#include <unistd.h>

int one_model_open(struct one_model *one, const struct args *args, size_t count_max)
{
    memset(one, 0, sizeof *one);
    if (args->positional_count > count_max) {
        complain("posectl %s takes one model; '%s' is too much", COMMANDS[args->command].name,
                 args->positional[count_max]);
        return STATUS_USAGE;
    }
    const int status = places_find(&one->places, args);
    if (status != STATUS_DONE)
        return status;
    for (size_t i = 0; i < one->places.count; i++)
        if (one->places.place[i].kind != PLACE_MODEL) {
            complain("'%s' is no model; thumbs and check take folders and patterns", args->positional[i]);
            return STATUS_USAGE;
        }
    one->model = one->places.place[0].path;
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (session_start(&one->session, args, one->places.folder,
                      args->command == COMMAND_BENCH && cores > 1 ? (unsigned)cores : 1) < 0 ||
        link_open(&one->link, &one->session) < 0)
        return STATUS_SERVER;
    return STATUS_DONE;
}

int one_model_open_server(struct one_model *one, const struct args *args)
{
    const bool has_folder = args->command == COMMAND_MODELS && args->positional_count > 0;
    memset(one, 0, sizeof *one);
    const int status = has_folder ? places_find(&one->places, args) : places_find_root(&one->places, args);
    if (status != STATUS_DONE)
        return status;
    if (has_folder && one->places.place[0].kind != PLACE_FOLDER &&
        (one->places.folder[0] != '\0' || one->places.place[0].kind == PLACE_PATTERN)) {
        complain("'%s' is no folder", args->positional[0]);
        return STATUS_USAGE;
    }
    one->model = has_folder ? one->places.place[0].path : NULL;
    return session_start(&one->session, args, one->places.folder, 1) < 0 || link_open(&one->link, &one->session) < 0
               ? STATUS_SERVER
               : STATUS_DONE;
}

int one_model_ask(struct one_model *one, const struct args *args, const char *format, struct posed_packet *answer)
{
    struct text target = {0}, body = {0};
    text_printf(&target, "/v1/%s?model=", COMMANDS[args->command].name);
    text_put_url(&target, one->model);
    args_put_query(args, &target);
    if (format != NULL && args_parameter(args, "format") == NULL)
        text_printf(&target, "&format=%s", format);
    const bool has_body = args_put_body(args, &body);
    const int status = link_ask_or_complain(&one->link, target.at, has_body ? body.at : NULL, answer);
    text_free(&target);
    text_free(&body);
    return status;
}

void one_model_close(struct one_model *one)
{
    link_close(&one->link);
    session_end(&one->session);
    places_free(&one->places);
}
