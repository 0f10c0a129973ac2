/* config_warnings.h - what the start's log and --check-config warn of: it works, but is probably not meant so. */
#pragma once

#include "daemon/config/config.h"

/* Calls tell() with each sentence. environment: environ. It may look up names of hosts, so it may wait. */
void config_warnings(const struct config *config, char *const environment[], void (*tell)(const char *sentence));
