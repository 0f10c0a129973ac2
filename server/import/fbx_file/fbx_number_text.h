/* fbx_number_text.h - the text of a number in an ASCII file, with all its digits. Pure. */
#pragma once

#include "import/fbx_file/fbx_file.h"

/* The text of value number `value` of a record with separately stored values. Size 0: the file is binary, or the value
 * is not a number. */
struct fbx_span fbx_number_text(const struct fbx_file *file, uint32_t record, uint32_t value);
