#include "daemon/process/worker_env.h"

#include "base/mem.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const WORKER_ENV_PLAIN[] = {
    "PATH=", "ASAN_OPTIONS=", "UBSAN_OPTIONS=", "LSAN_OPTIONS=", "TSAN_OPTIONS=", NULL};
const char *const WORKER_ENV_DRIVER[] = {
    "PATH=",      "ASAN_OPTIONS=", "UBSAN_OPTIONS=", "LSAN_OPTIONS=", "TSAN_OPTIONS=", "HOME=", "TMPDIR=", "LD_",
    "XDG_CACHE_", "MESA_",         "LIBGL_",         "GALLIUM_",      "LP_",           "EGL_",  "__EGL_",  "DRI_",
    NULL};

static bool is_kept(const char *variable, const char *const prefixes[])
{
    for (size_t i = 0; prefixes[i] != NULL; i++)
        if (strncmp(variable, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

static bool is_set(char *const env[], const char *variable)
{
    for (; *env != NULL; env++)
        if (strncmp(*env, variable, strcspn(variable, "=") + 1) == 0)
            return true;
    return false;
}

char **worker_env_new(const char *const prefixes[], const char *also)
{
    size_t count = 0, total = 0;
    while (environ[total] != NULL)
        total++;
    char **env = mem_zalloc(total + 3, sizeof *env);
    env[count++] = mem_strdup("LANG=C");
    for (size_t i = 0; i < total; i++)
        if (is_kept(environ[i], prefixes))
            env[count++] = mem_strdup(environ[i]);
    if (also != NULL && !is_set(env, also))
        env[count++] = mem_strdup(also);
    return env;
}

void worker_env_free(char **env)
{
    for (size_t i = 0; env != NULL && env[i] != NULL; i++)
        free(env[i]);
    free(env);
}
