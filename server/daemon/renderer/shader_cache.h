/* shader_cache.h - where render workers keep what their driver compiled, so that the next one starts at once. */
#pragma once

#include "daemon/config/config.h"

/* "MESA_SHADER_CACHE_DIR=..." for a worker's environment: a folder in --cache-dir, made when it is missing. NULL when
 * there is none, or when somebody else may write there: what lies in it is run as code. The caller's to free. */
char *shader_cache_env(const struct config *config);
