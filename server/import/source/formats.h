/* formats.h - whether a file's content can be the format that its ending says. Pure; any thread. */
#pragma once

#include "base/err.h"
#include "base/file_formats.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* True for the small text file that Git LFS leaves in place of one it has not fetched. */
bool format_is_lfs_pointer(const uint8_t *bytes, size_t size_bytes);

/* Before any reader sees the bytes. Returns 0, ERR_EMPTY_FILE (no bytes, or white space only),
 * ERR_LFS_POINTER or ERR_NOT_A_MODEL (the format's magic is not there). */
int format_check(const struct file_format *format, const uint8_t *bytes, size_t size_bytes, struct err *err);
