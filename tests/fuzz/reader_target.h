/* reader_target.h - the common parts of fuzz targets for model readers. The functions end the process if a result
 * breaks its contract. */
#pragma once

#include "import/source/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Sets small limits, so that inputs beyond a limit cost little. */
void reader_limits(struct limits *limits);

/* Copies the bytes into a block of their own, with the NUL byte after them that readers expect. The caller frees it. */
uint8_t *reader_copy(const uint8_t *data, size_t size);

/* Checks a result: 0, or an error with its code and a message. */
void reader_check(int rc, const struct err *err);

/* Runs `read` (one of import.h) on the bytes as the file `path`, without other files beside it. It must read them, and
 * the model is finished; or refuse them with a reason. The bytes are gone when the model is finished. */
void reader_run(const char *path, int (*read)(struct import *import, struct err *err), const uint8_t *data, size_t size,
                const struct limits *limits);

/* The same, where a line "---" parts the model from a file with the name `beside` next to it, which has the rest of the
 * bytes. */
void reader_run_beside(const char *path, int (*read)(struct import *import, struct err *err), const char *beside,
                       const uint8_t *data, size_t size, const struct limits *limits);
