/* model_walk.h - finds the models in local folders, by the rules of a server's own list and by .posedignore. */
#pragma once

#include "clients/cli/output/json.h"

#include <stdbool.h>

struct model_walk {
    const char *root;        /* absolute */
    const cJSON *formats;    /* "formats" of /v1/formats: which extensions are models */
    bool keeps_hidden_links; /* a link to a hidden file is not followed: the server would answer of it */
    /* Called with each model: where it lies under the root, and the file that a symbolic link leads to. */
    void (*found)(void *context, const char *model, const char *source);
    /* Called with each symbolic link to a folder that is not walked otherwise, and where it leads: links to folders are
     * not followed. */
    void (*left_out)(void *context, const char *link, const char *target);
    void *context;
    const char *folder; /* that is walked, set by model_walk() */
    size_t unread;      /* counts folders that could not be read, after printing why */
};

/* Walks `folder` under the root, "" for the root itself. */
void model_walk(struct model_walk *walk, const char *folder);
