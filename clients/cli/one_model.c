#include "one_model.h"

#include "posectl.h"

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

void one_model_close(struct one_model *one)
{
    link_close(&one->link);
    session_end(&one->session);
    places_free(&one->places);
}
