/* answer_formats.h - GET /v1/formats: which files this build reads, and how exactly (protocol/formats.def). Pure. */
#pragma once

#include "../base/buf.h"

void answer_formats(struct buf *out);
