/* server/import/threemf: colours, materials and textures. Expected numbers are linear light of sRGB colours. */
#include "tests/unit/support/check.h"
#include "tests/unit/threemf/threemf_run.h"

#include <string.h>

#define HALF 0.2158605 /* linear of #80 */
#define GROUPS                                                                                                         \
    "<basematerials id=\"1\"><base name=\"Red\" displaycolor=\"#FF0000\"/><base name=\"Glass\" "                       \
    "displaycolor=\"#0000FF80\"/></basematerials>"                                                                     \
    "<m:colorgroup id=\"2\"><m:color color=\"#800000\"/><m:color color=\"#00FF00\"/><m:color color=\"#0000FF80\"/>"    \
    "</m:colorgroup><m:texture2d id=\"3\" path=\"/none.png\" contenttype=\"image/png\" tilestyleu=\"mirror\" "         \
    "tilestylev=\"clamp\" filter=\"nearest\"/><m:texture2dgroup id=\"4\" texid=\"3\"><m:tex2coord u=\"0.25\" "         \
    "v=\"0.125\"/><m:tex2coord u=\"1\" v=\"0\"/></m:texture2dgroup>"                                                   \
    "<m:compositematerials id=\"5\" matid=\"1\" matindices=\"0 1\"><m:composite values=\"3 1\"/><m:composite/>"        \
    "</m:compositematerials>"

static void run_with(struct threemf_run *run, const char *groups, const char *object, const char *triangle)
{
    struct buf text;
    buf_init(&text, 0);
    buf_printf(&text,
               "<model xmlns=\"" THREEMF_CORE "\" xmlns:m=\"" THREEMF_MATERIAL "\"><resources>" GROUPS
               "%s<object id=\"20\" %s><mesh><vertices><vertex x=\"0\" y=\"0\" z=\"0\"/><vertex x=\"1\" y=\"0\" "
               "z=\"0\"/><vertex x=\"0\" y=\"1\" z=\"0\"/></vertices><triangles><triangle v1=\"0\" v2=\"1\" v3=\"2\" "
               "%s/></triangles></mesh></object></resources>" THREEMF_BUILD("20") "</model>",
               groups, object, triangle);
    buf_put_char(&text, '\0');
    threemf_run_init(run);
    threemf_run_model(run, text.data);
    assert_int_equal(run->rc, 0);
    assert_int_equal(run->builder.primitive_count, 1);
    buf_fini(&text);
}

/* The one material's colour. */
static void check_color(const char *groups, const char *object, const char *triangle, const double rgba[4])
{
    struct threemf_run run;
    run_with(&run, groups, object, triangle);
    assert_int_equal(run.builder.material_count, 1);
    for (int i = 0; i < 4; i++)
        CHECK_NEAR(run.builder.materials[0].base_color[i], rgba[i], 1e-6);
    assert_int_equal(run.builder.materials[0].alpha_mode, rgba[3] < 1 ? ALPHA_BLEND : ALPHA_OPAQUE);
    assert_int_equal(run.builder.primitives[0].flags & PRIMITIVE_COLORS, 0);
    threemf_run_fini(&run);
}

TEST(threemf_triangles_have_their_own_property_or_the_objects)
{
    check_color("", "pid=\"1\" pindex=\"0\"", "", (double[]){1, 0, 0, 1});
    check_color("", "pid=\"1\" pindex=\"0\"", "p1=\"1\"", (double[]){0, 0, 1, 128 / 255.0});
    check_color("", "pid=\"1\" pindex=\"0\"", "pid=\"2\" p1=\"1\"", (double[]){0, 1, 0, 1});
    check_color("", "pid=\"1\" pindex=\"0\"", "pid=\"2\"", (double[]){1, 0, 0, 1});
    check_color("", "", "pid=\"2\" p1=\"0\"", (double[]){HALF, 0, 0, 1});
    check_color("", "", "pid=\"2\" p1=\"2\"", (double[]){0, 0, 1, 1}); /* opaque, but as a layer */
    check_color("", "", "pid=\"1\" p1=\"0\" p2=\"1\" p3=\"1\"", (double[]){1, 0, 0, 1});
}

TEST(threemf_base_materials_have_names)
{
    struct threemf_run run;
    run_with(&run, "", "pid=\"1\" pindex=\"1\"", "");
    const struct str name = run.builder.materials[0].name;
    assert_int_equal(name.size_bytes, 5);
    assert_memory_equal(run.builder.text + name.offset, "Glass", 5);
    threemf_run_fini(&run);
}

TEST(threemf_colours_within_a_triangle_are_at_its_vertices)
{
    struct threemf_run run;
    run_with(&run, "", "", "pid=\"2\" p1=\"0\" p2=\"1\" p3=\"2\"");
    const struct bake_builder *builder = &run.builder;
    assert_true((builder->primitives[0].flags & PRIMITIVE_COLORS) != 0);
    assert_int_equal(builder->color_count, 3);
    CHECK_NEAR(builder->colors[0].r, UINT16_MAX * HALF, 0.5);
    assert_int_equal(builder->colors[1].g, UINT16_MAX);
    assert_int_equal(builder->colors[2].b, UINT16_MAX);
    assert_int_equal(builder->colors[2].a, UINT16_MAX);
    CHECK_NEAR(builder->materials[0].base_color[0], 1, 0);
    threemf_run_fini(&run);
}

TEST(threemf_composites_are_means_of_their_materials)
{
    check_color("", "", "pid=\"5\" p1=\"0\"", (double[]){0.75, 0, 0.25, (3 + 128 / 255.0) / 4});
    check_color("", "", "pid=\"5\" p1=\"1\"", (double[]){0.5, 0, 0.5, (1 + 128 / 255.0) / 2});
}

TEST(threemf_layers_are_blended_in_linear_light)
{
    const double a = 128 / 255.0;
    /* green, under blue that covers half */
    check_color("<m:multiproperties id=\"6\" pids=\"2 9\"><m:multi pindices=\"1 0\"/></m:multiproperties>"
                "<m:colorgroup id=\"9\"><m:color color=\"#0000FF80\"/></m:colorgroup>",
                "", "pid=\"6\" p1=\"0\"", (double[]){0, 1 - a, a, 1});
    /* multiplied instead: nothing of green is in grey times green but its green */
    check_color("<m:multiproperties id=\"6\" pids=\"2 9\" blendmethods=\"multiply\"><m:multi pindices=\"1\"/>"
                "</m:multiproperties><m:colorgroup id=\"9\"><m:color color=\"#808080\"/></m:colorgroup>",
                "", "pid=\"6\" p1=\"0\"", (double[]){0, HALF, 0, 1});
    /* a material shows where the layers on it do not cover */
    check_color("<m:multiproperties id=\"6\" pids=\"1 2\"><m:multi pindices=\"0 2\"/></m:multiproperties>", "",
                "pid=\"6\" p1=\"0\"", (double[]){1 - a, 0, a, 1});
}

TEST(threemf_textures_lie_with_v_upwards)
{
    struct threemf_run run;
    run_with(&run, "", "", "pid=\"4\" p1=\"0\" p2=\"1\" p3=\"0\"");
    const struct bake_builder *builder = &run.builder;
    assert_true((builder->primitives[0].flags & PRIMITIVE_TEXCOORDS) != 0);
    CHECK_NEAR(builder->texcoords[0].x, 0.25, 0);
    CHECK_NEAR(builder->texcoords[0].y, 0.875, 0);
    assert_int_equal(builder->materials[0].textures[TEXTURE_BASE_COLOR].texture, 0);
    assert_int_equal(builder->texture_count, 1);
    assert_int_equal(builder->textures[0].state, TEXTURE_MISSING);
    assert_int_equal(builder->textures[0].wrap_s, TEXTURE_WRAP_MIRROR);
    assert_int_equal(builder->textures[0].wrap_t, TEXTURE_WRAP_CLAMP);
    assert_true(threemf_run_warned(&run, "texture_missing"));
    threemf_run_fini(&run);
}

TEST(threemf_colour_times_texture_is_kept)
{
    struct threemf_run run;
    run_with(&run,
             "<m:multiproperties id=\"6\" pids=\"2 4\" blendmethods=\"multiply\"><m:multi pindices=\"0 0\"/>"
             "</m:multiproperties>",
             "", "pid=\"6\" p1=\"0\"");
    CHECK_NEAR(run.builder.materials[0].base_color[0], HALF, 1e-6);
    assert_int_equal(run.builder.materials[0].textures[TEXTURE_BASE_COLOR].texture, 0);
    threemf_run_fini(&run);
}

TEST(threemf_display_properties_make_metal)
{
    struct threemf_run run;
    run_with(
        &run,
        "<m:colorgroup id=\"6\" displaypropertiesid=\"7\"><m:color color=\"#FFFFFF\"/></m:colorgroup>"
        "<m:pbmetallicdisplayproperties id=\"7\"><m:pbmetallic name=\"a\" metallicness=\"0.5\" roughness=\"0.25\"/>"
        "</m:pbmetallicdisplayproperties>",
        "", "pid=\"6\" p1=\"0\"");
    CHECK_NEAR(run.builder.materials[0].metallic, 0.5, 0);
    CHECK_NEAR(run.builder.materials[0].roughness, 0.25, 0);
    threemf_run_fini(&run);
    run_with(&run,
             "<m:colorgroup id=\"6\" displaypropertiesid=\"7\"><m:color color=\"#000000\"/></m:colorgroup>"
             "<m:pbspeculardisplayproperties id=\"7\"><m:pbspecular name=\"a\" specularcolor=\"#FFFFFF\" "
             "glossiness=\"0.75\"/></m:pbspeculardisplayproperties>",
             "", "pid=\"6\" p1=\"0\"");
    CHECK_NEAR(run.builder.materials[0].metallic, 1, 1e-6);
    CHECK_NEAR(run.builder.materials[0].roughness, 0.25, 1e-6);
    threemf_run_fini(&run);
    run_with(&run,
             "<m:colorgroup id=\"6\" displaypropertiesid=\"7\"><m:color color=\"#000000\"/></m:colorgroup>"
             "<m:translucentdisplayproperties id=\"7\"/>",
             "", "pid=\"6\" p1=\"0\"");
    assert_true(threemf_run_warned(&run, "material_extension_ignored"));
    threemf_run_fini(&run);
}

TEST(threemf_properties_that_are_not_there_are_warned_of)
{
    static const char *const TRIANGLES[] = {"pid=\"2\" p1=\"3\"", "pid=\"77\" p1=\"0\"", "pid=\"20\" p1=\"0\"",
                                            "pid=\"3\" p1=\"0\""};
    for (size_t i = 0; i < sizeof TRIANGLES / sizeof *TRIANGLES; i++) {
        struct threemf_run run;
        run_with(&run, "", "", TRIANGLES[i]);
        assert_true(threemf_run_warned(&run, "property_ignored"));
        assert_int_equal(run.builder.primitives[0].material, -1);
        threemf_run_fini(&run);
    }
}

/* More colours than materials are worth: at the vertices. */
TEST(threemf_many_colours_are_at_vertices)
{
    struct buf text;
    struct threemf_run run;
    for (int count = 64; count <= 65; count++) {
        buf_init(&text, 0);
        buf_put_text(&text, "<model xmlns=\"" THREEMF_CORE "\" xmlns:m=\"" THREEMF_MATERIAL
                            "\"><resources><m:colorgroup id=\"1\">");
        for (int i = 0; i < count; i++)
            buf_printf(&text, "<m:color color=\"#0000%02X\"/>", i);
        buf_put_text(&text, "</m:colorgroup><object id=\"20\"><mesh><vertices><vertex x=\"0\" y=\"0\" z=\"0\"/><vertex "
                            "x=\"1\" y=\"0\" z=\"0\"/><vertex x=\"0\" y=\"1\" z=\"0\"/></vertices><triangles>");
        for (int i = 0; i < count; i++)
            buf_printf(&text, "<triangle v1=\"0\" v2=\"1\" v3=\"2\" pid=\"1\" p1=\"%d\"/>", i);
        buf_put_text(&text, "</triangles></mesh></object></resources>" THREEMF_BUILD("20") "</model>");
        buf_put_char(&text, '\0');
        threemf_run_init(&run);
        threemf_run_model(&run, text.data);
        assert_int_equal(run.rc, 0);
        assert_int_equal(run.builder.material_count, count == 64 ? 64 : 1);
        assert_int_equal(run.builder.color_count, count == 64 ? 0 : run.builder.position_count);
        threemf_run_fini(&run);
        buf_fini(&text);
    }
}
