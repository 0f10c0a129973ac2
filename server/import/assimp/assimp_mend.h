/* assimp_mend.h - rewrites valid text files that assimp 5.2.5 refuses, so that it reads them, and refuses versions that
 * it cannot read. Pure; any thread. */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* IFC4 lets entities omit the owner history, which assimp requires. This function adds a dummy one that nothing reads.
 * *out gets the changed text of *out_bytes; the caller frees it with free(). Returns false if no owner history is
 * missing. */
bool assimp_mend_ifc(const uint8_t *bytes, size_t size_bytes, uint8_t **out, size_t *out_bytes);

/* Hides the vertex colours of OpenGEX files: assimp refuses colours of three numbers, and with colours of four it
 * writes out of bounds. The results are those of assimp_mend_ifc(). */
bool assimp_mend_ogex(const uint8_t *bytes, size_t size_bytes, uint8_t **out, size_t *out_bytes);

/* Parts "1,0" in texts of DirectX, which assimp takes for a number with a decimal comma, unless the text's numbers have
 * one. The results are those of assimp_mend_ifc(). */
bool assimp_mend_x(const uint8_t *bytes, size_t size_bytes, uint8_t **out, size_t *out_bytes);

/* Removes what assimp takes for data in SMD files, or waits behind forever: blanks at the beginning of a line, and
 * comments. Blanks in the names of materials become a sign that assimp_mend_smd_name() turns back. The results are
 * those of assimp_mend_ifc(). */
bool assimp_mend_smd(const uint8_t *bytes, size_t size_bytes, uint8_t **out, size_t *out_bytes);
void assimp_mend_smd_name(char *name, size_t size_bytes);

/* Refuses Blender files that assimp cannot read: compressed files of 3.0 and newer, all files of 4.0 and newer, and
 * files of 2.80 to 3.6 if is_read is false because assimp returned no face. Returns 0,
 * ERR_UNSUPPORTED_FILE, which names the version and a remedy, or ERR_BAD_MODEL. */
int assimp_check_blend(const uint8_t *bytes, size_t size_bytes, bool is_read, struct err *err);

/* Turns assimp's error text `why` for a file of this format (formats.def) into a readable sentence without assimp's
 * internal names and source locations. Returns ERR_BAD_MODEL or ERR_IMPORT_MEMORY. */
int assimp_failure(const char *extension, const char *format, const char *why, struct err *err);
