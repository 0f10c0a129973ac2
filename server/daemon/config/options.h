/* options.h - parses the command line and the environment into a struct config.
 *
 * One table: every option is a flag (--cache-bytes 2g or --cache-bytes=2g) and, unless it asks for an action, an
 * environment variable (POSED_CACHE_BYTES). Flags win over the environment, the environment over the defaults. An empty
 * variable counts as unset. Sizes take k, m, g, t (powers of 1024; KiB, MB, ... mean the same); times take ms, s, m, h;
 * each row of the help gives the unit of a bare number. Every limit of protocol/limits.def with an option name is an
 * option. */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "daemon/config/config.h"
#include "daemon/config/system_limits.h"

enum options_action { OPTIONS_SERVE, OPTIONS_CHECK, OPTIONS_SELF_TEST, OPTIONS_HEALTH, OPTIONS_HELP, OPTIONS_VERSION };

/* Fills *out and returns what to do, or ERR_BAD_PARAMETER with a sentence that names the option or variable.
 * Strings of *out point into argv, the environment or static memory. `get` is getenv(). */
int options_parse(struct config *out, int argc, char **argv, char *(*get)(const char *name),
                  const struct system_limits *machine, struct err *err);

/* Checks that the root is a folder and that the worker programs exist. Returns 0 or ERR_BAD_PARAMETER. */
int options_check(const struct config *config, struct err *err);

/* Fills *out with the defaults on this machine. Strings point into static memory. */
void options_defaults(struct config *out, const struct system_limits *machine);

/* Appends the text for --help: groups, variables and the defaults on this machine, wrapped at `columns`; 0: at 80. */
void options_help(struct buf *out, const struct system_limits *machine, size_t columns);

/* Appends the text for --check-config: each option with its value, as NAME=VALUE lines. */
void options_print(struct buf *out, const struct config *config);
