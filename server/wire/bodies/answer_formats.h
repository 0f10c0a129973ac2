/* answer_formats.h - GET /v1/formats: which files this build reads, and how exactly (protocol/formats.def). Pure. */
#pragma once

#include "base/buf.h"

/* Appends the whole answer, as JSON. */
void answer_formats(struct buf *out);
