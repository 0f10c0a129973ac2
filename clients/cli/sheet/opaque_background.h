/* opaque_background.h - finds the background of a file format without transparency. Pure function. */
#pragma once

#include "clients/cli/output/text.h"

/* Appends `given`, a value of background= (protocol/http.md), blended over white. NULL: white. */
void opaque_background_put(struct text *out, const char *given);
