/* fbx_scene.h - the objects of an FBX file, their properties and connections, in one shape for versions 2000 to 8000.
 *
 * The shape is that of 7.x: Model (a node), Geometry ("Mesh", "Shape"), NodeAttribute, Material, Texture, Video,
 * Deformer ("Skin", "Cluster", "BlendShape", "BlendShapeChannel"), AnimationStack, AnimationLayer, AnimationCurveNode,
 * AnimationCurve, Pose and others, joined by links. Older files keep some of these within another's record; for them
 * there are objects of their own here, with `is_made` set and the record of the part (a Model's own record for its
 * Geometry and its NodeAttribute, a "Shape" record for a Geometry of kind Shape, a "Link" record for a Cluster), so
 * that fbx_child(file, object->record, "Vertices") finds what it finds in 7.x. A shape of such a file is moved by a
 * property of its Model that has the shape's name: a link from that (child_property) to "DeformPercent" of the made
 * channel says so. Textures are linked to the properties of materials. Clips stay in "Takes" and are not objects. One
 * thread; nothing changes after fbx_scene_read(). */
#pragma once

#include "import/fbx_file/fbx_file.h"
#include "import/source/import.h"

enum {
    FBX_ROOT = 0,     /* the object that is the scene: models without a parent are linked to it, or to nothing */
    FBX_SETTINGS = 1, /* GlobalSettings; always there, perhaps without properties */
};

/* The properties of a record Properties70 or Properties60, ordered by name. */
struct fbx_property_list {
    uint32_t first, count; /* of fbx_scene.properties */
};

struct fbx_object {
    int64_t id;                             /* of the file; of files before 7.0 and of made objects it has no meaning */
    struct fbx_span name;                   /* without "Model::" or "\0\1Model", any bytes */
    struct fbx_span full_name;              /* as in the file */
    struct fbx_span kind;                   /* "Model", "Geometry", "Deformer", ...: the name of its record */
    struct fbx_span subtype;                /* "Mesh", "LimbNode", "Cluster", ...; size 0: none */
    uint32_t record;                        /* FBX_NONE: of the root, of made objects without one */
    struct fbx_property_list own, defaults; /* defaults: of its template */
    uint32_t property_record;               /* Properties70 or Properties60, or FBX_NONE */
    uint32_t parent_link_first, parent_link_count; /* of links_by_child: those to its parents */
    uint32_t child_link_first, child_link_count;   /* of links_by_parent: those to its children */
    uint32_t given_first, given_count;             /* of fbx_scene.given */
    uint32_t part; /* of a Model in files before 7.0: the Geometry or NodeAttribute made of it; else FBX_NONE */
    bool has_id;   /* files from 7.0 on */
    bool is_made;  /* for the part of another object's record */
};

/* A connection. Of a property of the parent where `property` is not empty ("DiffuseColor", "d|X", "Lcl Translation"),
 * and from a property of the child where `child_property` is not. */
struct fbx_link {
    uint32_t child, parent; /* objects */
    struct fbx_span property, child_property;
};

/* A value that the file does not have as a property: of older files "Lcl Translation" and its like. */
struct fbx_given {
    uint32_t object;
    uint32_t order;   /* the later one counts */
    const char *name; /* static */
    double value[3];
};

struct fbx_scene {
    struct fbx_file file;
    struct import *import;
    struct fbx_object *objects; /* [0] root, [1] settings, then in the file's order; made ones last */
    uint32_t object_count;
    struct fbx_link *links_by_parent, *links_by_child; /* the same ones, sorted, else in the file's order */
    uint32_t link_count;
    struct fbx_link *links; /* as they come, while they are read */
    uint32_t *properties;   /* records of properties */
    uint32_t property_count;
    struct fbx_given *given;
    uint32_t given_count;
    uint32_t *ids;   /* [object_count] objects sorted by id, [id_count] of them have one */
    uint32_t *names; /* [object_count] objects sorted by full name */
    uint32_t id_count, name_count;
    double ticks_per_s;                                                         /* of KTime */
    uint32_t takes;                                                             /* the record "Takes", or FBX_NONE */
    uint64_t object_capacity, link_capacity, property_capacity, given_capacity; /* mem_reserve() */
};

/* Reads import->bytes. Returns 0, ERR_NOT_A_MODEL, ERR_BAD_MODEL, ERR_MODEL_LIMIT. What is broken
 * in a way that leaves the rest whole (a connection to nothing, an object without a name) is left out. Whatever it
 * returns, fbx_scene_fini() is needed and safe afterwards. */
int fbx_scene_read(struct fbx_scene *scene, struct import *import, struct err *err);
void fbx_scene_fini(struct fbx_scene *scene);

/* --- objects --- */

bool fbx_object_is(const struct fbx_scene *scene, uint32_t object, const char *kind, const char *subtype /* or NULL */);
/* The object of a full name as files before 7.0 use it: "Model::hip" (7.x files: as in ASCII or in binary, too).
 * Of several the first. FBX_NONE: there is none. */
uint32_t fbx_object_named(const struct fbx_scene *scene, struct fbx_span full_name);
/* The object of an id of files from 7.0 on; 0 is the root. Of several the first. FBX_NONE: there is none. */
uint32_t fbx_object_of_id(const struct fbx_scene *scene, int64_t id);
/* The object that a value of a record names, by id or by full name: of a connection, a PoseNode's "Node", a take's
 * "Model". FBX_NONE: there is none. */
uint32_t fbx_object_at(const struct fbx_scene *scene, uint32_t record, uint32_t value);
enum { FBX_OBJECT_TEXT_SIZE = 160 };
/* "Model 'hip'", for err_set() and bake_warn(), which repair its UTF-8; cut where it is long. Returns `out`. */
const char *fbx_object_text(const struct fbx_scene *scene, uint32_t object, char out[FBX_OBJECT_TEXT_SIZE]);
#define FBX_OBJECT_TEXT(scene, object) fbx_object_text(scene, object, (char[FBX_OBJECT_TEXT_SIZE]){0})

/* --- links --- */

/* The links whose parent (or child) it is, in the file's order; *count may be 0. */
const struct fbx_link *fbx_children(const struct fbx_scene *scene, uint32_t object, uint32_t *count);
const struct fbx_link *fbx_parents(const struct fbx_scene *scene, uint32_t object, uint32_t *count);
/* The first child (or parent) of this kind and subtype, each or NULL, that is linked as an object: links from and to
 * properties do not count. FBX_NONE: there is none. */
uint32_t fbx_first_child(const struct fbx_scene *scene, uint32_t object, const char *kind, const char *subtype);
uint32_t fbx_first_parent(const struct fbx_scene *scene, uint32_t object, const char *kind, const char *subtype);

/* --- properties: an object's own, else its template's. False, and *out as it was, where neither has it or it has no
 * value of that type. Of several of one name the last. Vectors are also accepted where one number is wanted: its first.
 * --- */

bool fbx_property_real(const struct fbx_scene *scene, uint32_t object, const char *name, double *out);
bool fbx_property_real3(const struct fbx_scene *scene, uint32_t object, const char *name, double out[3]);
bool fbx_property_integer(const struct fbx_scene *scene, uint32_t object, const char *name, int64_t *out);
bool fbx_property_text(const struct fbx_scene *scene, uint32_t object, const char *name, struct fbx_span *out);

/* One property, as it is written: P: name, type, label, flags, values; in 6100 Property: name, type, flags, values. */
struct fbx_property {
    struct fbx_span name, type, label, flags; /* flags: 'A' animatable, 'U' user, 'H' hidden, '+' animated */
    uint32_t record;
    uint32_t value_first, value_count; /* of the record's values: fbx_real(file, record, value_first) */
};

bool fbx_property_find(const struct fbx_scene *scene, uint32_t object, const char *name, struct fbx_property *out);
bool fbx_property_named(const struct fbx_scene *scene, uint32_t object, struct fbx_span name, struct fbx_property *out);
/* The object's own properties in the file's order (a made object has none: they are its model's). *cursor is FBX_NONE
 * before the first; false after the last. */
bool fbx_property_next(const struct fbx_scene *scene, uint32_t object, uint32_t *cursor, struct fbx_property *out);

/* --- time --- */

/* KTime to seconds: 46186158000 a second, or 141120000 where FBXHeaderVersion >= 1004 and TCDefinition is not 127. */
double fbx_ticks_s(const struct fbx_scene *scene, int64_t ticks);
