/* fbx_record.h - the records of a binary FBX file, and the lines of a text one. Total on any bytes; no I/O, any thread.
 * Format: "FBX binary file format specification", Blender Developers Blog, 2013-08-10; from 7.5 on with 64-bit sizes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FBX_HEADER_BYTES = 27 };

struct fbx_file {
    const uint8_t *bytes;
    uint64_t size_bytes;
    bool is_64_bits;
};

/* One record: its name, its properties, and where its children begin and it ends. */
struct fbx_record {
    const uint8_t *name;
    uint32_t name_bytes;
    const uint8_t *properties;
    uint64_t properties_bytes;
    uint64_t children_at, end;
};

bool fbx_is_binary(const uint8_t *bytes, size_t size_bytes);
/* False for versions before 7.0, whose records are others. */
bool fbx_file_open(struct fbx_file *file, const uint8_t *bytes, size_t size_bytes);
/* The record at *at, which is moved behind it. False at the end of the list, or where the file is broken. */
bool fbx_next_record(const struct fbx_file *file, uint64_t *at, uint64_t end, struct fbx_record *out);
bool fbx_is_named(const struct fbx_record *record, const char *name);
/* Where the 64-bit number that is the `index`-th of a record's properties, of types L and S only, begins; or NULL. */
const uint8_t *fbx_long(const struct fbx_record *record, uint32_t index);
/* Whether the first property is this text. */
bool fbx_starts_with(const struct fbx_record *record, const char *text);

/* A line, or what is left of it. */
struct fbx_line {
    const char *at, *end;
};

/* Without the white space before it; *text is moved behind it. */
bool fbx_next_line(const char **text, const char *end, struct fbx_line *line);
/* Passes over `word` when the line begins with it. */
bool fbx_take(struct fbx_line *line, const char *word);
