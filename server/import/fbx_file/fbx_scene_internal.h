/* fbx_scene_internal.h - the steps of fbx_scene_read(). Private to import/fbx_file. */
#pragma once

#include "import/fbx_file/fbx_scene.h"

/* fbx_object.c: reads the root, the settings and the children of "Objects". */
int fbx_read_objects(struct fbx_scene *scene, struct err *err);
/* Adds an object and returns it, or FBX_NONE with *err set if there are too many. Splits its name. */
uint32_t fbx_add_object(struct fbx_scene *scene, const struct fbx_object *object, struct err *err);
/* Removes the class from a full name in the file's form. */
struct fbx_span fbx_plain_name(const struct fbx_scene *scene, struct fbx_span full_name);
/* Sorts ids and names for fbx_object_of_id() and fbx_object_named(). Made objects added later are in neither index. */
void fbx_index_objects(struct fbx_scene *scene);

/* fbx_template.c: sets the defaults of all objects from "Definitions". */
void fbx_read_templates(struct fbx_scene *scene);

/* fbx_property.c: lists the properties of `parent`; sets *record to its Properties70 or Properties60. */
struct fbx_property_list fbx_list_properties(struct fbx_scene *scene, uint32_t parent, uint32_t *record);

/* fbx_link.c: reads "Connections". */
int fbx_read_links(struct fbx_scene *scene, struct err *err);
int fbx_add_link(struct fbx_scene *scene, const struct fbx_link *link, struct err *err);
/* fbx_made.c, after fbx_index_objects(): makes objects for the parts that files before 7.0 store in the records of
 * models, and for the shapes that files up to 7.1 store in the records of geometries. */
int fbx_make_parts(struct fbx_scene *scene, struct err *err);
/* Makes a blend shape of `geometry` from the shapes in `record`; `owner` has the properties that move them. */
int fbx_make_shapes(struct fbx_scene *scene, uint32_t geometry, uint32_t owner, uint32_t record, struct err *err);
/* Makes an object from `record` with the properties of `of`, and links it to `parent` unless that is FBX_NONE. */
uint32_t fbx_make(struct fbx_scene *scene, uint32_t of, const char *kind, const char *subtype, uint32_t record,
                  uint32_t parent, struct err *err);

/* fbx_old.c: files before 6.0, which store models at the top level and have no "Objects". */
bool fbx_is_old(const struct fbx_scene *scene);
int fbx_read_old_objects(struct fbx_scene *scene, struct err *err);
int fbx_make_old_parts(struct fbx_scene *scene, struct err *err);
/* fbx_old_value.c: converts values that models, cameras and materials of these files store as records to properties. */
void fbx_give_old_values(struct fbx_scene *scene, uint32_t object);
/* Gives the shapes of a model, which are made, the percents that a record of the model has for them. */
void fbx_give_old_sliders(struct fbx_scene *scene, uint32_t model, uint32_t record);
void fbx_give_take_defaults(struct fbx_scene *scene);
/* Sets the frame rate of files up to 6.1. */
void fbx_give_old_settings(struct fbx_scene *scene);

/* fbx_texture_link.c, after fbx_index_links(), which it runs again. Files before 7.0 connect textures to models, and
 * geometries assign them to faces. This links the textures to properties of the faces' materials. */
int fbx_link_textures(struct fbx_scene *scene, struct err *err);

/* Fills links_by_parent and links_by_child from links. */
void fbx_index_links(struct fbx_scene *scene);

void fbx_give(struct fbx_scene *scene, uint32_t object, const char *name, const double value[3]);
/* Call after the last fbx_give(). */
void fbx_index_given(struct fbx_scene *scene);
