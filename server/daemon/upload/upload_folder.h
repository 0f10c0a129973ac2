/* upload_folder.h - decides where the folder of uploads is, and whether it may be there. Start-up only. */
#pragma once

#include "base/err.h"
#include "daemon/config/config.h"

/* Notes in config->files the place of config->uploads under the root, and creates the folder if only its last part is
 * missing, which the log says. It must not hold files that only the operator may write or read. Call it before opening
 * anything. ERR_BAD_PARAMETER. */
int upload_folder_find(struct config *config, struct err *err);

/* Makes the same checks without changing anything. ERR_BAD_PARAMETER. */
int upload_folder_check(const struct config *config, struct err *err);
