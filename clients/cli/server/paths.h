/* paths.h - which paths under the server's root the arguments of a command mean. Needs no server. */
#pragma once

#include "clients/cli/command_line/args.h"

enum path_kind { PATH_FOLDER, PATH_MODEL, PATH_PATTERN };

/* One positional argument. */
struct path_argument {
    enum path_kind kind;
    char *path;       /* under the server's root, "" for the root itself */
    size_t out_start; /* output files are named after a model's path from this byte on */
};

struct paths {
    char folder[4096]; /* absolute: the root for a private server; "" with a running one */
    struct path_argument *arguments;
    size_t count;
};

/* Resolves the positional arguments. Returns 0 or an exit status after printing why. */
int paths_resolve(struct paths *paths, const struct args *args);
/* Finds the root alone: --models, else the current folder. */
int paths_resolve_root(struct paths *paths, const struct args *args);
void paths_free(struct paths *paths);
/* Whether the absolute `path` is `folder` or beneath it, and then where the part beneath it begins. */
bool path_is_beneath(const char *folder, const char *path, size_t *rest);
