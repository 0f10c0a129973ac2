/* posed_file.h - the .posed file: a model as the evaluator needs it, for programs that have no importer.
 *
 * Format: protocol/posed-file.md. It has what moves - nodes, skins, meshes, clips - under the numbers of the model it
 * was made of, and nothing that only pictures need. Pure: bytes in, bytes out; any thread.
 *
 * Sections of two kinds. Those of the file's version are what it keeps from one release to the next: a reader knows
 * every version it can read. The compiled ones (from MODEL_COMPILED_ID on) are of one BAKE_VERSION: a reader of another
 * one leaves them and compiles the clips anew. With the same BAKE_VERSION a pose has the bits of the server that made
 * the file, whatever machine reads it. */
#pragma once

#include "anim/model/bake_builder.h"
#include "base/buf.h"
#include "base/err.h"

enum { POSED_FILE_VERSION = 1 };
#define POSED_FILE_CONTENT_TYPE "application/vnd.posed.model"

/* A file that was opened. */
struct posed_file {
    struct model model; /* checked; its arrays lie in the bytes, or in `own` */
    bool is_compiled;   /* the clips were compiled while it was opened; the bytes are not needed any more */
    uint32_t version;   /* of the file */
    uint64_t checksum;
    struct bake_builder own; /* private */
};

/* Appends the file to `out`. The model has passed bake_check(). Returns 0, or ERR_MODEL_LIMIT or ERR_NO_MEMORY when
 * `out`, with its limit, has no room. */
int posed_file_write(const struct model *model, struct buf *out, struct err *err);

/* Checks the file as bake_decode() checks an importer's result - total on any bytes - and fills *file. The bytes are
 * borrowed: they stay, unchanged, until posed_file_fini(). They lie at a multiple of 64 bytes, or it is ERR_BAD_BAKE.
 * Returns 0, ERR_BAD_BAKE (damaged, or of a version that this program does not read), ERR_MODEL_LIMIT or ERR_NO_MEMORY;
 * nothing needs to be freed then. Linear in the size, and where clips are compiled anew as an import does that. */
int posed_file_open(struct posed_file *file, const void *bytes, uint64_t size_bytes, struct err *err);
void posed_file_fini(struct posed_file *file);
