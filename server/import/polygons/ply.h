/* ply.h - PLY 1.0 (G. Turk, "The PLY polygon file format", 1994): reads the header, and the values of the elements in
 * any of the three encodings. One thread. */
#pragma once

#include "import/source/import.h"

enum ply_encoding { PLY_ASCII, PLY_LITTLE_ENDIAN, PLY_BIG_ENDIAN };
enum ply_type { PLY_INT8, PLY_UINT8, PLY_INT16, PLY_UINT16, PLY_INT32, PLY_UINT32, PLY_FLOAT32, PLY_FLOAT64 };

enum { PLY_NAME_SIZE = 48, PLY_ELEMENTS_MAX = 64, PLY_PROPERTIES_MAX = 256 };

struct ply_property {
    char name[PLY_NAME_SIZE]; /* lower case; longer names are truncated */
    bool is_list;
    enum ply_type count_type; /* of a list */
    enum ply_type type;
};

struct ply_element {
    char name[PLY_NAME_SIZE];
    uint32_t count;
    uint32_t property_first, property_count;
};

struct ply_header {
    enum ply_encoding encoding;
    struct ply_element elements[PLY_ELEMENTS_MAX];
    struct ply_property properties[PLY_PROPERTIES_MAX];
    uint32_t element_count, property_count;
    char texture[256]; /* from MeshLab's "comment TextureFile NAME", or "" */
    size_t size_bytes; /* of the header: offset of the first value */
    uint32_t line_count;
    char line_end;
};

/* Reads the header. Blank lines may precede "ply". Returns 0 or ERR_BAD_MODEL, which names the line. */
int ply_header_read(struct ply_header *header, const uint8_t *bytes, size_t size_bytes, struct err *err);

/* Returns the index of a property relative to the element's first, or -1. `names` lists alternatives, separated by '|';
 * the first one present counts. */
int ply_property_find(const struct ply_header *header, const struct ply_element *element, const char *names);

/* The position of the next value. It starts with all members zero except the header and the bytes. */
struct ply_cursor {
    const struct ply_header *header;
    const uint8_t *bytes;
    size_t at, size_bytes;
};

/* Returns the minimum size of an element in the file. */
size_t ply_element_bytes(const struct ply_header *header, const struct ply_element *element);
/* Reads the next value. Returns 0 or ERR_BAD_MODEL, which names the byte, or the line of text. */
int ply_read(struct ply_cursor *cursor, enum ply_type type, double *value, struct err *err);
/* Reads the length of a list, which precedes its values and is less than the number of remaining bytes. */
int ply_read_count(struct ply_cursor *cursor, const struct ply_property *property, uint32_t *count, struct err *err);
/* Returns the full intensity of a colour: the largest value of an integer type, else 1. */
double ply_largest(enum ply_type type);

/* Writes the position of a value for messages: "byte 300" or "line 12". Returns `out`. */
enum { PLY_PLACE_SIZE = 32 };
const char *ply_place(const struct ply_cursor *cursor, char out[PLY_PLACE_SIZE]);
#define PLY_PLACE(cursor) ply_place(cursor, (char[PLY_PLACE_SIZE]){0})
