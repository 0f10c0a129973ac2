/* fbx_scene.h - the objects of an FBX file, their properties and connections, in one form for versions 2000 to 8000.
 *
 * The form is that of 7.x: links join objects of the kinds Model (a node), Geometry ("Mesh", "Shape"), NodeAttribute,
 * Material, Texture, Video, Deformer ("Skin", "Cluster", "BlendShape", "BlendShapeChannel"), AnimationStack,
 * AnimationLayer, AnimationCurveNode, AnimationCurve, Pose and others.
 *
 * Older files store some of these within another object's record. The reader makes separate objects for them, with
 * `is_made` set and `record` set to the record that holds the part: a Model's own record for its Geometry and
 * NodeAttribute, a "Shape" record for a Geometry of subtype Shape, a "Link" record for a Cluster. Thus fbx_child(file,
 * object->record, "Vertices") finds the same data as in 7.x. In such a file, a property of the Model with the shape's
 * name moves the shape. A link from this property (child_property) to "DeformPercent" of the made channel represents
 * this. Textures are linked to material properties. Clips stay in "Takes" and are not objects.
 *
 * The scene does not change after fbx_scene_read(). Single-threaded. */
#pragma once

#include "import/fbx_file/fbx_file.h"
#include "import/source/import.h"

enum {
    FBX_ROOT = 0,     /* the scene's object: a model without a parent has a link to it or no link */
    FBX_SETTINGS = 1, /* GlobalSettings; always exists, possibly without properties */
};

/* The properties of a record Properties70 or Properties60, sorted by name. */
struct fbx_property_list {
    uint32_t first, count; /* indices into fbx_scene.properties */
};

struct fbx_object {
    int64_t id;                                    /* from the file; has no meaning before 7.0 and in made objects */
    struct fbx_span name;                          /* without "Model::" or "\0\1Model"; may hold any bytes */
    struct fbx_span full_name;                     /* as written in the file */
    struct fbx_span kind;                          /* the name of its record: "Model", "Geometry", "Deformer", ... */
    struct fbx_span subtype;                       /* "Mesh", "LimbNode", "Cluster", ...; size 0 if none */
    uint32_t record;                               /* FBX_NONE for the root and for made objects without a record */
    struct fbx_property_list own, defaults;        /* defaults come from its template */
    uint32_t property_record;                      /* Properties70 or Properties60, or FBX_NONE */
    uint32_t parent_link_first, parent_link_count; /* its parents' range in links_by_child */
    uint32_t child_link_first, child_link_count;   /* its children's range in links_by_parent */
    uint32_t given_first, given_count;             /* range in fbx_scene.given */
    uint32_t part; /* for a Model before 7.0, the Geometry or NodeAttribute made of it; else FBX_NONE */
    bool has_id;   /* files from 7.0 on */
    bool is_made;  /* made for a part of another object's record */
};

/* A connection. If `property` is not empty ("DiffuseColor", "d|X", "Lcl Translation"), the link goes to this property
 * of the parent. If `child_property` is not empty, the link comes from this property of the child. */
struct fbx_link {
    uint32_t child, parent; /* objects */
    struct fbx_span property, child_property;
};

/* A value that the file stores elsewhere than in a property, such as "Lcl Translation" in older files. */
struct fbx_given {
    uint32_t object;
    uint32_t order;   /* the later value takes precedence */
    const char *name; /* static */
    double value[3];
};

struct fbx_scene {
    struct fbx_file file;
    struct import *import;
    struct fbx_object *objects; /* [0] root, [1] settings, then the file's objects in its order, then made objects */
    uint32_t object_count;
    struct fbx_link *links_by_parent, *links_by_child; /* sorted by parent or child, then in file order */
    uint32_t link_count;
    struct fbx_link *links; /* in order of arrival, during reading */
    uint32_t *properties;   /* records of properties */
    uint32_t property_count;
    struct fbx_given *given;
    uint32_t given_count;
    uint32_t *ids;   /* [object_count]: objects sorted by id; the first [id_count] are valid */
    uint32_t *names; /* [object_count]: objects sorted by full name */
    uint32_t id_count, name_count;
    double ticks_per_s;                                                         /* KTime ticks per second */
    uint32_t takes;                                                             /* the record "Takes", or FBX_NONE */
    uint64_t object_capacity, link_capacity, property_capacity, given_capacity; /* mem_reserve() */
};

/* Reads import->bytes. Returns 0, ERR_NOT_A_MODEL, ERR_BAD_MODEL or ERR_MODEL_LIMIT. It leaves out broken parts that do
 * not affect the rest, such as a connection to nothing or an object without a name. The caller calls fbx_scene_fini()
 * in any case. */
int fbx_scene_read(struct fbx_scene *scene, struct import *import, struct err *err);
void fbx_scene_fini(struct fbx_scene *scene);

/* --- objects --- */

bool fbx_object_is(const struct fbx_scene *scene, uint32_t object, const char *kind, const char *subtype /* or NULL */);
/* The object with a full name as written before 7.0: "Model::hip". In 7.x files, the name may have the ASCII or the
 * binary form. Returns the first of several, or FBX_NONE. */
/* The name of the shape whose weight a channel of a file before 6.0 has: the channel's, without the suffix " (Shape)".
 */
struct fbx_span fbx_old_shape_name(struct fbx_span channel);
uint32_t fbx_object_named(const struct fbx_scene *scene, struct fbx_span full_name);
/* Before 6.0, a channel for the weight of a shape has the name of the shape, with the suffix " (Shape)" or without it.
 */
struct fbx_span fbx_old_shape_name(struct fbx_span channel);
/* The object with an id, in files from 7.0 on; 0 is the root. Returns the first of several, or FBX_NONE. */
uint32_t fbx_object_of_id(const struct fbx_scene *scene, int64_t id);
/* The object that a value of a record names by id or by full name, as in a connection, a PoseNode's "Node" or a take's
 * "Model", or FBX_NONE. */
uint32_t fbx_object_at(const struct fbx_scene *scene, uint32_t record, uint32_t value);
enum { FBX_OBJECT_TEXT_SIZE = 160 };
/* Writes "Model 'hip'", shortened if long, for err_set() and bake_warn(), which repair its UTF-8. Returns `out`. */
const char *fbx_object_text(const struct fbx_scene *scene, uint32_t object, char out[FBX_OBJECT_TEXT_SIZE]);
#define FBX_OBJECT_TEXT(scene, object) fbx_object_text(scene, object, (char[FBX_OBJECT_TEXT_SIZE]){0})

/* --- links --- */

/* The links with this object as parent (or child), in the file's order; *count may be 0. */
const struct fbx_link *fbx_children(const struct fbx_scene *scene, uint32_t object, uint32_t *count);
const struct fbx_link *fbx_parents(const struct fbx_scene *scene, uint32_t object, uint32_t *count);
/* The first child (or parent) of this kind and subtype that is linked as an object, or FBX_NONE. The kind and the
 * subtype may be NULL to match any. Links from and to properties do not count. */
uint32_t fbx_first_child(const struct fbx_scene *scene, uint32_t object, const char *kind, const char *subtype);
uint32_t fbx_first_parent(const struct fbx_scene *scene, uint32_t object, const char *kind, const char *subtype);

/* --- properties: an object's own, else its template's. Returns false and leaves *out unchanged if neither has the
 * property, or its value has another type. The last of several with one name counts. If a vector is given for a single
 * number, its first component is used. --- */

bool fbx_property_real(const struct fbx_scene *scene, uint32_t object, const char *name, double *out);
bool fbx_property_real3(const struct fbx_scene *scene, uint32_t object, const char *name, double out[3]);
bool fbx_property_integer(const struct fbx_scene *scene, uint32_t object, const char *name, int64_t *out);
bool fbx_property_text(const struct fbx_scene *scene, uint32_t object, const char *name, struct fbx_span *out);

/* One property as written. P: name, type, label, flags, values. In 6100 Property: name, type, flags, values. */
struct fbx_property {
    struct fbx_span name, type, label, flags; /* flags: 'A' animatable, 'U' user, 'H' hidden, '+' animated */
    uint32_t record;
    uint32_t value_first, value_count; /* range of the record's values: fbx_real(file, record, value_first) */
};

bool fbx_property_find(const struct fbx_scene *scene, uint32_t object, const char *name, struct fbx_property *out);
bool fbx_property_named(const struct fbx_scene *scene, uint32_t object, struct fbx_span name, struct fbx_property *out);
/* Iterates over the object's own properties in the file's order. A made object has none, because they belong to its
 * model. *cursor is FBX_NONE before the first; returns false after the last. */
bool fbx_property_next(const struct fbx_scene *scene, uint32_t object, uint32_t *cursor, struct fbx_property *out);

/* --- time --- */

/* Converts KTime to seconds: 46186158000 ticks per second, or 141120000 if FBXHeaderVersion >= 1004 and TCDefinition is
 * not 127. */
double fbx_ticks_s(const struct fbx_scene *scene, int64_t ticks);
