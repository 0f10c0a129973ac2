/* fbx_made.c - makes objects for data that older files store within the records of other objects.
 *
 * Before 7.0, a Model's record holds what 7.x stores in its Geometry or NodeAttribute; the model's subtype tells which.
 * Up to 7.1, shapes are records within the mesh: Shape: "name" { Indexes, Vertices, Normals }. */
#include "import/fbx_file/fbx_scene_internal.h"

uint32_t fbx_make(struct fbx_scene *scene, uint32_t of, const char *kind, const char *subtype, uint32_t record,
                  uint32_t parent, struct err *err)
{
    struct fbx_object object = {
        .name = scene->objects[of].name,
        .full_name = fbx_span_of(""),
        .kind = fbx_span_of(kind),
        .subtype = subtype != NULL ? fbx_span_of(subtype) : scene->objects[of].subtype,
        .record = record,
        .property_record = FBX_NONE,
        .part = FBX_NONE,
        .is_made = true,
    };
    if (record != FBX_NONE && record == scene->objects[of].record)
        object.own = scene->objects[of].own;
    const uint32_t made = fbx_add_object(scene, &object, err);
    if (made == FBX_NONE || parent == FBX_NONE)
        return made;
    const struct fbx_link link = {made, parent, fbx_span_of(""), fbx_span_of("")};
    return fbx_add_link(scene, &link, err) < 0 ? FBX_NONE : made;
}

/* A channel, its shape, and the link that moves it. */
static int make_shape(struct fbx_scene *scene, uint32_t blend_shape, uint32_t owner, uint32_t record, struct err *err)
{
    const struct fbx_span name = fbx_text(&scene->file, record, 0);
    const uint32_t channel = fbx_make(scene, owner, "Deformer", "BlendShapeChannel", FBX_NONE, blend_shape, err);
    const uint32_t shape =
        channel == FBX_NONE ? FBX_NONE : fbx_make(scene, owner, "Geometry", "Shape", record, channel, err);
    if (shape == FBX_NONE)
        return err->code;
    scene->objects[channel].name = scene->objects[shape].name = name;
    double percent[3] = {0};
    struct fbx_property property;
    if (fbx_property_named(scene, owner, name, &property))
        percent[0] = fbx_real(&scene->file, property.record, property.value_first, 0);
    fbx_give(scene, channel, "DeformPercent", percent);
    const struct fbx_link link = {owner, channel, fbx_span_of("DeformPercent"), name};
    return fbx_add_link(scene, &link, err);
}

int fbx_make_shapes(struct fbx_scene *scene, uint32_t geometry, uint32_t owner, uint32_t record, struct err *err)
{
    const struct fbx_file *file = &scene->file;
    uint32_t blend_shape = FBX_NONE;
    for (uint32_t at = fbx_child(file, record, "Shape"); at != FBX_NONE; at = fbx_next(file, at, "Shape")) {
        if (fbx_child(file, at, "Indexes") == FBX_NONE)
            continue;
        if (blend_shape == FBX_NONE)
            blend_shape = fbx_make(scene, geometry, "Deformer", "BlendShape", FBX_NONE, geometry, err);
        if (blend_shape == FBX_NONE || make_shape(scene, blend_shape, owner, at, err) < 0)
            return err->code;
    }
    return 0;
}

/* Surfaces and curves are geometries, too; all else is an attribute. */
static bool is_geometry(const struct fbx_scene *scene, uint32_t model)
{
    static const char *const SUBTYPES[] = {"Mesh",     "NurbsCurve", "NurbsSurface", "Line", "TrimNurbsSurface",
                                           "Boundary", "Nurb",       "Patch"};
    for (size_t i = 0; i < sizeof SUBTYPES / sizeof *SUBTYPES; i++)
        if (fbx_object_is(scene, model, "Model", SUBTYPES[i]))
            return true;
    return fbx_child(&scene->file, scene->objects[model].record, "Vertices") != FBX_NONE;
}

/* A model of a file from 6.0 on and before 7.0. A plain model has no subtype, or its own kind as the subtype. */
static int make_part(struct fbx_scene *scene, uint32_t model, struct err *err)
{
    const struct fbx_object *object = &scene->objects[model];
    const uint32_t record = object->record;
    const bool has_geometry = is_geometry(scene, model);
    if (!has_geometry && (object->subtype.size_bytes == 0 || fbx_span_is(object->subtype, "Model")))
        return 0;
    const bool is_mesh = has_geometry && fbx_child(&scene->file, record, "Vertices") != FBX_NONE;
    const uint32_t part = fbx_make(scene, model, has_geometry ? "Geometry" : "NodeAttribute", is_mesh ? "Mesh" : NULL,
                                   record, model, err);
    if (part == FBX_NONE)
        return err->code;
    scene->objects[model].part = part;
    return fbx_make_shapes(scene, part, model, record, err);
}

int fbx_make_parts(struct fbx_scene *scene, struct err *err)
{
    enum { VERSION_SHAPES_OUTSIDE = 7200 };
    if (fbx_is_old(scene))
        return fbx_make_old_parts(scene, err);
    const uint32_t count = scene->object_count;
    for (uint32_t i = FBX_SETTINGS + 1; i < count; i++) {
        const struct fbx_object *object = &scene->objects[i];
        if (!object->has_id && fbx_span_is(object->kind, "Model")) {
            if (make_part(scene, i, err) < 0)
                return err->code;
        } else if (object->has_id && scene->file.version < VERSION_SHAPES_OUTSIDE &&
                   fbx_object_is(scene, i, "Geometry", "Mesh")) {
            if (fbx_make_shapes(scene, i, i, object->record, err) < 0)
                return err->code;
        }
    }
    return 0;
}
