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
        {"<phong>" COLOR("diffuse", "1 1 1 1") "<transparent opaque=\"A_ZERO\"><color>0 0 0 0.25</color>"
                                               "</transparent></phong>",
         0.75},
        {"<phong>" COLOR("diffuse", "1 1 1 1") "<transparent opaque=\"RGB_ONE\"><color>0.5 0.5 0.5 1</color>"
                                               "</transparent>" NUMBER("transparency", "0.5") "</phong>",
         0.25},
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

/* --- parameters, samplers, pictures in the text --- */

/* A PNG of one red texel, as digits. */
#define RED_PNG                                                                                                        \
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000 \n"                                        \
    "000c49444154789c63f8cfc0000003010100c9fe92ef0000000049454e44ae426082"

/* Effects, materials (m instances effect e), and what <instance_material> binds. */
static const char FORM[] =
    "<COLLADA xmlns=\"http://www.collada.org/2008/03/COLLADASchema\" version=\"1.5.0\">"
    "<library_images>%s</library_images><library_effects><effect id=\"e\"><profile_COMMON>%s</profile_COMMON></effect>"
    "</library_effects><library_materials><material id=\"m\" name=\"paint\"><instance_effect url=\"#e\">"
    "<setparam ref=\"shown\"><float4>0 1 0 1</float4></setparam></instance_effect></material></library_materials>"
    "<library_geometries><geometry id=\"g\"><mesh><source id=\"p\"><float_array id=\"pa\">1 2 3 4 5 6 7 8 10"
    "</float_array><technique_common><accessor source=\"#pa\" count=\"3\" stride=\"3\"/></technique_common></source>"
    "<source id=\"t\"><float_array id=\"ta\">0.5 0 0.5 0 0.5 0</float_array><technique_common><accessor source=\"#ta\" "
    "count=\"3\" stride=\"2\"/></technique_common></source><source id=\"u\"><float_array id=\"ua\">0.25 0 0.25 0 0.25 0"
    "</float_array><technique_common><accessor source=\"#ua\" count=\"3\" stride=\"2\"/></technique_common></source>"
    "<vertices id=\"v\"><input semantic=\"POSITION\" source=\"#p\"/></vertices><triangles count=\"1\" material=\"s\">"
    "<input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/><input semantic=\"TEXCOORD\" source=\"#t\" offset=\"0\" "
    "set=\"4\"/><input semantic=\"TEXCOORD\" source=\"#u\" offset=\"0\" set=\"7\"/><p>0 1 2</p></triangles></mesh>"
    "</geometry></library_geometries><library_visual_scenes><visual_scene id=\"scene\"><node><instance_geometry "
    "url=\"#g\"><bind_material><technique_common><instance_material symbol=\"s\" target=\"#m\">%s</instance_material>"
    "</technique_common></bind_material></instance_geometry></node></visual_scene></library_visual_scenes>"
    "<scene><instance_visual_scene url=\"#scene\"/></scene></COLLADA>";

static void import_form(struct assimp_run *run, const char *images, const char *profile, const char *binds)
{
    char text[6000];
    assimp_run_init(run);
    assert_true(snprintf(text, sizeof text, FORM, images, profile, binds) < (int)sizeof text);
    temp_tree_file(&run->tree, "a.dae", text);
    assimp_run_import(run, "a.dae");
    assert_int_equal(run->rc, 0);
}

TEST(collada_parameters_stand_for_values)
{
    struct assimp_run run;
    import_form(
        &run, "",
        "<newparam sid=\"shown\"><float4>1 0 0 1</float4></newparam><newparam sid=\"rough\"><float>6</float>"
        "</newparam><technique><phong><diffuse><param ref=\"shown\"/></diffuse><shininess><param "
        "ref=\"rough\"/></shininess></phong></technique><extra><technique profile=\"GOOGLEEARTH\"><double_sided>1"
        "</double_sided></technique></extra>",
        "");
    const struct material *m = &run.model.materials[0];
    CHECK_NEAR(m->base_color[0], 0, 0); /* the material's value, not the effect's */
    CHECK_NEAR(m->base_color[1], 1, 0);
    CHECK_NEAR(m->roughness, 0.70710678, 1e-6);
    assert_true((m->flags & MATERIAL_DOUBLE_SIDED) != 0);
    assert_int_equal(m->name.size_bytes, 5);
    assimp_run_fini(&run);
}

TEST(collada_parameters_are_those_of_their_own_profile)
{
    struct assimp_run run;
    import_form(&run, "",
                "</profile_COMMON><profile_CG><newparam sid=\"rough\"><float>0</float></newparam>"
                "<newparam sid=\"glow\"><float3>1 0 0</float3></newparam></profile_CG><profile_COMMON>"
                "<newparam sid=\"rough\"><float>6</float></newparam><technique><phong><emission><param ref=\"glow\"/>"
                "</emission><shininess><param ref=\"rough\"/></shininess></phong></technique>",
                "");
    CHECK_NEAR(run.model.materials[0].roughness, 0.70710678, 1e-6);
    CHECK_NEAR(run.model.materials[0].emissive[0], 1, 0); /* none has that name in its own */
    assimp_run_fini(&run);
}

TEST(collada_samplers_lead_to_pictures)
{
    static const struct {
        const char *images, *profile;
        uint32_t wrap_s, mag;
    } ROWS[] = {
        {"<image id=\"i\"><init_from><hex format=\"PNG\">" RED_PNG "</hex></init_from></image>",
         "<newparam sid=\"a\"><sampler2D><instance_image url=\"#i\"/><wrap_s>CLAMP</wrap_s><magfilter>NEAREST"
         "</magfilter></sampler2D></newparam>",
         TEXTURE_WRAP_CLAMP, TEXTURE_MAG_NEAREST},
        {"<image id=\"i\"><data>" RED_PNG "</data></image>",
         "<newparam sid=\"b\"><surface type=\"2D\"><init_from> i </init_from></surface></newparam><newparam sid=\"a\">"
         "<sampler2D><source> b </source><wrap_s>MIRROR</wrap_s></sampler2D></newparam>",
         TEXTURE_WRAP_MIRROR, TEXTURE_MAG_LINEAR},
        {"<image id=\"a\"><data>" RED_PNG "</data></image>", "", TEXTURE_WRAP_REPEAT, TEXTURE_MAG_LINEAR},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        struct assimp_run run;
        char profile[1500];
        snprintf(profile, sizeof profile,
                 "%s<technique><lambert><diffuse><texture texture=\"a\" texcoord=\"map\"/></diffuse></lambert>"
                 "</technique>",
                 ROWS[i].profile);
        import_form(&run, ROWS[i].images, profile,
                    "<bind_vertex_input semantic=\"map\" input_semantic=\"TEXCOORD\" input_set=\"7\"/>");
        assert_int_equal(run.model.texture_count, 1);
        assert_int_equal(run.model.textures[0].state, TEXTURE_FOUND);
        assert_int_equal(run.model.pixels[run.model.textures[0].pixel_first], 255);
        assert_int_equal(run.model.textures[0].wrap_s, ROWS[i].wrap_s);
        assert_int_equal(run.model.textures[0].mag_filter, ROWS[i].mag);
        CHECK_NEAR(run.model.texcoords[0].x, 0.25, 0); /* by set 7 */
        assimp_run_fini(&run);
    }
}

TEST(collada_texture_coordinates_are_bound_by_name_or_number)
{
    static const struct {
        const char *texcoord, *binds;
        double u;
    } ROWS[] = {
        {"map", "<bind_vertex_input semantic=\"map\" input_semantic=\"TEXCOORD\" input_set=\"7\"/>", 0.25},
        {"map", "<bind_vertex_input semantic=\"other\" input_semantic=\"TEXCOORD\" input_set=\"7\"/>", 0.5},
        {"CHANNEL7", "", 0.25},
        {"CHANNEL4", "", 0.5},
        {"CHANNEL9", "", 0.5},
        {"", "", 0.5},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        struct assimp_run run;
        char profile[500];
        snprintf(
            profile, sizeof profile,
            "<technique><lambert><diffuse><texture texture=\"i\" texcoord=\"%s\"/></diffuse></lambert></technique>",
            ROWS[i].texcoord);
        import_form(&run, "<image id=\"i\"><data>" RED_PNG "</data></image>", profile, ROWS[i].binds);
        CHECK_NEAR(run.model.texcoords[0].x, ROWS[i].u, 0);
        assimp_run_fini(&run);
    }
}

TEST(collada_picture_without_a_path_is_missing)
{
    struct assimp_run run;
    import_form(&run, "<image id=\"i\"><init_from/></image>",
                "<technique><lambert><diffuse><texture texture=\"i\" texcoord=\"\"/></diffuse></lambert></technique>",
                "");
    assert_int_equal(run.model.textures[0].state, TEXTURE_MISSING);
    assert_true(assimp_run_warned(&run, "texture_missing"));
    assimp_run_fini(&run);
}
