/* root_probe.h - looks now and then whether the root can be read, for /readyz. A file system that does not answer, as a
 * network mount may, keeps only the thread of that look waiting. Loop thread only. */
#pragma once

#include "base/err.h"

#include <uv.h>

struct root_probe;

/* The first look begins at once. */
struct root_probe *root_probe_new(uv_loop_t *loop, const char *path);
/* What the last look found: 0, or ERR_UNAVAILABLE with a sentence, also for a look that has taken too long. Does not
 * wait. */
int root_probe_check(const struct root_probe *probe, struct err *err);
/* A look under way ends by itself; the rest goes while the loop runs. NULL is fine. */
void root_probe_free(struct root_probe *probe);
