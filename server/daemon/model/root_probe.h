/* root_probe.h - checks regularly whether the root is readable, for /readyz. A file system that does not answer, such
 * as a network mount, blocks only the thread of that check. Loop thread only. */
#pragma once

#include "base/err.h"

#include <uv.h>

struct root_probe;

/* Starts the probe; the first check begins at once. */
struct root_probe *root_probe_new(uv_loop_t *loop, const char *path);
/* Returns the result of the last check, without waiting: 0, or ERR_UNAVAILABLE with a sentence, also if a check takes
 * too long. */
int root_probe_check(const struct root_probe *probe, struct err *err);
/* Stops the probe; a check under way ends by itself, and its memory is freed while the loop runs. NULL is fine. */
void root_probe_free(struct root_probe *probe);
