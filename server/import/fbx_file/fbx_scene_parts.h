/* fbx_scene_parts.h - the steps of fbx_scene_read(). Private to import/fbx_file. */
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
/* Fills links_by_parent and links_by_child, after the last link. */
void fbx_index_links(struct fbx_scene *scene);

void fbx_give(struct fbx_scene *scene, uint32_t object, const char *name, const double value[3]);
/* After the last value. */
void fbx_index_given(struct fbx_scene *scene);
