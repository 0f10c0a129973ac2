/* fbx_old.c - reads files before 6.0, whose top-level models name their children, bones and materials.
 *
 * Model: "Box01" { Type: "Mesh" Vertices: ... Link: "Bone01" { Indexes, Weights, Transform, TransformLink } Material:
 * "grey" { Diffuse: r, g, b } Channel: "Transform" { ... } Children: "a", "b" }; Media { Video { Video: ... } }
 * SceneGenericPersistence { Pose: ... }. This format is derived from files of 3ds Max 6 and 7. */
#include "import/fbx_file/fbx_scene_internal.h"

#include <stdlib.h>

bool fbx_is_old(const struct fbx_scene *scene) { return fbx_child(&scene->file, FBX_TOP, "Objects") == FBX_NONE; }

static uint32_t add_object(struct fbx_scene *scene, uint32_t record, struct fbx_span subtype, struct err *err)
{
    struct fbx_object object = {
        .full_name = fbx_text(&scene->file, record, 0),
        .name = fbx_plain_name(scene, fbx_text(&scene->file, record, 0)),
        .kind = scene->file.records[record].name,
        .subtype = subtype,
        .record = record,
        .part = FBX_NONE,
    };
    object.own = fbx_list_properties(scene, record, &object.property_record);
    return fbx_add_object(scene, &object, err);
}

int fbx_read_old_objects(struct fbx_scene *scene, struct err *err)
{
    const struct fbx_file *file = &scene->file;
    for (uint32_t record = fbx_child(file, FBX_TOP, "Model"); record != FBX_NONE;
         record = fbx_next(file, record, "Model")) {
        const bool is_mesh = fbx_child(file, record, "Vertices") != FBX_NONE;
        const struct fbx_span type = fbx_child_text(file, record, "Type");
        if (add_object(scene, record, type.size_bytes == 0 && is_mesh ? fbx_span_of("Mesh") : type, err) == FBX_NONE)
            return err->code;
    }
    const uint32_t videos = fbx_child(file, fbx_child(file, FBX_TOP, "Media"), "Video");
    for (uint32_t record = fbx_child(file, videos, NULL); record != FBX_NONE; record = fbx_next(file, record, NULL)) {
        const uint32_t video = add_object(scene, record, fbx_span_of("Clip"), err);
        if (video == FBX_NONE)
            return err->code;
        scene->objects[video].kind = fbx_span_of("Video");
    }
    const uint32_t poses = fbx_child(file, FBX_TOP, "SceneGenericPersistence");
    for (uint32_t record = fbx_child(file, poses, "Pose"); record != FBX_NONE; record = fbx_next(file, record, "Pose"))
        if (add_object(scene, record, fbx_child_text(file, record, "Type"), err) == FBX_NONE)
            return err->code;
    return 0;
}

static int link_objects(struct fbx_scene *scene, uint32_t child, uint32_t parent, struct err *err)
{
    const struct fbx_link link = {child, parent, fbx_span_of(""), fbx_span_of("")};
    return child == FBX_NONE ? 0 : fbx_add_link(scene, &link, err);
}

static int link_children(struct fbx_scene *scene, uint32_t model, struct err *err)
{
    const struct fbx_file *file = &scene->file;
    struct fbx_value *names;
    uint32_t count;
    if (fbx_values(file, fbx_child(file, scene->objects[model].record, "Children"), &names, &count, err) < 0)
        return err->code;
    int rc = 0;
    for (uint32_t i = 0; i < count && rc == 0; i++)
        if (names[i].kind == FBX_TEXT)
            rc = link_objects(scene, fbx_object_named(scene, names[i].span), model, err);
    free(names);
    return rc;
}

/* Makes a cluster for each "Link", all in one skin of the geometry. */
static int make_skin(struct fbx_scene *scene, uint32_t geometry, uint32_t record, struct err *err)
{
    const struct fbx_file *file = &scene->file;
    uint32_t skin = FBX_NONE;
    for (uint32_t at = fbx_child(file, record, "Link"); at != FBX_NONE; at = fbx_next(file, at, "Link")) {
        const struct fbx_span bone = fbx_text(file, at, 0);
        if (skin == FBX_NONE)
            skin = fbx_make(scene, geometry, "Deformer", "Skin", FBX_NONE, geometry, err);
        const uint32_t cluster =
            skin == FBX_NONE ? FBX_NONE : fbx_make(scene, geometry, "Deformer", "Cluster", at, skin, err);
        if (cluster == FBX_NONE)
            return err->code;
        scene->objects[cluster].name = fbx_plain_name(scene, bone);
        if (link_objects(scene, fbx_object_named(scene, bone), cluster, err) < 0)
            return err->code;
    }
    return 0;
}

static int make_materials(struct fbx_scene *scene, uint32_t model, struct err *err)
{
    const struct fbx_file *file = &scene->file;
    for (uint32_t at = fbx_child(file, scene->objects[model].record, "Material"); at != FBX_NONE;
         at = fbx_next(file, at, "Material")) {
        const uint32_t material = fbx_make(scene, model, "Material", "", at, model, err);
        if (material == FBX_NONE)
            return err->code;
        scene->objects[material].name = fbx_plain_name(scene, fbx_text(file, at, 0));
        fbx_give_old_values(scene, material);
    }
    return 0;
}

/* The kind of a model: a light, camera or bone by its type, else a mesh if it has vertices. */
static int make_part(struct fbx_scene *scene, uint32_t model, struct err *err)
{
    const uint32_t record = scene->objects[model].record;
    const bool is_attribute = fbx_object_is(scene, model, "Model", "Light") ||
                              fbx_object_is(scene, model, "Model", "Camera") ||
                              fbx_object_is(scene, model, "Model", "LimbNode");
    const bool is_mesh = !is_attribute && fbx_child(&scene->file, record, "Vertices") != FBX_NONE;
    if (!is_attribute && !is_mesh)
        return 0;
    const uint32_t part =
        fbx_make(scene, model, is_mesh ? "Geometry" : "NodeAttribute", is_mesh ? "Mesh" : NULL, record, model, err);
    if (part == FBX_NONE)
        return err->code;
    scene->objects[model].part = part;
    fbx_give_old_values(scene, part);
    if (!is_mesh)
        return 0;
    if (fbx_make_shapes(scene, part, model, record, err) < 0)
        return err->code;
    fbx_give_old_sliders(scene, model, record);
    return make_skin(scene, part, record, err) < 0 || make_materials(scene, model, err) < 0 ? err->code : 0;
}

int fbx_make_old_parts(struct fbx_scene *scene, struct err *err)
{
    const uint32_t count = scene->object_count;
    for (uint32_t i = FBX_SETTINGS + 1; i < count; i++) {
        if (!fbx_object_is(scene, i, "Model", NULL))
            continue;
        fbx_give_old_values(scene, i);
        if (make_part(scene, i, err) < 0 || link_children(scene, i, err) < 0)
            return err->code;
    }
    fbx_give_take_defaults(scene);
    return 0;
}
