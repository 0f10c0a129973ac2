/* fbx_number_text.h - a number of an ASCII file as it is written, with every digit. Pure. */
#pragma once

#include "import/fbx_file/fbx_file.h"

/* The `value`-th value of a record with single values. Size 0: the file is binary, or it is no number. */
struct fbx_span fbx_number_text(const struct fbx_file *file, uint32_t record, uint32_t value);
