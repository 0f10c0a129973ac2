/* one_model.h - what the commands that ask once share: a server, a link, and the model's name there. */
#pragma once

#include "clients/cli/server/paths.h"
#include "clients/cli/server/session.h"

struct command_context {
    struct paths places;
    struct session session;
    struct connection link;
    const char *model; /* of the first argument; NULL for none */
};

/* Of `count_max` arguments at most. Returns 0 or an exit status after complaining; context_close() in any case. */
int context_open(struct command_context *one, const struct args *args, size_t count_max);
/* The same for a command whose argument is a folder or none of the server's business. */
int context_open_server(struct command_context *one, const struct args *args);
/* The answer to the command about the model, with the parameters of the command line; `format`, unless NULL, where that
 * names none. Returns 0 or an exit status after complaining. */
int context_request(struct command_context *one, const struct args *args, const char *format,
                    struct posed_packet *answer);
void context_close(struct command_context *one);
