/* Tells what the name of a file that is not there may have meant. */
#include "clients/cli/server/missing_path.h"

#include "clients/cli/output/terminal.h"

#include "base/nearest.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { NAMES_MAX = 4096 }; /* of a folder that are looked at */

/* Puts the most similar name, "" for none, of the folder; `last` is the name that is not there. */
static void find_nearest(const char *folder, const char *last, char out[NAME_MAX + 1])
{
    struct nearest nearest = NEAREST_NONE;
    DIR *names = opendir(folder);
    out[0] = '\0';
    for (int i = 0; names != NULL && i < NAMES_MAX; i++) {
        const struct dirent *entry = readdir(names);
        if (entry == NULL)
            break;
        const size_t edits = nearest.edits;
        if (entry->d_name[0] != '.')
            nearest_consider(&nearest, entry->d_name, last, strlen(last));
        if (nearest.edits < edits)
            snprintf(out, NAME_MAX + 1, "%s", entry->d_name);
    }
    if (names != NULL)
        closedir(names);
}

void missing_path_report(const char *given)
{
    const int error = errno;
    const char *slash = strrchr(given, '/'), *last = slash == NULL ? given : slash + 1;
    char folder[PATH_MAX], name[NAME_MAX + 1] = "";
    const int size = (int)(last - given);
    if (error == ENOENT && size < PATH_MAX) {
        snprintf(folder, sizeof folder, "%.*s", size == 0 ? 1 : size, size == 0 ? "." : given);
        find_nearest(folder, last, name);
    }
    if (name[0] == '\0')
        terminal_error("'%s': %s", given, strerror(error));
    else
        terminal_error("'%s': %s; did you mean '%.*s%s'?", given, strerror(error), size, given, name);
}
