/* worker_command.c - builds the argument vectors and the environments of posed-import and posed-render. */
#include "daemon/process/worker_command.h"

#include "base/mem.h"
#include "worker/render_job.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- the environment --- */

/* The first PLAIN_COUNT are for each worker. */
static const char *const KEPT[] = {
    "PATH=",      "ASAN_OPTIONS=", "UBSAN_OPTIONS=", "LSAN_OPTIONS=", "TSAN_OPTIONS=", "HOME=", "TMPDIR=", "LD_",
    "XDG_CACHE_", "MESA_",         "LIBGL_",         "GALLIUM_",      "LP_",           "EGL_",  "__EGL_",  "DRI_"};
enum { PLAIN_COUNT = 5, DRIVER_COUNT = sizeof KEPT / sizeof *KEPT };

static bool is_kept(const char *variable, size_t kept_count)
{
    for (size_t i = 0; i < kept_count; i++)
        if (strncmp(variable, KEPT[i], strlen(KEPT[i])) == 0)
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

/* also: "NAME=value" for each unset NAME, terminated by NULL. */
static char **make_env(size_t kept_count, const char *const *also)
{
    size_t count = 0, total = 0, also_count = 0;
    while (environ[total] != NULL)
        total++;
    while (also[also_count] != NULL)
        also_count++;
    char **env = mem_zalloc(total + also_count + 2, sizeof *env);
    env[count++] = mem_strdup("LANG=C");
    for (size_t i = 0; i < total; i++)
        if (is_kept(environ[i], kept_count))
            env[count++] = mem_strdup(environ[i]);
    for (; *also != NULL; also++)
        if (!is_set(env, *also))
            env[count++] = mem_strdup(*also);
    return env;
}

/* --- the command lines --- */

void worker_command_add(struct worker_command *command, const char *argument)
{
    command->args = mem_realloc(command->args, (command->count + 2) * sizeof *command->args);
    command->args[command->count++] = mem_strdup(argument);
    command->args[command->count] = NULL;
}

static void add_option(struct worker_command *command, const char *name, const char *value)
{
    char option[64];
    snprintf(option, sizeof option, "--%s", name);
    worker_command_add(command, option);
    worker_command_add(command, value);
}

static void add_number(struct worker_command *command, const char *name, uint64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    add_option(command, name, text);
}

static void begin(struct worker_command *command, const struct config *config, const char *program)
{
    static const char *const MODES[] = SANDBOX_MODE_WORDS;
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", config->worker_dir, program);
    *command = (struct worker_command){0};
    worker_command_add(command, path);
    add_option(command, "sandbox", MODES[config->sandbox]);
}

void worker_command_import(struct worker_command *command, const struct config *config)
{
    begin(command, config, "posed-import");
    static const char *const ALSO[] = {"LD_BIND_NOW=1", /* once for all that a fork server makes */
                                       NULL};
    command->env = make_env(PLAIN_COUNT, ALSO);
    for (int i = 0; i < LIMIT_COUNT; i++) /* limits that the importer does not know itself */
        if (LIMIT_INFO[i].option[0] != '\0' && config->limits.value[i] != LIMIT_INFO[i].initial)
            add_number(command, LIMIT_INFO[i].option, config->limits.value[i]);
}

/* Far more than the longest sheet takes, so that a renderer makes way for a fresh one between two pictures. */
static uint64_t render_cpu_s(const struct limits *limits)
{
    static const uint64_t least_s = 3600, sheets = 4;
    const uint64_t pictures = RENDER_CELLS_MAX / RENDER_CELLS_A_PICTURE;
    const uint64_t sheets_s = limits->value[LIMIT_RENDER_CPU_S] * pictures * sheets;
    return sheets_s > least_s ? sheets_s : least_s;
}

void worker_command_render(struct worker_command *command, const struct config *config, const char *shader_cache)
{
    begin(command, config, "posed-render");
    command->env = make_env(DRIVER_COUNT, (const char *const[]){shader_cache, NULL});
    add_option(command, "gl", config->gl);
    add_number(command, "memory", config->limits.value[LIMIT_RENDER_MEMORY_BYTES]);
    add_number(command, "cpu", render_cpu_s(&config->limits));
}

static void free_list(char **list)
{
    for (size_t i = 0; list != NULL && list[i] != NULL; i++)
        free(list[i]);
    free(list);
}

void worker_command_fini(struct worker_command *command)
{
    free_list(command->args);
    free_list(command->env);
    *command = (struct worker_command){0};
}
