/* import_command.h - the command line and environment of an importer process. Built once at start. */
#pragma once

#include "daemon/config/config.h"

struct import_command {
    char *program; /* path of posed-import */
    char **args;   /* program, limits that differ from their defaults, "--", then room for the model's path, NULL */
    char **path;   /* that room */
    char **env;    /* nothing of the daemon's own beyond what a sanitizer needs */
};

/* Copies what it needs of *config. */
void import_command_init(struct import_command *command, const struct config *config);
void import_command_fini(struct import_command *command);
