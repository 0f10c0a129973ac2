/* fbx_record.h - the records of a binary FBX file: a name, properties, and records inside. Total on any bytes; pure.
 * Private to fbx_*.c. Format: "FBX binary file format specification", Blender Developers Blog, 2013-08-10. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fbx_file {
    const uint8_t *bytes;
    uint64_t size_bytes;
    bool is_64_bits; /* offsets, from version 7.5 */
};

struct fbx_record {
    const uint8_t *name;
    uint32_t name_bytes;
    const uint8_t *properties;
    uint64_t properties_bytes;
    uint64_t children_at, end; /* of the records inside, and of this one, in the file */
};

/* Where the first record begins, or 0: no binary file of version 7 or later; *version is then 0 where it is none at
 * all. */
uint64_t fbx_open(struct fbx_file *file, const uint8_t *bytes, size_t size_bytes, uint32_t *version);
/* The record at *at, which is moved behind it. False at the end of the list, or where the file is broken. */
bool fbx_next(const struct fbx_file *file, uint64_t *at, uint64_t end, struct fbx_record *out);
bool fbx_is_named(const struct fbx_record *record, const char *name);
/* Where the 64-bit number that is the `index`-th of a record's properties, of types L and S only, begins; or NULL. */
const uint8_t *fbx_long(const struct fbx_record *record, uint32_t index);
/* Whether the first property is this text. */
bool fbx_starts_with(const struct fbx_record *record, const char *text);
