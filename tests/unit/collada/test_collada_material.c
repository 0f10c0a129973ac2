/* Materials and textures of COLLADA files. */
#include "tests/unit/assimp/assimp_run.h"
#include "tests/unit/support/check.h"

#include <stdio.h>
#include <string.h>

static const char DAE[] =
    "<?xml version=\"1.0\"?><COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" version=\"1.4.1\">"
    "<library_effects><effect id=\"e\"><profile_COMMON><technique sid=\"t\">%s</technique></profile_COMMON></effect>"
    "</library_effects><library_materials><material id=\"m\"><instance_effect url=\"#e\"/></material>"
    "</library_materials><library_geometries><geometry id=\"tri\"><mesh>"
    "<source id=\"p\"><float_array id=\"pa\" count=\"9\">1 2 3 4 5 6 7 8 10</float_array><technique_common>"
    "<accessor source=\"#pa\" count=\"3\" stride=\"3\"><param name=\"X\" type=\"float\"/>"
    "<param name=\"Y\" type=\"float\"/><param name=\"Z\" type=\"float\"/></accessor></technique_common></source>"
    "<vertices id=\"v\"><input semantic=\"POSITION\" source=\"#p\"/></vertices>"
    "<triangles count=\"1\" material=\"s\"><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/><p>0 1 2</p>"
    "</triangles></mesh></geometry></library_geometries>"
    "<library_visual_scenes><visual_scene id=\"scene\"><node id=\"n1\"><instance_geometry url=\"#tri\">"
    "<bind_material><technique_common><instance_material symbol=\"s\" target=\"#m\"/></technique_common>"
    "</bind_material></instance_geometry></node></visual_scene></library_visual_scenes>"
    "<scene><instance_visual_scene url=\"#scene\"/></scene></COLLADA>";

static struct material import_dae(const char *technique)
{
    struct assimp_run run;
    char text[3000];
    assimp_run_init(&run);
    snprintf(text, sizeof text, DAE, technique);
    temp_tree_file(&run.tree, "a.dae", text);
    assimp_run_import(&run, "a.dae");
    assert_int_equal(run.rc, 0);
    const struct material out = run.model.materials[run.model.primitives[0].material];
    assimp_run_fini(&run);
    return out;
}

#define COLOR(name, values) "<" name "><color>" values "</color></" name ">"
#define NUMBER(name, value) "<" name "><float>" value "</float></" name ">"

/* COLLADA 1.4.1, "transparent": A_ONE (also without a word): alpha times transparency is how much is seen; RGB_ZERO:
 * how much is seen through. Transparency 0 under A_ONE would be nothing at all, and is what exporters write for 1. */
TEST(collada_transparency)
{
    static const struct {
        const char *technique;
        double opacity;
    } ROWS[] = {
        {"<phong>" COLOR("diffuse", "1 1 1 1") "</phong>", 1},
        {"<phong>" COLOR("diffuse", "1 1 1 1") COLOR("transparent", "1 1 1 1") NUMBER("transparency", "0") "</phong>",
         1},
        {"<phong>" COLOR("diffuse", "1 1 1 1") COLOR("transparent", "1 1 1 1") NUMBER("transparency", "1") "</phong>",
         1},
        {"<phong>" COLOR("diffuse", "1 1 1 1") COLOR("transparent", "1 1 1 0.5")
             NUMBER("transparency", "0.5") "</phong>",
         0.25},
        {"<phong>" COLOR("diffuse", "1 1 1 1") "<transparent opaque=\"RGB_ZERO\"><color>0.25 0.25 0.25 1</color>"
                                               "</transparent>" NUMBER("transparency", "1") "</phong>",
         0.75},
        {"<phong>" COLOR("diffuse", "1 1 1 1") "<transparent opaque=\"RGB_ZERO\"><color>0 0 0 1</color>"
                                               "</transparent>" NUMBER("transparency", "1") "</phong>",
         1},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        const struct material m = import_dae(ROWS[i].technique);
        CHECK_NEAR(m.base_color[3], ROWS[i].opacity, 1e-5);
        assert_int_equal(m.alpha_mode, ROWS[i].opacity < 1 ? ALPHA_BLEND : ALPHA_OPAQUE);
    }
}

TEST(collada_kinds_of_light)
{
    struct material m = import_dae("<constant>" COLOR("emission", "0 1 0 1") "</constant>");
    assert_true((m.flags & MATERIAL_UNLIT) != 0);
    CHECK_NEAR(m.base_color[0], 0, 0); /* the emission is the colour */
    CHECK_NEAR(m.base_color[1], 1, 0);
    CHECK_NEAR(m.emissive[1], 0, 0);
    m = import_dae("<lambert>" COLOR("emission", "0 1 0 1") COLOR("diffuse", "1 0 0 1") "</lambert>");
    CHECK_NEAR(m.base_color[0], 1, 0);
    CHECK_NEAR(m.emissive[1], 1, 0);
    CHECK_NEAR(m.roughness, 1, 0);
    m = import_dae("<phong>" COLOR("specular", "1 1 1 1") NUMBER("shininess", "6") "</phong>");
    CHECK_NEAR(m.roughness, 0.70710678, 1e-6);
}

static const char TEXTURED[] =
    "<?xml version=\"1.0\"?><COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" version=\"1.4.1\">"
    "<library_images><image id=\"img\"><init_from>%s</init_from></image></library_images>"
    "<library_effects><effect id=\"fx\"><profile_COMMON>"
    "<newparam sid=\"surf\"><surface type=\"2D\"><init_from>img</init_from></surface></newparam>"
    "<newparam sid=\"samp\"><sampler2D><source>surf</source></sampler2D></newparam>"
    "<technique sid=\"t\"><lambert><diffuse><texture texture=\"samp\" texcoord=\"UV\"/></diffuse></lambert></technique>"
    "</profile_COMMON></effect></library_effects>"
    "<library_materials><material id=\"mat\"><instance_effect url=\"#fx\"/></material></library_materials>"
    "<library_geometries><geometry id=\"tri\"><mesh>"
    "<source id=\"p\"><float_array id=\"pa\" count=\"9\">1 2 3 4 5 6 7 8 10</float_array><technique_common>"
    "<accessor source=\"#pa\" count=\"3\" stride=\"3\"><param name=\"X\" type=\"float\"/>"
    "<param name=\"Y\" type=\"float\"/><param name=\"Z\" type=\"float\"/></accessor></technique_common></source>"
    "<vertices id=\"v\"><input semantic=\"POSITION\" source=\"#p\"/></vertices>"
    "<triangles count=\"1\" material=\"m\"><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/><p>0 1 "
    "2</p></triangles>"
    "</mesh></geometry></library_geometries>"
    "<library_visual_scenes><visual_scene id=\"scene\"><node id=\"n1\"><instance_geometry url=\"#tri\"><bind_material>"
    "<technique_common><instance_material symbol=\"m\" target=\"#mat\"/></technique_common></bind_material>"
    "</instance_geometry></node></visual_scene></library_visual_scenes>"
    "<scene><instance_visual_scene url=\"#scene\"/></scene></COLLADA>";

/* The ways in which exporters write where a texture is. */
TEST(collada_textures_are_found_as_exporters_write_them)
{
    static const char *const URIS[] = {
        "skin.tga",
        "./skin.tga",
        "file://skin.tga",
        "file:///C:/art/skin.tga",
        "file:///home/me/skin.tga",
        "C:\\art\\skin.tga",
        "/C:/art/skin.tga",
        "..\\textures\\skin.tga",
        "my%20skin.tga",
        "file:///C:/my%20art/my%20skin.tga",
    };
    /* 1 x 1, 24 bits */
    static const char TGA[] = {0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 24, 0, 1, 2, 3};
    for (size_t i = 0; i < sizeof URIS / sizeof *URIS; i++) {
        struct assimp_run run;
        char text[4096];
        assimp_run_init(&run);
        snprintf(text, sizeof text, TEXTURED, URIS[i]);
        temp_tree_file(&run.tree, "dir/a.dae", text);
        temp_tree_bytes(&run.tree, "dir/skin.tga", TGA, sizeof TGA);
        temp_tree_bytes(&run.tree, "dir/my skin.tga", TGA, sizeof TGA);
        assimp_run_import(&run, "dir/a.dae");
        assert_int_equal(run.rc, 0);
        if (run.model.texture_count != 1 || run.model.textures[0].state != TEXTURE_FOUND)
            fail_msg("'%s' is not found", URIS[i]);
        assimp_run_fini(&run);
    }
}
