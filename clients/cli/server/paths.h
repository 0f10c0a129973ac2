/* paths.h - which paths under the server's root the arguments of a command mean. Needs no server. */
#pragma once

#include "clients/cli/command_line/args.h"

/* PATH_LEAVES: a link that leads to a folder outside the root, which was printed. */
enum path_kind { PATH_FOLDER, PATH_MODEL, PATH_PATTERN, PATH_LEAVES };

/* One positional argument. */
struct path_argument {
    enum path_kind kind;
    char *path;       /* under the server's root, "" for the root itself. Of a link to a model, that model; of a link
                         that leads nowhere or out of the root, the link, which the server refuses */
    size_t out_start; /* output files are named after a model's path from this byte on */
};

struct paths {
    char folder[4096]; /* absolute: the root for a private server; "" with a running one */
    bool names_hidden; /* an argument itself, not where a link leads, has a hidden part under the root */
    struct path_argument *arguments;
    size_t count;
};

/* Resolves the positional arguments. Returns 0 or an exit status after printing why.
 *
 * The root is --models; else the current folder where all arguments are named in it; else the closest folder that holds
 * those that are named. Where a link among the arguments leads does not widen it: a model opens every file of the root,
 * and who makes a link need not be who runs posectl. One folder alone, named from outside it, may be a link. */
int paths_resolve(struct paths *paths, const struct args *args);
/* Finds the root alone: --models, else the current folder. */
int paths_resolve_root(struct paths *paths, const struct args *args);
void paths_free(struct paths *paths);
/* Whether the absolute `path` is `folder` or beneath it, and then where the part beneath it begins. */
bool path_is_beneath(const char *folder, const char *path, size_t *rest);
/* Whether a part of the path begins with a dot: such files are hidden. */
bool path_is_hidden(const char *path);
