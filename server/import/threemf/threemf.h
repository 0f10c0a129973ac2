/* threemf.h - the state of one 3MF import (3MF Core Specification 1.3, Materials and Properties Extension 1.2,
 * Production Extension 1.1): the content of the package's parts, from which the builder's arrays are made.
 *
 * Part and id identify a resource; an id is unique within its part. References are resolved after all parts are read.
 * One thread. */
#pragma once

#include "import/source/import.h"
#include "import/threemf/threemf_xml.h"

#define THREEMF_NONE UINT32_MAX

enum threemf_kind {
    KIND_OBJECT,
    KIND_BASES,      /* basematerials */
    KIND_COLORS,     /* colorgroup */
    KIND_TEXTURE,    /* texture2d */
    KIND_TEXCOORDS,  /* texture2dgroup */
    KIND_COMPOSITES, /* compositematerials */
    KIND_MULTI,      /* multiproperties */
    KIND_METALLIC,   /* pbmetallicdisplayproperties */
    KIND_SPECULAR,   /* pbspeculardisplayproperties */
    KIND_DISPLAY,    /* display properties that are not drawn */
};

/* A property group, or a texture. */
struct threemf_group {
    enum threemf_kind kind;
    uint32_t part, id;
    uint32_t first, count;           /* its properties in the array of its kind */
    uint32_t list_first, list_count; /* range in lists; composites: indices of base materials; multi: ids of groups */
    uint32_t ref;                    /* texcoords: id of the texture; composites: id of the base materials */
    uint32_t display;                /* id of display properties, or THREEMF_NONE */
    uint32_t multiply;               /* multi: bit i set: layer i multiplies the layers below, else it covers them */
    char *path;                      /* texture: name of its part; heap */
    uint32_t wrap[2];                /* texture: TEXTURE_WRAP_ */
    bool is_nearest, is_untiled;     /* texture: nearest filter; a tile style is "none" */
    bool is_warned;                  /* a warning says that part of it is not drawn */
    int texture;                     /* texture: the builder's index, or -1 until needed */
};

struct threemf_base {
    struct str name;
    uint8_t rgba[4];
};

/* The reflection of a surface: pbmetallic or pbspecular. */
struct threemf_finish {
    double metallic, roughness; /* roughness of pbspecular: 1 - glossiness */
    uint8_t specular[4];
};

struct threemf_triangle {
    uint32_t points[3];
    uint32_t pid, properties[3]; /* ids and indices, or THREEMF_NONE */
};

/* A use of an object: a component, or an item of the build. */
struct threemf_use {
    uint32_t part, id;    /* of the object */
    uint32_t object;      /* index in objects; set by threemf_link() */
    uint32_t line;        /* of the file */
    double transform[12]; /* the columns of the upper three rows of parent_from_object */
};

enum threemf_type { TYPE_MODEL, TYPE_OTHER };

struct threemf_object {
    uint32_t part, id, line;
    struct str name;
    enum threemf_type type;
    uint32_t pid, pindex; /* for triangles without their own, or THREEMF_NONE */
    double (*points)[3];
    struct threemf_triangle *triangles;
    size_t point_capacity, triangle_capacity;
    uint32_t point_count, triangle_count;
    uint32_t use_first, use_count; /* its components, a range in uses */
    bool is_component;             /* of another object */
    uint64_t node_count;           /* of one use, including its own; at most 2^32; set by threemf_link() */
    int32_t mesh;                  /* the builder's, or -1 */
    bool is_warned;                /* a warning says that some of its properties are missing */
    bool is_made;                  /* its mesh exists, or it has none */
};

struct threemf_part {
    char *path; /* without a slash in front; heap */
};

/* By part and id. */
struct threemf_resource {
    uint32_t part, id;
    enum threemf_kind kind;
    uint32_t index; /* into objects or groups */
};

struct threemf {
    struct import *import;
    struct zip_reader *zip;
    struct threemf_part *parts; /* [0] is the root model part */
    struct threemf_object *objects;
    struct threemf_group *groups;
    struct threemf_resource *resources; /* in file order until threemf_link() sorts them */
    struct threemf_use *uses;           /* components of all objects */
    struct threemf_use *items;          /* of the root part's build */
    struct threemf_base *bases;
    uint8_t (*colors)[4];
    double (*texcoords)[2];
    double *shares;     /* of composites: one per base material in the group's list */
    uint32_t *pindices; /* of multi: one per group in the group's list */
    uint32_t *lists;
    struct threemf_finish *finishes;
    uint32_t part_count, object_count, group_count, resource_count, use_count, item_count, base_count, color_count,
        texcoord_count, share_count, pindex_count, list_count, finish_count;
    size_t part_capacity, object_capacity, group_capacity, resource_capacity, use_capacity, item_capacity,
        base_capacity, color_capacity, texcoord_capacity, share_capacity, pindex_capacity, list_capacity,
        finish_capacity;
    uint64_t point_count, triangle_count, property_count; /* of all objects and groups */
    struct threemf_materials *materials;                  /* threemf_material.c */
};

/* --- threemf_package.c: parts and their names --- */

/* Finds the root model part and makes it part 0. */
int threemf_find_root(struct threemf *threemf, struct err *err);
/* Finds or adds the part with this package name ("/3D/a.model"). */
int threemf_add_part(struct threemf *threemf, const char *path, uint32_t *part, struct err *err);
/* Returns the zip's entry for a path, with or without a leading slash, or -1. */
int64_t threemf_find_entry(const struct threemf *threemf, const char *path);

/* --- threemf_model.c and the files of its elements --- */

/* Reads one model part into the arrays. */
int threemf_read_part(struct threemf *threemf, uint32_t part, struct err *err);
/* Sorts resources and resolves all references between objects. ERR_BAD_MODEL: a duplicate id, a missing object, or an
 * object inside itself. */
int threemf_link(struct threemf *threemf, struct err *err);
/* Returns the resource with this id in a part, or NULL. Call it after threemf_link(). */
const struct threemf_resource *threemf_find(const struct threemf *threemf, uint32_t part, uint32_t id);
/* "object 3 ('Arm') of part '3D/a.model'" */
struct threemf_label {
    char text[260];
};
struct threemf_label threemf_label_of(const struct threemf *threemf, uint32_t object);
#define THREEMF_OBJECT_TEXT(threemf, object) (threemf_label_of(threemf, object).text)

/* --- threemf_scene.c, threemf_mesh.c: the builder's arrays --- */

/* Adds items and components as nodes, each with the mesh of its object. */
int threemf_make_nodes(struct threemf *threemf, struct err *err);
/* Makes the mesh of an object with triangles; nodes share it. */
int threemf_make_mesh(struct threemf *threemf, uint32_t object, struct err *err);

/* --- threemf_paint.c: the appearance of a triangle --- */

struct threemf_paint {
    double colors[3][4];    /* linear RGB and alpha of each corner; multiply the texture */
    double texcoords[3][2]; /* v down */
    uint32_t texture;       /* group, or THREEMF_NONE */
    uint32_t base;          /* base material, or THREEMF_NONE */
    uint32_t finish;        /* into finishes, or THREEMF_NONE */
    bool is_specular;       /* the finish is pbspecular */
    bool is_there;          /* the triangle has a property */
    bool is_covering;       /* layers below show through the texture's transparent texels */
};

void threemf_paint_of(struct threemf *threemf, uint32_t object, const struct threemf_triangle *triangle,
                      struct threemf_paint *out);

/* --- threemf_material.c --- */

struct threemf_materials *threemf_materials_new(void);
void threemf_materials_free(struct threemf_materials *materials);
/* Finds or adds the builder's material of a triangle. It has the triangle's colours; with `is_by_vertex` it is white,
 * for vertex colours. Returns its index, -1 for no material, or ERR_MODEL_LIMIT, which is less than -1. */
int threemf_material_of(struct threemf *threemf, const struct threemf_paint *paint, bool is_by_vertex, struct err *err);
