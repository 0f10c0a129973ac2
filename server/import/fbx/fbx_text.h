/* fbx_text.h - fbx_scan() for FBX files in text form, line by line. Private to fbx_*.c; pure. */
#pragma once

#include "import/fbx/fbx_scan.h"

/* What fbx_scan() returns. `text` needs no NUL. */
struct fbx_findings fbx_scan_text(const char *text, size_t size_bytes);

/* Counts a moving curve, of whose pieces all KeyAttrFlags are ored together. */
void fbx_count_curve(struct fbx_findings *losses, uint32_t flags);
