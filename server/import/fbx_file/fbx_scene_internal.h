/* fbx_scene_internal.h - the steps of fbx_scene_read(). Private to import/fbx_file. */
#pragma once

#include "import/fbx_file/fbx_scene.h"

/* fbx_object.c: the root, the settings and the children of "Objects". */
int fbx_read_objects(struct fbx_scene *scene, struct err *err);
/* Adds an object and returns it, FBX_NONE with *err set when there are too many. Names are split. */
uint32_t fbx_add_object(struct fbx_scene *scene, const struct fbx_object *object, struct err *err);
/* The name without its class, as the file's form has both. */
struct fbx_span fbx_plain_name(const struct fbx_scene *scene, struct fbx_span full_name);
/* Orders ids and names, for fbx_object_of_id() and fbx_object_named(). Made objects that come later are in neither. */
void fbx_index_objects(struct fbx_scene *scene);

/* fbx_template.c: the defaults of all objects from "Definitions". */
void fbx_read_templates(struct fbx_scene *scene);

/* fbx_property.c: the properties of a record that has Properties70 or Properties60; *record is that. */
struct fbx_property_list fbx_list_properties(struct fbx_scene *scene, uint32_t parent, uint32_t *record);

/* fbx_link.c: "Connections". */
int fbx_read_links(struct fbx_scene *scene, struct err *err);
int fbx_add_link(struct fbx_scene *scene, const struct fbx_link *link, struct err *err);
/* fbx_made.c, after fbx_index_objects(): the parts that files before 7.0 keep in the records of models, and shapes that
 * files up to 7.1 keep in those of geometries. */
int fbx_make_parts(struct fbx_scene *scene, struct err *err);
/* The shapes in `record` as a blend shape of `geometry`; `owner` has the properties that move them. */
int fbx_make_shapes(struct fbx_scene *scene, uint32_t geometry, uint32_t owner, uint32_t record, struct err *err);
/* An object made of `record` with the properties of `of`, linked to `parent` unless that is FBX_NONE. */
uint32_t fbx_make(struct fbx_scene *scene, uint32_t of, const char *kind, const char *subtype, uint32_t record,
                  uint32_t parent, struct err *err);

/* fbx_old.c: files before 6.0, which have no "Objects" but models at the top level. */
bool fbx_is_old(const struct fbx_scene *scene);
int fbx_read_old_objects(struct fbx_scene *scene, struct err *err);
int fbx_make_old_parts(struct fbx_scene *scene, struct err *err);
/* fbx_old_value.c: what their models, cameras and materials have as records is given as properties. */
void fbx_give_old_values(struct fbx_scene *scene, uint32_t object);
void fbx_give_take_defaults(struct fbx_scene *scene);
/* Of files up to 6.1: the frame rate. */
void fbx_give_old_settings(struct fbx_scene *scene);

/* fbx_texture_link.c, after fbx_index_links(), which it runs again: in files before 7.0 textures are connected to
 * models and geometries say which faces have which; their materials get them as properties. */
int fbx_link_textures(struct fbx_scene *scene, struct err *err);

/* Fills links_by_parent and links_by_child from links. */
void fbx_index_links(struct fbx_scene *scene);

void fbx_give(struct fbx_scene *scene, uint32_t object, const char *name, const double value[3]);
/* After the last value. */
void fbx_index_given(struct fbx_scene *scene);
