/* Files before 7.2 in the form of 7.x: conversion of models, shapes, links and channels. */
#include "tests/unit/fbx_file/fbx_bytes.h"
#include "tests/unit/support/check.h"

#include <stdio.h>
#include <string.h>

static const char TEXT_6100[] =
    "; FBX 6.1.0 project file\n"
    "FBXHeaderExtension: { FBXHeaderVersion: 1003\n FBXVersion: 6100 }\n"
    "Objects: {\n"
    " Model: \"Model::box\", \"Mesh\" {\n"
    "  Properties60: { Property: \"Lcl Translation\", \"Lcl Translation\", \"A+\",1,2,3\n"
    "   Property: \"smile\", \"Shape\", \"A+\",25 }\n"
    "  Vertices: 0,0,0,1,0,0\n"
    "  LayerElementMaterial: 0 { MappingInformationType: \"ByPolygon\"\n Materials: 1,1,0,0 }\n"
    "  LayerElementTexture: 0 { MappingInformationType: \"ByPolygon\"\n TextureId: 0,1,-1,1 }\n"
    "  LayerElementBump_Textures: 0 { MappingInformationType: \"AllSame\"\n TextureId: 1 }\n"
    "  Shape: \"smile\" { Indexes: 1\n Vertices: 0,1,0 }\n"
    "  Shape: \"frown\" { Indexes: 0\n Vertices: 0,2,0 }\n"
    "  Shape: \"odd\" { }\n"
    " }\n"
    " Model: \"Model::arm\", \"LimbNode\" { }\n"
    " Model: \"Model::none\", \"\" { }\n"
    " Material: \"Material::one\", \"\" { }\n"
    " Material: \"Material::two\", \"\" { }\n"
    " Texture: \"Texture::a\", \"TextureVideoClip\" { }\n"
    " Texture: \"Texture::b\", \"TextureVideoClip\" { }\n"
    " Deformer: \"Deformer::skin\", \"Skin\" { }\n"
    " Deformer: \"SubDeformer::arm\", \"Cluster\" { }\n"
    " GlobalSettings: { Properties60: { Property: \"UpAxis\", \"int\", \"\",1 } }\n"
    "}\n"
    "Connections: {\n"
    " Connect: \"OO\", \"Model::box\", \"Model::Scene\"\n"
    " Connect: \"OO\", \"Material::one\", \"Model::box\"\n"
    " Connect: \"OO\", \"Texture::a\", \"Model::box\"\n"
    " Connect: \"OO\", \"Texture::b\", \"Model::box\"\n"
    " Connect: \"OO\", \"Material::two\", \"Model::box\"\n"
    " Connect: \"OO\", \"Deformer::skin\", \"Model::box\"\n"
    " Connect: \"OO\", \"SubDeformer::arm\", \"Deformer::skin\"\n"
    " Connect: \"OO\", \"Model::arm\", \"SubDeformer::arm\"\n"
    "}\n"
    "Version5: { Settings: { FrameRate: \"24\" } }\n";

static uint32_t named(const struct fbx_scene *scene, const char *full_name)
{
    const uint32_t object = fbx_object_named(scene, fbx_span_of(full_name));
    assert_true(object != FBX_NONE);
    return object;
}

TEST(fbx_scene_6100_models_are_parted)
{
    struct fbx_reading run;
    double real;
    int64_t integer = 0;
    fbx_reading_scene(&run, TEXT_6100, sizeof TEXT_6100 - 1);
    assert_int_equal(run.rc, 0);
    const struct fbx_scene *scene = &run.scene;
    const uint32_t box = named(scene, "Model::box"), geometry = fbx_first_child(scene, box, "Geometry", "Mesh");
    assert_int_equal(scene->objects[box].part, geometry);
    assert_true(scene->objects[geometry].is_made && !scene->objects[box].is_made);
    assert_true(fbx_child(&scene->file, scene->objects[geometry].record, "Vertices") != FBX_NONE);
    assert_int_equal(fbx_first_parent(scene, box, NULL, NULL), FBX_ROOT);
    /* the skin is the geometry's, though the file connects it to the model */
    const uint32_t skin = fbx_first_child(scene, geometry, "Deformer", "Skin");
    const uint32_t cluster = fbx_first_child(scene, skin, "Deformer", "Cluster");
    assert_int_equal(fbx_first_child(scene, cluster, "Model", NULL), named(scene, "Model::arm"));
    assert_true(fbx_first_child(scene, named(scene, "Model::arm"), "NodeAttribute", "LimbNode") != FBX_NONE);
    assert_int_equal(scene->objects[named(scene, "Model::none")].part, FBX_NONE);
    assert_true(fbx_property_real(scene, geometry, "Lcl Translation", &real) && real == 1);
    assert_true(fbx_property_integer(scene, FBX_SETTINGS, "UpAxis", &integer) && integer == 1);
    assert_true(fbx_property_real(scene, FBX_SETTINGS, "CustomFrameRate", &real) && real == 24);
    assert_true(fbx_property_integer(scene, FBX_SETTINGS, "TimeMode", &integer) && integer == 14);
    fbx_reading_fini(&run);
}

static void check_shape(const struct fbx_scene *scene, uint32_t channel, uint32_t owner, const char *name,
                        double percent)
{
    uint32_t count;
    double real = -1;
    assert_true(fbx_object_is(scene, channel, "Deformer", "BlendShapeChannel"));
    assert_true(fbx_span_is(scene->objects[channel].name, name));
    assert_true(fbx_property_real(scene, channel, "DeformPercent", &real));
    CHECK_NEAR(real, percent, 0);
    const uint32_t shape = fbx_first_child(scene, channel, "Geometry", "Shape");
    assert_true(fbx_child(&scene->file, scene->objects[shape].record, "Indexes") != FBX_NONE);
    const struct fbx_link *links = fbx_children(scene, channel, &count);
    assert_int_equal(count, 2);
    assert_int_equal(links[1].child, owner);
    assert_true(fbx_span_is(links[1].child_property, name) && fbx_span_is(links[1].property, "DeformPercent"));
}

TEST(fbx_scene_6100_shapes)
{
    struct fbx_reading run;
    uint32_t count;
    fbx_reading_scene(&run, TEXT_6100, sizeof TEXT_6100 - 1);
    const struct fbx_scene *scene = &run.scene;
    const uint32_t box = named(scene, "Model::box"), geometry = scene->objects[box].part;
    const uint32_t blend_shape = fbx_first_child(scene, geometry, "Deformer", "BlendShape");
    const struct fbx_link *links = fbx_children(scene, blend_shape, &count);
    assert_int_equal(count, 2);
    check_shape(scene, links[0].child, box, "smile", 25);
    check_shape(scene, links[1].child, box, "frown", 0);
    fbx_reading_fini(&run);
}

/* Materials two, two, one, one and textures a, b, none, b: the first polygon of `one` has none. */
TEST(fbx_scene_6100_textures_are_the_materials)
{
    struct fbx_reading run;
    uint32_t count;
    fbx_reading_scene(&run, TEXT_6100, sizeof TEXT_6100 - 1);
    const struct fbx_scene *scene = &run.scene;
    const uint32_t a = named(scene, "Texture::a"), b = named(scene, "Texture::b");
    const struct fbx_link *links = fbx_children(scene, named(scene, "Material::two"), &count);
    assert_int_equal(count, 2);
    assert_true(links[0].child == a && fbx_span_is(links[0].property, "DiffuseColor"));
    assert_true(links[1].child == b && fbx_span_is(links[1].property, "Bump"));
    links = fbx_children(scene, named(scene, "Material::one"), &count);
    assert_int_equal(count, 2);
    assert_true(links[0].child == b && fbx_span_is(links[0].property, "DiffuseColor"));
    assert_true(links[1].child == b && fbx_span_is(links[1].property, "Bump"));
    fbx_reading_fini(&run);
}

static void check_plain_texture(const char *element)
{
    char text[1024];
    struct fbx_reading run;
    uint32_t count;
    snprintf(text, sizeof text,
             "Objects: { Model: \"M::m\", \"Mesh\" { Vertices: 0,0,0\n %s }\n Material: \"X::x\", \"\" { }\n"
             " Texture: \"T::t\", \"\" { } }\nConnections: { Connect: \"OO\", \"T::t\", \"M::m\"\n"
             " Connect: \"OO\", \"X::x\", \"M::m\" }\n",
             element);
    fbx_reading_scene(&run, text, strlen(text));
    assert_int_equal(run.rc, 0);
    const struct fbx_link *links = fbx_children(&run.scene, named(&run.scene, "X::x"), &count);
    assert_int_equal(count, 1);
    assert_int_equal(links[0].child, named(&run.scene, "T::t"));
    assert_true(fbx_span_is(links[0].property, "DiffuseColor"));
    fbx_reading_fini(&run);
}

TEST(fbx_scene_6100_texture_for_all)
{
    check_plain_texture("");
    check_plain_texture("LayerElementTexture: 0 { MappingInformationType: \"AllSame\"\n TextureId: 0 }");
    check_plain_texture("LayerElementTexture: 0 { MappingInformationType: \"NoMappingInformation\" }");
    check_plain_texture("LayerElementMaterial: 0 { MappingInformationType: \"ByPolygon\"\n Materials: 0,0 }");
}

static const char TEXT_5000[] =
    "FBXHeaderExtension: { FBXHeaderVersion: 1000\n FBXVersion: 5000 }\n"
    "Media: { Video: { Video: \"film\" { Filename: \"a.png\" } } }\n"
    "Model: \"root\" { Type: \"Null\"\n Children: \"box\",\"bone\",\"nobody\" }\n"
    "Model: \"box\" {\n"
    " Link: \"bone\" { Indexes: 0\n Weights: 1 }\n Link: \"root\" { Indexes: 1\n Weights: 1 }\n"
    " Material: \"grey\" { Diffuse: 0.5,0.25,1\n Shininess: 20 }\n"
    " Vertices: 0,0,0\n"
    " Shape: \"fat\" { Indexes: 0\n Vertices: 0,0,1 }\n"
    " Shape: \"thin\" { Indexes: 0\n Vertices: 0,0,-1 }\n"
    " Shape: \"tall\" { Indexes: 0\n Vertices: 0,1,0 }\n"
    " Channel: \"thin (Shape)\" { Default: 35.5 } Channel: \"none (Shape)\" { Default: 3 }\n"
    " Channel: \"tall\" { Default: 12 }\n"
    " Channel: \"Transform\" { Channel: \"T\" { Channel: \"X\" { Default: 1.5 } Channel: \"Z\" { Default: 3 } }\n"
    "  Channel: \"S\" { Channel: \"Y\" { Default: 2 } } }\n"
    " Channel: \"Visibility\" { Default: 0.5 }\n"
    "}\n"
    "Model: \"bone\" { Type: \"LimbNode\" }\n"
    "Model: \"eye\" { Type: \"Camera\"\n Aperture: 40\n CameraAperture: 0.8,0.6 }\n"
    "Takes: { Take: \"one\" { Model: \"bone\" { Channel: \"Transform\" { Channel: \"R\" { Channel: \"Y\" { Default: 5 "
    "} } } } }\n"
    " Take: \"two\" { Model: \"box\" { Channel: \"tall (Shape)\" { Default: 80 } } Model: \"bone\" { Channel: "
    "\"Transform\" { Channel: \"R\" { Channel: \"Y\" { Default: 7 } } } } "
    "} }\n"
    "SceneGenericPersistence: { Pose: \"BIND\" { Type: \"BindPose\"\n PoseNode: { Node: \"bone\" } } }\n"
    "Settings: { FrameRate: 25 }\n";

TEST(fbx_scene_5000_models)
{
    struct fbx_reading run;
    double three[3], real;
    uint32_t count;
    fbx_reading_scene(&run, TEXT_5000, sizeof TEXT_5000 - 1);
    assert_int_equal(run.rc, 0);
    const struct fbx_scene *scene = &run.scene;
    assert_int_equal(scene->file.version, 5000);
    const uint32_t root = named(scene, "root"), box = named(scene, "box"), bone = named(scene, "bone");
    const struct fbx_link *links = fbx_children(scene, root, &count);
    assert_int_equal(count, 2);
    assert_true(links[0].child == box && links[1].child == bone);
    assert_true(fbx_object_is(scene, box, "Model", "Mesh") && fbx_object_is(scene, bone, "Model", "LimbNode"));
    assert_true(fbx_property_real3(scene, box, "Lcl Translation", three));
    assert_true(three[0] == 1.5 && three[1] == 0 && three[2] == 3);
    assert_true(fbx_property_real3(scene, box, "Lcl Scaling", three));
    assert_true(three[0] == 1 && three[1] == 2 && three[2] == 1);
    assert_false(fbx_property_real3(scene, box, "Lcl Rotation", three));
    assert_true(fbx_property_real(scene, box, "Visibility", &real) && real == 0.5);
    assert_true(fbx_property_real3(scene, bone, "Lcl Rotation", three) && three[1] == 7); /* the last take's */
    assert_true(fbx_property_real(scene, FBX_SETTINGS, "CustomFrameRate", &real) && real == 25);
    assert_true(fbx_object_is(scene, named(scene, "film"), "Video", "Clip"));
    const uint32_t pose = named(scene, "BIND");
    assert_true(fbx_object_is(scene, pose, "Pose", "BindPose"));
    const uint32_t node = fbx_child(&scene->file, scene->objects[pose].record, "PoseNode");
    assert_int_equal(fbx_object_at(scene, fbx_child(&scene->file, node, "Node"), 0), bone);
    fbx_reading_fini(&run);
}

TEST(fbx_scene_5000_parts)
{
    struct fbx_reading run;
    double three[3], real;
    uint32_t count;
    fbx_reading_scene(&run, TEXT_5000, sizeof TEXT_5000 - 1);
    const struct fbx_scene *scene = &run.scene;
    const uint32_t box = named(scene, "box"), geometry = scene->objects[box].part;
    assert_true(fbx_object_is(scene, geometry, "Geometry", "Mesh"));
    const struct fbx_link *clusters = fbx_children(scene, fbx_first_child(scene, geometry, "Deformer", "Skin"), &count);
    assert_int_equal(count, 2);
    assert_int_equal(fbx_first_child(scene, clusters[0].child, "Model", NULL), named(scene, "bone"));
    assert_int_equal(fbx_first_child(scene, clusters[1].child, "Model", NULL), named(scene, "root"));
    assert_true(fbx_child(&scene->file, scene->objects[clusters[1].child].record, "Weights") != FBX_NONE);
    const uint32_t material = fbx_first_child(scene, box, "Material", NULL);
    assert_true(fbx_span_is(scene->objects[material].name, "grey"));
    assert_true(fbx_property_real3(scene, material, "DiffuseColor", three) && three[1] == 0.25);
    assert_true(fbx_property_real(scene, material, "Shininess", &real) && real == 20);
    const uint32_t blend_shape = fbx_first_child(scene, geometry, "Deformer", "BlendShape");
    const struct fbx_link *sliders = fbx_children(scene, blend_shape, &count);
    assert_int_equal(count, 3);
    check_shape(scene, sliders[0].child, box, "fat", 0);
    check_shape(scene, sliders[1].child, box, "thin", 35.5);
    check_shape(scene, sliders[2].child, box, "tall", 80); /* the last take's */
    const uint32_t eye = scene->objects[named(scene, "eye")].part;
    assert_true(fbx_object_is(scene, eye, "NodeAttribute", "Camera"));
    assert_true(fbx_property_real(scene, eye, "FieldOfView", &real) && real == 40);
    assert_true(fbx_property_real(scene, eye, "FilmHeight", &real) && real == 0.6);
    fbx_reading_fini(&run);
}

static uint32_t channels_of_7x(const char *version)
{
    char text[512];
    struct fbx_reading run;
    uint32_t count;
    snprintf(text, sizeof text,
             "; FBX %s project file\nObjects: { Geometry: 4, \"Geometry::g\", \"Mesh\" { Properties70: {\n"
             "P: \"s\", \"Number\", \"\", \"A\",60 }\n Shape: \"s\" { Indexes: *1 { a: 0 } } } }\n",
             version);
    fbx_reading_scene(&run, text, strlen(text));
    assert_int_equal(run.rc, 0);
    const uint32_t blend_shape = fbx_first_child(&run.scene, 2, "Deformer", "BlendShape");
    const struct fbx_link *links = fbx_children(&run.scene, blend_shape, &count);
    if (count > 0)
        check_shape(&run.scene, links[0].child, 2, "s", 60);
    fbx_reading_fini(&run);
    return count;
}

TEST(fbx_scene_shapes_within_geometries_until_7100)
{
    assert_int_equal(channels_of_7x("7.0.0"), 1);
    assert_int_equal(channels_of_7x("7.1.0"), 1);
    assert_int_equal(channels_of_7x("7.2.0"), 0);
}

TEST(fbx_old_scenes_damaged_everywhere)
{
    fbx_check_damaged(TEXT_6100, sizeof TEXT_6100 - 1);
    fbx_check_damaged(TEXT_5000, sizeof TEXT_5000 - 1);
}
