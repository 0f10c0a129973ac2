/* one_model.h - what the commands that ask once share: a server, a link, and the model's name there. */
#pragma once

#include "clients/cli/server/places.h"
#include "clients/cli/server/session.h"

struct one_model {
    struct places places;
    struct session session;
    struct link link;
    const char *model; /* of the first argument; NULL for none */
};

/* Of `count_max` arguments at most. Returns 0 or an exit status after complaining; one_model_close() in any case. */
int one_model_open(struct one_model *one, const struct args *args, size_t count_max);
/* The same for a command whose argument is a folder or none of the server's business. */
int one_model_open_server(struct one_model *one, const struct args *args);
/* The answer to the command about the model, with the parameters of the command line; `format`, unless NULL, where that
 * names none. Returns 0 or an exit status after complaining. */
int one_model_ask(struct one_model *one, const struct args *args, const char *format, struct posed_packet *answer);
void one_model_close(struct one_model *one);
