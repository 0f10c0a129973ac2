/* Bakes the clips of one file onto the joints of another model: --onto, with the server's parameters of retargeting. */
#include "clients/cli/bake/bake.h"

#include "clients/cli/output/terminal.h"

#include <stdlib.h>
#include <string.h>

int bake_onto_check(const struct args *args)
{
    const bool has_onto = args_has(args, OPTION_ONTO);
    if (!has_onto && args->parameter_count > 0) {
        struct text name = {0};
        flag_put_name(&name, args->parameters[0].name);
        terminal_error("%s is about clips that move another model: --onto MODEL", name.at);
        text_free(&name);
    } else if (has_onto && strcmp(args_text(args, OPTION_BAKE_CLIPS, ""), "rest") == 0) {
        terminal_error("--onto and --clips rest contradict each other: no file's clip moves the rest pose");
    } else {
        return STATUS_DONE;
    }
    return STATUS_USAGE;
}

int bake_onto_open(struct bake_onto *onto, const struct args *args, struct connection *connection, const char *model)
{
    struct text query = {0}, body = {0}, members = {0};
    onto->model = model;
    text_put(&query, "");
    text_put(&members, "");
    args_put_query(args, &query);
    if (args_put_body(args, &body)) { /* without its braces */
        text_put_bytes(&members, body.at + 1, body.size_bytes - 2);
        text_put(&members, ",");
    }
    text_free(&body);
    onto->query = query.at;
    onto->members = members.at;
    return connection_status(connection, connection_request_json(connection, "model", model, "", NULL, &onto->about));
}

void bake_onto_close(struct bake_onto *onto)
{
    cJSON_Delete(onto->about);
    free(onto->query);
    free(onto->members);
}

void bake_play_onto(struct bake *bake, const struct bake_onto *onto)
{
    bake->onto = onto;
    bake->model = onto->model;
    bake->about = onto->about;
}

void bake_put_clip_file(const struct bake *bake, struct text *query)
{
    text_put(query, "&clip_file=");
    text_put_url(query, bake->clip_file);
    text_printf(query, "&clip_hash=%s%s", member_text(bake->clip_about, "hash"), bake->onto->query);
}
