/* reader_target.h - what the fuzz targets of model readers do alike. The functions end the process where an answer
 * breaks its contract. */
#pragma once

#include "import/source/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Limits for targets: small, so that what a limit stops costs little. */
void reader_limits(struct limits *limits);

/* The bytes in a block of their own with the NUL byte behind them that readers count on. The caller frees it. */
uint8_t *reader_copy(const uint8_t *data, size_t size);

/* An answer is 0, or an error with its code and a message. */
void reader_check(int rc, const struct err *err);

/* The bytes as the file `path`, beside which there is no other: `read` (one of import.h) reads them and the model is
 * finished, or they are refused with a reason. They are gone when the model is finished. */
void reader_run(const char *path, int (*read)(struct import *import, struct err *err), const uint8_t *data, size_t size,
                const struct limits *limits);
