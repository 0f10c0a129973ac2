/* obj.h - Wavefront OBJ and its material libraries, MTL ("Object Files" and "Material Library File", appendices B1 and
 * B5 of Advanced Visualizer's manual, 1995), as programs write them. One thread.
 *
 * A statement is a line: a keyword and its values, with blanks between them. A backslash at a line's end continues it.
 * Names and files are what is left of a line, so they may have blanks. Faults name the line. */
#pragma once

#include "import/mesh/vertex_set.h"
#include "import/source/import.h"
#include "import/texture/material_textures.h"

#define OBJ_NONE UINT32_MAX

/* --- lines (obj_text.c) --- */

struct obj_text {
    const char *at, *end; /* *end is NUL */
    uint32_t line;        /* of `at`, from 1; 0 before the first call of obj_next_line() */
};

struct obj_word {
    const char *begin;
    size_t length;
};

/* Moves to the next line with a statement and reads its keyword. False: the file ends. */
bool obj_next_line(struct obj_text *text, struct obj_word *keyword);
/* Returns the next word of the line, of length 0 at its end. */
struct obj_word obj_next_word(struct obj_text *text);
/* Returns what is left of the line, without blanks around it. */
struct obj_word obj_rest(struct obj_text *text);
/* Reads at most `most` numbers, up to the line's end or the first word that is none. They may be infinite or NAN, and
 * may have a decimal comma. Returns how many. */
uint32_t obj_numbers(struct obj_text *text, double *out, uint32_t most);
/* Reads a whole number, which begins at text->at. */
bool obj_index(struct obj_text *text, int64_t *index);
/* Compares without regard to case. */
bool obj_is(struct obj_word word, const char *wanted);
/* The length of a word as messages show it. */
int obj_shown(struct obj_word word);

/* Statements that are not read: how many, and the first. */
struct obj_skipped {
    uint32_t count, line;
    struct obj_word keyword;
};
void obj_skip(struct obj_skipped *skipped, const struct obj_text *text, struct obj_word keyword);
/* Warns once, if there are any. `where` names the file. */
void obj_warn_of_skipped(struct import *import, const struct obj_skipped *skipped, const char *where);

/* --- sets of names (obj_names.c) --- */

/* A name within an owner, which is any number. */
struct obj_name {
    struct obj_word word; /* borrowed */
    uint32_t owner;
};

struct obj_names {
    struct obj_name *items; /* [count] */
    uint32_t count;
    size_t capacity;
    struct vertex_set set;
};

/* Returns the name's index, or OBJ_NONE. */
uint32_t obj_names_find(const struct obj_names *names, uint32_t owner, struct obj_word word);
/* Adds the name unless it is there. Returns its index. */
uint32_t obj_names_add(struct obj_names *names, uint32_t owner, struct obj_word word);
void obj_names_fini(struct obj_names *names);

/* --- the file --- */

/* The largest index of a kind that the file names, and the line that names it first. */
struct obj_reach {
    uint64_t index;
    uint32_t line;
};

/* Successive polygons with everything in common, up to the next run's first. */
struct obj_run {
    uint32_t part, material; /* of obj->parts, obj->materials; material may be OBJ_NONE */
    uint32_t smoothing;      /* bits of smoothing groups; OBJ_NONE: the file does not say */
    uint32_t topology;       /* TOPOLOGY_ */
    uint32_t polygon_first;
};

struct obj {
    struct import *import;
    struct obj_text text;
    struct obj_skipped skipped;

    double (*points)[3];    /* [point_count] */
    double (*colors)[4];    /* [point_count], or NULL */
    double (*texcoords)[2]; /* [texcoord_count], and one of zeros after them for corners without */
    double (*normals)[3];   /* [normal_count], and one of zeros */
    double color_max;
    uint32_t point_count, texcoord_count, normal_count;
    size_t point_capacity, color_capacity, texcoord_capacity, normal_capacity;

    /* polygons of all topologies, in the file's order */
    struct obj_corner {
        uint32_t point, texcoord, normal; /* may be too large, until obj_read() has ended */
    } * corners;                          /* [corner_count] */
    uint32_t *starts;                     /* [polygon_count]: first corner */
    struct obj_run *runs;                 /* [run_count] */
    uint32_t corner_count, polygon_count, run_count;
    size_t corner_capacity, start_capacity, run_capacity;
    struct obj_reach reaches[3];      /* of points, texture coordinates and normals */
    uint32_t left_out, left_out_line; /* elements with too few corners */

    /* parts are groups of objects; materials are those that polygons use; libraries are the values of mtllib, and
     * library_paths the files of them that have been read */
    struct obj_names objects, parts, materials, libraries, library_paths;
    uint32_t object; /* the current ones: of objects, or OBJ_NONE */
    struct obj_word group, material;
    uint32_t smoothing;
    bool is_changed; /* since the last polygon */

    struct mtl_material *library; /* [materials.count]: as the libraries have them */
    void **kept;                  /* [kept_count]: texts that words point into */
    uint32_t kept_count;
    size_t kept_capacity;
};

/* Reads all statements (obj_elements.c). Returns 0, ERR_BAD_MODEL, which names the line, or ERR_MODEL_LIMIT. */
int obj_read(struct obj *obj, struct err *err);
/* Adds a node with a mesh for each part, and a primitive for each of its materials and topologies (obj_parts.c). The
 * model's materials are there: those of the file, then one for polygons without. Returns 0, ERR_MODEL_LIMIT or
 * ERR_IMPORT_MEMORY. */
int obj_add_parts(struct obj *obj, struct err *err);

/* --- material libraries --- */

struct mtl_map {
    struct obj_word file; /* length 0: no map */
    const char *folder;   /* of the library, from the model's: "../mats/", or "" */
    float height_factor, uv_from_texcoord[6];
    bool is_clamped, is_normal_map;
};

struct mtl_material {
    bool is_defined;
    float color[3], specular[3], emission[3]; /* sRGB */
    float exponent, opacity, transparency;
    float roughness, metallic; /* negative: not given */
    float illumination;        /* a model of illum; negative: not given */
    struct mtl_map maps[TEXTURE_USE_COUNT];
};

/* Reads the libraries for obj->materials into obj->library (mtl.c). A library that is missing gives a warning. */
void obj_read_libraries(struct obj *obj);
/* Reads a map's options and file from the rest of its line (mtl_map.c). */
void mtl_read_map(struct obj_word rest, struct mtl_map *map);
/* Adds obj->library as materials (obj_material.c). Returns 0 or an error of material_textures_surface(). */
int obj_add_materials(struct obj *obj, struct err *err);
