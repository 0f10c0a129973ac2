/* import.h - one import: what every format's reader gets and fills, and what readers have in common.
 *
 * One thread, one import a process. Memory comes from mem_alloc(): when it is exhausted, the process reports that and
 * ends. */
#pragma once

#include "import/source/source_files.h"

#include "base/buf.h"
#include "base/file_formats.h"

struct import {
    const char *path;     /* of the model, under the root */
    const uint8_t *bytes; /* the whole file, followed by a NUL byte that does not count */
    size_t size_bytes;
    struct source_files *files;
    struct bake_builder *builder;
    struct model_info *info; /* the builder's only info, already added; the reader fills format, axes, unit */
    const struct limits *limits;
    uint64_t extras_bytes; /* of all extras that import_add_extra() took */
};

enum { IDENTITY_SIZE = 65 };

/* Which importer this is: two with the same identity make the same model of the same files. SHA-256, in hex, over the
 * build ids (ELF note NT_GNU_BUILD_ID) of the program and of every library that is loaded, in the order of loading: a
 * library that is upgraded in place changes it. An object without a build id is hashed by its file's name, size and
 * time. Call it before the sandbox, which allows no access to files. */
void identity_make(char out[IDENTITY_SIZE]);
/* The same of the libraries alone: what an import makes follows from these, from IMPORT_VERSION and from the files. */
void identity_make_of_libraries(char out[IDENTITY_SIZE]);

/* True for the small text file that Git LFS leaves in place of one it has not fetched. Pure. */
bool format_is_lfs_pointer(const uint8_t *bytes, size_t size_bytes);
/* Before any reader sees the bytes: whether they can be the format that the file's extension says. Returns 0,
 * ERR_EMPTY_FILE (no bytes, or white space only), ERR_LFS_POINTER or ERR_NOT_A_MODEL (the format's magic is not there).
 * Pure. */
int format_check(const struct file_format *format, const uint8_t *bytes, size_t size_bytes, struct err *err);

/* True for a path that ends in ".zip". */
bool zip_unpack_is_zip(const char *path);
/* Unpacks the zip that is import->bytes (worker/archive.h), by libzip: in the importer's process, because a zip is as
 * hostile as a model. Folders, hidden files (a part of the path that begins with a dot) and the __MACOSX folder are
 * left out; '\\' counts as '/'. ERR_NOT_A_MODEL: no zip; ERR_BAD_MODEL: a damaged, encrypted or absolute entry, one
 * with a '..' part, a link, or the same name twice; ERR_MODEL_LIMIT: more than LIMIT_ARCHIVE_FILES files or
 * LIMIT_BAKED_BYTES bytes. Messages name the entry. */
int zip_unpack(const struct import *import, struct buf *out, struct err *err);

/* glTF 2.0 and GLB, by our own reader. Fills everything but what bake_finish() derives.
 * Returns 0, ERR_NOT_A_MODEL, ERR_BAD_MODEL, ERR_MODEL_LIMIT, ERR_UNSUPPORTED_EXTENSION, ERR_COMPANION_MISSING. */
int import_gltf(struct import *import, struct err *err);

/* FBX, by our own reader. Same contract. */
int import_fbx(struct import *import, struct err *err);

/* 3MF, by our own reader. Same contract. */
int import_threemf(struct import *import, struct err *err);

/* COLLADA and its archives, by our own reader. Same contract. */
int import_collada(struct import *import, struct err *err);

/* Ogre's binary meshes, by our own reader. Same contract. */
int import_ogre(struct import *import, struct err *err);

/* Quake II's MD2, by our own reader. Same contract. */
int import_md2(struct import *import, struct err *err);

/* PLY and STL, by our own readers. Same contract. */
int import_ply(struct import *import, struct err *err);
int import_stl(struct import *import, struct err *err);

/* X3D, by our own reader. Same contract. */
int import_x3d(struct import *import, struct err *err);

/* A Radiance picture, which is no model but an environment. Same contract; the model that it makes is one of
 * anim/light/panorama.h. */
int import_environment(struct import *import, struct err *err);

/* Everything else, by assimp. Same contract. */
int import_assimp(struct import *import, struct err *err);

/* After the reader: derives the rest of the model, checks its limits, and adds its content hash and its source files.
 * Returns 0, ERR_BAD_MODEL or ERR_MODEL_LIMIT. */
int import_finish(struct import *import, struct err *err);

/* The error to return after a bake_add_...() gave NULL. */
int import_full(const struct import *import, struct err *err);
/* import_put_node(), ...: adds a copy of one element to the builder. Returns 0 or what import_full() does. */
#define X(id, singular, plural, type, item_bytes)                                                                      \
    static inline int import_put_##singular(struct import *import, const type *value, struct err *err)                 \
    {                                                                                                                  \
        type *added = bake_add_##singular(import->builder, 1);                                                         \
        if (added == NULL)                                                                                             \
            return import_full(import, err);                                                                           \
        *added = *value;                                                                                               \
        return 0;                                                                                                      \
    }
#include "anim/model/model_sections.def"
#undef X

/* What a file says of one node. */
enum visibility { VISIBILITY_INHERITED, VISIBILITY_HIDDEN, VISIBILITY_SHOWN /* even below a hidden node */ };

/* Sets NODE_HIDES of hidden nodes, and NODE_HIDDEN of hidden nodes and of those below them, once all have their
 * parents. visibilities[node_count]. */
void import_hide_nodes(struct import *import, const enum visibility *visibilities);

/* Refuses to go from `have` to `have + more` when that passes the limit; `where` is the culprit in the file. */
int import_check_limit(const struct import *import, enum limit limit, uint64_t have, uint64_t more, const char *where,
                       struct err *err);

/* The last part of the model's path. */
const char *import_file_name(const struct import *import);

/* Adds `json`, without white space, as the extras of a thing that `where` names in messages. In order: owners rise, and
 * indices of one owner. Text that is not JSON, or exceeds LIMIT_EXTRAS_BYTES with the extras before it, is left out
 * with a warning. Returns 0 or ERR_MODEL_LIMIT. */
int import_add_extra(struct import *import, enum extra_owner owner, uint32_t index, const char *json, size_t size_bytes,
                     const char *where, struct err *err);

/* One marker too many, or without a finite time, is left out with a warning. In any order: import_sort_markers() then.
 * Returns 0 or ERR_MODEL_LIMIT. */
int import_add_marker(struct import *import, const struct marker *marker, struct err *err);
void import_sort_markers(struct import *import);

/* The identity of a model's content: everything that answers are made from, but not where the files are.
 * SHA-256 over all that was imported: of each section of model_sections.def, in its order, the id (u32), the number of
 * elements (u64) and the elements, with the content hash itself as zeros. Call it after bake_finish() and before
 * source_files_record(): paths and stamps of files are not content, so a copy in another place has the same hash. A
 * texture that is missing, undecodable or over a limit changes the elements, and so the hash. Pure; any thread. */
void content_hash(const struct bake_builder *builder, uint8_t out[32]);
