/* posed_file_format.h - the header of a .posed file (protocol/posed-file.md). For posed_file_*.c. */
#pragma once

#include "anim/bake/bake_sections.h"

#define POSED_FILE_MAGIC "posedfl\n"
#define POSED_FILE_ORDER UINT32_C(0x01020304)

/* section_count struct bake_section follow it, then the sections, each at a multiple of BAKE_ALIGNMENT. */
struct posed_file_header {
    char magic[8];
    uint32_t version;
    uint32_t byte_order; /* POSED_FILE_ORDER in the file's byte order: little-endian */
    uint64_t size_bytes; /* whole file */
    uint64_t checksum;   /* posed_file_checksum() */
    uint32_t section_count;
    uint32_t compiled_version; /* BAKE_VERSION of the compiled sections; 0: none */
    uint8_t reserved[24];      /* 0 */
};
_Static_assert(sizeof(struct posed_file_header) == 64, "layout");

/* Computes the checksum of the header, with 0 as its checksum, and of the bytes behind it. */
uint64_t posed_file_checksum(const struct posed_file_header *header, const void *rest, uint64_t rest_bytes);

/* The sections of a version of the file. */
struct posed_file_version {
    uint32_t number;
    const struct posed_file_section *sections;
    uint32_t count;
};

/* A section of a version. Its id also names the kind of section in this program's model. */
struct posed_file_section {
    uint32_t id;
    uint32_t item_bytes; /* size in that version */
};

/* Returns NULL when this program does not read the version. */
const struct posed_file_version *posed_file_version(uint32_t number);

/* Returns the kind of an id, or NULL. */
const struct bake_section_kind *posed_file_kind(uint32_t id);

/* True for compiled sections that the file has. Opening it makes the others from them (anim/compiled/clip_restore.h).
 */
bool posed_file_has_compiled(uint32_t id);

/* Returns how many elements of a section of `model` the file has: of rig_parts only the set at rest. */
uint32_t posed_file_count(const struct model *model, const struct bake_section_kind *kind);
