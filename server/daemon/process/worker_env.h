/* worker_env.h - the environment of worker processes: nothing of the daemon's own, which may hold secrets of whoever
 * started it. */
#pragma once

/* LANG=C and the variables that start with one of `prefixes` (ended by NULL), as a list ended by NULL. also: NULL, or
 * "NAME=value" for when NAME is not set. */
char **worker_env_new(const char *const prefixes[], const char *also);
void worker_env_free(char **env);

/* What a sanitizer needs, and scripts in tests. */
extern const char *const WORKER_ENV_PLAIN[];
/* Besides, what GL drivers and their loaders go by. */
extern const char *const WORKER_ENV_DRIVER[];
