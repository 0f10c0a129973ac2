/* opaque_background.h - the background of a file that has no transparency. Pure. */
#pragma once

#include "clients/cli/output/text.h"

/* Appends what `given`, as background= takes it (protocol/http.md), is over white; NULL: white. */
void opaque_background_put(struct text *out, const char *given);
