#include "daemon/renderer/shader_cache.h"

#include "base/mem.h"
#include "daemon/disk/disk_file.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool is_safe(const char *path)
{
    struct err err;
    const int fd = disk_folder_open(path, &err);
    if (fd < 0)
        return false;
    close(fd);
    return true;
}

char *shader_cache_env(const struct config *config)
{
    static const char NAME[] = "MESA_SHADER_CACHE_DIR=";
    char text[PATH_MAX + sizeof NAME];
    if (strcmp(config->cache_dir, "none") == 0)
        return NULL;
    const int size = snprintf(text, sizeof text, "%s%s/shaders", NAME, config->cache_dir);
    if (size < 0 || (size_t)size >= sizeof text || !is_safe(config->cache_dir) || !is_safe(text + sizeof NAME - 1))
        return NULL;
    return mem_strdup(text);
}
