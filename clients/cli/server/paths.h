/* paths.h - resolves the arguments of a command to paths under the server's root. Needs no server. */
#pragma once

#include "clients/cli/command_line/args.h"

/* PATH_LEAVES: a link to a folder outside the root, which was printed. */
enum path_kind { PATH_FOLDER, PATH_MODEL, PATH_PATTERN, PATH_LEAVES };

/* One positional argument. */
struct path_argument {
    enum path_kind kind;
    char *path; /* under the server's root, "" for the root itself. A link to a model is resolved. A dangling link, or
                   one that leaves the root, stays, and the server refuses it */
    size_t out_start; /* the names of output files begin at this byte of a model's path */
};

struct paths {
    char folder[4096]; /* absolute: the root for a private server; "" with a running one */
    bool names_hidden; /* an argument itself, not the target of a link, has a hidden part under the root */
    struct path_argument *arguments;
    size_t count;
};

/* Resolves the positional arguments. Returns 0, or an exit status after printing the error.
 *
 * The root is --models. Without it, the root is the current folder if all arguments are named in it, else the closest
 * folder that contains them. The targets of links do not widen the root: a model may open every file of the root, and
 * somebody else may have made the link. A single folder outside the current one may be a link. */
int paths_resolve(struct paths *paths, const struct args *args);
/* Finds only the root: --models, else the current folder. */
int paths_resolve_root(struct paths *paths, const struct args *args);
/* Sets out_start of the only argument: names of output files do not contain the folder that was named. paths_resolve()
 * does it. */
void path_argument_name_outputs(struct path_argument *argument);
/* Returns whether an argument means a folder under a running server's root, which posectl does not see: it ends with a
 * slash, or has no extension, which all models have. */
bool path_is_remote_folder(const char *given);
void paths_free(struct paths *paths);
/* Returns whether the absolute `path` is `folder` or beneath it, and sets *rest to the start of the part beneath it. */
bool path_is_beneath(const char *folder, const char *path, size_t *rest);
/* Returns whether a part of the path begins with a dot. Such files are hidden. */
bool path_is_hidden(const char *path);
