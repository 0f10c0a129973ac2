/* posed_file.h - the .posed file: a model in the form that the evaluator needs, for programs without an importer.
 *
 * Format: protocol/posed-file.md. It has everything that moves (nodes, skins, meshes, clips) under the indices of the
 * original model, and nothing that only pictures need. Pure: bytes in, bytes out; any thread.
 *
 * There are two kinds of sections. Those of the file's version stay the same from release to release; each reader knows
 * all versions that it can read. The compiled sections (from MODEL_COMPILED_ID on) belong to one BAKE_VERSION. A reader
 * with another one ignores them and compiles the clips again. With the same BAKE_VERSION a pose has the same bits as on
 * the server that made the file, on any machine. */
#pragma once

#include "anim/compiled/clip_sections.h"
#include "anim/model/bake_builder.h"
#include "base/buf.h"
#include "base/err.h"

enum { POSED_FILE_VERSION = 3 };
#define POSED_FILE_CONTENT_TYPE "application/vnd.posed.model"

/* An opened file. */
struct posed_file {
    struct model model; /* checked; its arrays are in the file's bytes, in `own` or in `restored` */
    bool is_compiled;   /* opening it compiled the clips; the file's bytes are no longer needed */
    uint32_t version;   /* version of the file */
    uint64_t checksum;
    /* private */
    struct bake_builder own;
    struct clip_sections restored;
};

/* Appends the file to `out`. The model must have passed bake_check(). Returns 0, or ERR_MODEL_LIMIT or ERR_NO_MEMORY
 * when `out` has no room within its limit. */
int posed_file_write(const struct model *model, struct buf *out, struct err *err);

/* Checks the file as strictly as bake_decode() checks an importer's result (any bytes are safe), and fills *file. The
 * bytes are borrowed and must stay unchanged until posed_file_fini(). They must lie at a multiple of 64 bytes, else
 * ERR_BAD_BAKE. Returns 0, ERR_BAD_BAKE (damaged, or a version that this program does not read), ERR_MODEL_LIMIT or
 * ERR_NO_MEMORY; after an error nothing needs to be freed. Linear in the size, except that compiling clips takes as
 * long as at import. */
int posed_file_open(struct posed_file *file, const void *bytes, uint64_t size_bytes, struct err *err);
void posed_file_fini(struct posed_file *file);
