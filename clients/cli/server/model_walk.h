/* model_walk.h - finds the models in local folders, by the rules of a server's own list and of .posedignore. */
#pragma once

#include "clients/cli/output/json.h"

#include <stdbool.h>

struct model_walk {
    const char *root;        /* absolute */
    const cJSON *formats;    /* "formats" of /v1/formats: the extensions of models */
    bool keeps_hidden_links; /* does not resolve links to hidden files, because the server would serve those */
    /* Receives each model: its path under the root, and the file that it is, or that a symbolic link leads to. */
    void (*found)(void *context, const char *model, const char *source);
    /* Receives each symbolic link to a folder that the walk does not reach otherwise, and its target. The walk follows
     * no links to folders. */
    void (*left_out)(void *context, const char *link, const char *target);
    void *context;
    const char *folder; /* the walked folder; model_walk() sets it */
    size_t unread;      /* number of folders that could not be read; each was printed */
};

/* Walks `folder` under the root, "" for the root itself. */
void model_walk(struct model_walk *walk, const char *folder);
