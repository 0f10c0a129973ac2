/* body_put_formats.h - GET /v1/formats: which files this build reads, and how exactly (protocol/formats.def). Pure. */
#pragma once

#include "base/buf.h"

/* Appends the whole answer, as JSON. */
void body_put_formats(struct buf *out);
