#include "daemon/importer/import_command.h"

#include "base/mem.h"
#include "daemon/process/worker_env.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *format_option(const char *option)
{
    char text[64];
    snprintf(text, sizeof text, "--%s", option);
    return mem_strdup(text);
}

static char *format_value(uint64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    return mem_strdup(text);
}

void import_command_init(struct import_command *command, const struct config *config)
{
    const size_t size = strlen(config->worker_dir) + sizeof "/posed-import";
    command->program = mem_alloc(size);
    snprintf(command->program, size, "%s/posed-import", config->worker_dir);
    command->args = mem_zalloc(2 * LIMIT_COUNT + 6, sizeof *command->args);
    size_t count = 0;
    command->args[count++] = mem_strdup(command->program);
    for (int i = 0; i < LIMIT_COUNT; i++) {
        const uint64_t value = config->limits.value[i];
        if (LIMIT_INFO[i].option[0] == '\0' || value == LIMIT_INFO[i].initial)
            continue;
        command->args[count++] = format_option(LIMIT_INFO[i].option);
        command->args[count++] = format_value(value);
    }
    if (config->sandbox != SANDBOX_TRY) {
        static const char *const words[] = SANDBOX_MODE_WORDS;
        command->args[count++] = format_option("sandbox");
        command->args[count++] = mem_strdup(words[config->sandbox]);
    }
    command->args[count++] = mem_strdup("--");
    command->path = &command->args[count];
    command->env = worker_env_new(WORKER_ENV_PLAIN, NULL);
}

static void free_list(char **list)
{
    for (size_t i = 0; list[i] != NULL; i++)
        free(list[i]);
    free(list);
}

void import_command_fini(struct import_command *command)
{
    *command->path = NULL; /* was borrowed */
    free(command->program);
    free_list(command->args);
    worker_env_free(command->env);
    *command = (struct import_command){0};
}
