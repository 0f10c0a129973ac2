/* places.h - which files on the command line are which models of the server, and which models lie in a folder. */
#pragma once

#include "clients/cli/server/session.h"

struct listed_model {
    char *model;  /* where it lies: a path under the server's root */
    char *source; /* what the server is asked for: the same, or where a link leads, for the server follows none */
    char *out;    /* the model under the output folder: what is made of it is named after it */
};

enum path_kind { PATH_FOLDER, PATH_MODEL, PATH_PATTERN };

/* One positional argument. */
struct path_argument {
    enum path_kind kind;
    char *path;       /* under the server's root, "" for the root itself */
    size_t out_start; /* so much of a model's path is not in the name of what is made of it */
};

struct paths {
    char folder[4096]; /* absolute, what a private server has to serve; "" with another server */
    struct path_argument *place;
    size_t count;
    size_t unread;   /* folders that model_list_read() could not look into, and said so */
    bool is_waiting; /* watch: model_list_read() has said which places mean no model yet */
};

/* Looks at the positional arguments: no server is needed. Returns 0 or an exit status after complaining. */
int paths_resolve(struct paths *places, const struct args *args);
/* The folder alone: --models, else the current one. */
int paths_resolve_root(struct paths *places, const struct args *args);
void paths_free(struct paths *places);
/* Whether the absolute `path` is `folder` or beneath it, and then where the part beneath it begins. */
bool path_is_beneath(const char *folder, const char *path, size_t *rest);

/* Every model that they mean, sorted, once each: folders are walked (of a private server here, of another by its list),
 * with
 * --include, --exclude and .posedignore. Returns 0 or an exit status after complaining: STATUS_USAGE where a place
 * means none, unless watch waits for them. */
int model_list_read(struct paths *places, const struct args *args, struct connection *link, struct listed_model **items,
                    size_t *count);
void model_list_free(struct listed_model *items, size_t count);
