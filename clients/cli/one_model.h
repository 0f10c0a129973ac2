/* one_model.h - what the commands about one model share: a server, a link, and the model's name there. */
#pragma once

#include "places.h"
#include "session.h"

struct one_model {
    struct places places;
    struct session session;
    struct link link;
    const char *model; /* of the first argument */
};

/* Of `count_max` arguments at most. Returns 0 or an exit status after complaining; one_model_close() in any case. */
int one_model_open(struct one_model *one, const struct args *args, size_t count_max);
void one_model_close(struct one_model *one);
