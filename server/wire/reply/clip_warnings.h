/* clip_warnings.h - what an answer warns of about one file of clips. Pure; one thread. */
#pragma once

#include "anim/retarget/retarget_report.h"
#include "wire/reply/reply_context.h"

/* Appends {"code":..,"message":..} for each warning of the pair of a model and a file, with commas between them. */
void clip_warnings_put(const struct reply_context *context, const struct retarget_report *report);
