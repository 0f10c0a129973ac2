/* import.h - one import: the input and output of every format's reader, and the functions that readers share.
 *
 * Single-threaded; a process runs one import. Memory comes from mem_alloc(): when it is exhausted, the process reports
 * that and exits. */
#pragma once

#include "import/source/source_files.h"

#include "base/buf.h"
#include "base/file_formats.h"

/* Something of the file that the model lacks: import_drop(). */
struct import_drop {
    const char *code;
    char what[64], where[96]; /* printable, without quotes; the first place */
    uint32_t count;
};
enum { IMPORT_DROPS_MAX = 64 };

struct import {
    const char *path;     /* path of the model, relative to the root */
    const uint8_t *bytes; /* the whole file, followed by a NUL byte that size_bytes does not include */
    size_t size_bytes;
    struct source_files *files;
    struct bake_builder *builder;
    struct model_info *info; /* the builder's only info, already added; the reader fills format, axes and unit */
    const struct limits *limits;
    uint64_t extras_bytes; /* total size of the extras that import_add_extra() accepted */
    struct import_drop drops[IMPORT_DROPS_MAX];
    uint32_t drop_count;
};

enum { IDENTITY_SIZE = 65 };

/* Identifies this importer: two importers with the same identity make the same model from the same files. The identity
 * is the SHA-256, in hex, of the build ids (ELF note NT_GNU_BUILD_ID) of the program and of every loaded library, in
 * loading order, so an in-place upgrade of a library changes it. An object without a build id contributes its file's
 * name, size and time. Call it before entering the sandbox, which allows no access to files. */
void identity_make(char out[IDENTITY_SIZE]);
/* The same for the libraries alone. These, IMPORT_VERSION and the files determine the result of an import. */
void identity_make_of_libraries(char out[IDENTITY_SIZE]);

/* Returns true for the small text file that Git LFS leaves in place of a file it has not fetched. Pure. */
bool format_is_lfs_pointer(const uint8_t *bytes, size_t size_bytes);
/* Checks, before any reader sees the bytes, whether they can have the format of the file's extension. Returns 0,
 * ERR_EMPTY_FILE (no bytes, or only white space), ERR_LFS_POINTER, ERR_UNSUPPORTED_FILE (another program's, whose files
 * have this extension too) or ERR_NOT_A_MODEL (the format's magic is missing). Pure. */
int format_check(const struct file_format *format, const uint8_t *bytes, size_t size_bytes, struct err *err);

/* Returns true for a path that ends in ".zip". */
bool zip_unpack_is_zip(const char *path);
/* Unpacks the zip in import->bytes (worker/archive.h) with libzip. It does so in the importer's process, because a zip
 * is as hostile as a model. It skips folders, hidden files (a component of the path begins with a dot) and the __MACOSX
 * folder; '\\' counts as '/'. Returns ERR_NOT_A_MODEL if the bytes are no zip, and ERR_BAD_MODEL for an entry that is
 * damaged, encrypted, absolute or a link, has a '..' component, or has the name of another entry. Returns
 * ERR_MODEL_LIMIT for more than LIMIT_ARCHIVE_FILES files or LIMIT_BAKED_BYTES bytes. Messages name the entry. */
int zip_unpack(const struct import *import, struct buf *out, struct err *err);

/* Reads glTF 2.0 and GLB with our own reader. Fills everything that bake_finish() does not derive. Returns 0,
 * ERR_NOT_A_MODEL, ERR_BAD_MODEL, ERR_MODEL_LIMIT, ERR_UNSUPPORTED_EXTENSION or ERR_COMPANION_MISSING. */
int import_gltf(struct import *import, struct err *err);

/* FBX, by our own reader. Same contract. */
int import_fbx(struct import *import, struct err *err);

/* BVH, by our own reader. Same contract. */
int import_bvh(struct import *import, struct err *err);

/* Wavefront OBJ, by our own reader. Same contract. */
int import_obj(struct import *import, struct err *err);

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

/* Reads a Radiance image, which is an environment and not a model. Same contract; the result is a model of
 * anim/light/panorama.h. */
int import_environment(struct import *import, struct err *err);

/* Reads all other formats with assimp. Same contract. */
int import_assimp(struct import *import, struct err *err);

/* Call after the reader. Derives the rest of the model, checks its limits, and adds its content hash and source files.
 * Returns 0, ERR_BAD_MODEL or ERR_MODEL_LIMIT. */
int import_finish(struct import *import, struct err *err);

/* The error to return after a bake_add_...() function returned NULL. */
int import_full(const struct import *import, struct err *err);
/* import_put_node(), ...: adds a copy of one element to the builder. Returns 0 or the error of import_full(). */
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

/* The visibility that a file gives one node. */
enum visibility { VISIBILITY_INHERITED, VISIBILITY_HIDDEN, VISIBILITY_SHOWN /* even below a hidden node */ };

/* Sets NODE_HIDES on hidden nodes, and NODE_HIDDEN on hidden nodes and their descendants, after all nodes have their
 * parents. visibilities[node_count]. */
void import_hide_nodes(struct import *import, const enum visibility *visibilities);

/* Returns an error if an increase from `have` to `have + more` exceeds the limit; `where` names the culprit in the
 * file. */
int import_check_limit(const struct import *import, enum limit limit, uint64_t have, uint64_t more, const char *where,
                       struct err *err);

/* The last component of the model's path. */
const char *import_file_name(const struct import *import);

/* Adds `json`, which has no white space, as the extras of an element that `where` names in messages. Calls must be in
 * ascending order of owner, then of index. Text that is not JSON, or that exceeds LIMIT_EXTRAS_BYTES together with
 * earlier extras, is left out with a warning. Returns 0 or ERR_MODEL_LIMIT. */
int import_add_extra(struct import *import, enum extra_owner owner, uint32_t index, const char *json, size_t size_bytes,
                     const char *where, struct err *err);

/* Adds a member that only files made of the model have again (struct carried), under the same rules: `json` counts as
 * extras. The order is free; call import_sort_carried() afterwards, which also keeps only the first of several members
 * of one name. */
int import_add_carried(struct import *import, enum carry_owner owner, uint32_t index, const char *member,
                       const char *json, size_t size_bytes, const char *where, struct err *err);
void import_sort_carried(struct import *import);

/* Notes something of the file that the model lacks, for the list of protocol/glb.md ("dropped"). `code` is a literal; a
 * thing is listed once with its first place and how many there are. At most IMPORT_DROPS_MAX things. */
void import_drop(struct import *import, const char *code, const char *what, const char *where);
/* Gives the list to the model and clears it. import_finish() does so for what readers have left. Returns 0 or
 * ERR_MODEL_LIMIT. */
int import_put_drops(struct import *import, struct err *err);

/* Adds a marker. It leaves out a marker beyond the limit or without a finite time, with a warning. The order is free;
 * call import_sort_markers() afterwards. Returns 0 or ERR_MODEL_LIMIT. */
int import_add_marker(struct import *import, const struct marker *marker, struct err *err);
void import_sort_markers(struct import *import);

/* The identity of a model's content: everything that answers depend on, but not the files' locations. It is the SHA-256
 * of all imported data. For each section of model_sections.def, in order, it covers the id (u32), the number of
 * elements (u64) and the elements, with the content hash itself as zeros. Call it after bake_finish() and before
 * source_files_record(): paths and stamps of files are not content, so a copy elsewhere has the same hash. A texture
 * that is missing, undecodable or over a limit changes the elements and thus the hash. Pure; any thread. */
void content_hash(const struct bake_builder *builder, uint8_t out[32]);
