/* server/import/threemf: packages, objects, components and build, and refusals. */
#include "tests/unit/support/check.h"
#include "tests/unit/threemf/threemf_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OBJECT(id, content) "<object id=\"" id "\">" content "</object>"
#define PLAIN               THREEMF_MODEL("", "<resources>" OBJECT("1", THREEMF_MESH("")) "</resources>" THREEMF_BUILD("1"))

/* Imports and expects this code and these words. */
static void check_refused(const char *model, int code, const char *words)
{
    struct threemf_run run;
    threemf_run_init(&run);
    threemf_run_model(&run, model);
    assert_int_equal(run.rc, code);
    if (strstr(run.err.message, words) == NULL)
        fail_msg("'%s' is not in '%s'", words, run.err.message);
    threemf_run_fini(&run);
}

TEST(threemf_reads_a_mesh_with_its_unit_and_axes)
{
    struct threemf_run run;
    threemf_run_init(&run);
    threemf_run_model(
        &run, THREEMF_MODEL("unit=\"inch\"", "<metadata name=\"Application\">Tool 1</metadata><resources>" OBJECT(
                                                 "1", THREEMF_MESH("")) "</resources>" THREEMF_BUILD("1")));
    assert_int_equal(run.rc, 0);
    const struct bake_builder *builder = &run.builder;
    const struct model_info *info = &builder->infos[0];
    CHECK_NEAR(info->unit_m, 0.0254, 1e-9);
    CHECK_NEAR(info->up[2], 1, 0);
    assert_int_equal(info->flags & (MODEL_HAS_UNIT | MODEL_HAS_UP), MODEL_HAS_UNIT | MODEL_HAS_UP);
    assert_memory_equal(builder->text + info->generator.offset, "Tool 1", 6);
    assert_int_equal(builder->node_count, 1);
    assert_int_equal(builder->position_count, 3);
    CHECK_NEAR(builder->positions[2].y, 7, 0);
    CHECK_NEAR(builder->positions[2].z, 3.5, 0);
    /* (3 0 0) x (0 5 0.5), of length 3 sqrt(25.25) */
    CHECK_NEAR(builder->normals[0].y, -0.0995037, 1e-6);
    CHECK_NEAR(builder->normals[0].z, 0.9950372, 1e-6);
    threemf_run_fini(&run);
}

TEST(threemf_root_is_what_the_relationships_name)
{
    struct threemf_run run;
    threemf_run_init(&run);
    threemf_run_parts(&run, (const char *const[]){"_rels/.rels", THREEMF_RELATIONSHIPS("/Other/my%20model.model"),
                                                  "3D/3dmodel.model", "no XML", "other/My model.model", PLAIN, NULL});
    assert_int_equal(run.rc, 0);
    assert_int_equal(run.builder.warning_count, 0);
    threemf_run_fini(&run);
    threemf_run_init(&run);
    threemf_run_parts(&run, (const char *const[]){"3D/3DModel.model", PLAIN, NULL});
    assert_int_equal(run.rc, 0);
    assert_true(threemf_run_warned(&run, "start_part_assumed"));
    threemf_run_fini(&run);
    threemf_run_init(&run);
    threemf_run_parts(&run, (const char *const[]){"a.txt", PLAIN, NULL});
    assert_int_equal(run.rc, ERR_NOT_A_MODEL);
    threemf_run_fini(&run);
    threemf_run_init(&run);
    threemf_run_parts(&run, (const char *const[]){"_rels/.rels", THREEMF_RELATIONSHIPS("/3D/none.model"), NULL});
    assert_int_equal(run.rc, ERR_BAD_MODEL);
    assert_non_null(strstr(run.err.message, "3D/none.model"));
    threemf_run_fini(&run);
}

/* As Bambu Studio writes it: the mesh is in another part, where the same id means something else. */
TEST(threemf_components_share_the_mesh_of_another_part)
{
    struct threemf_run run;
    threemf_run_init(&run);
    threemf_run_parts(
        &run, (const char *const[]){
                  "_rels/.rels", THREEMF_RELATIONSHIPS("/3D/3dmodel.model"), "3D/3dmodel.model",
                  THREEMF_MODEL("requiredextensions=\"p\"",
                                "<resources><object id=\"1\" name=\"both\"><components>"
                                "<component p:path=\"/3D/Objects/a.model\" objectid=\"1\" p:UUID=\"u\"/>"
                                "<component p:path=\"/3D/Objects/a.model\" objectid=\"1\" "
                                "transform=\"0 2 0 -3 0 0 0 0 4 5 6 7\"/></components></object></resources>"
                                "<build><item objectid=\"1\" transform=\"1 0 0 0 1 0 0 0 1 10 20 30\"/></build>"),
                  "3D/Objects/a.model",
                  THREEMF_MODEL("requiredextensions=\"p\"", "<resources><object id=\"1\" name=\"part\">" THREEMF_MESH(
                                                                "") "</object></resources><build/>"),
                  NULL});
    assert_int_equal(run.rc, 0);
    const struct bake_builder *builder = &run.builder;
    assert_int_equal(builder->warning_count, 0);
    assert_int_equal(builder->mesh_count, 1);
    assert_int_equal(builder->node_count, 3);
    assert_int_equal(builder->root_count, 1);
    assert_int_equal(builder->nodes[1].mesh, 0);
    assert_int_equal(builder->nodes[2].mesh, 0);
    assert_int_equal(builder->nodes[2].parent, 0);
    assert_memory_equal(builder->text + builder->nodes[2].name.offset, "part", 4);
    /* x of the object becomes 2 y, y becomes -3 x: (4 2 3) is at (-6 8 12) + (5 6 7) + (10 20 30) */
    const float *m = builder->node_matrices[builder->nodes[2].matrix].m,
                *up = builder->node_matrices[builder->nodes[0].matrix].m;
    const struct vec3 p = builder->positions[1];
    CHECK_NEAR(m[0] * p.x + m[4] * p.y + m[8] * p.z + m[12] + up[12], 9, 1e-6);
    CHECK_NEAR(m[1] * p.x + m[5] * p.y + m[9] * p.z + m[13] + up[13], 34, 1e-6);
    CHECK_NEAR(m[2] * p.x + m[6] * p.y + m[10] * p.z + m[14] + up[14], 49, 1e-6);
    threemf_run_fini(&run);
}

TEST(threemf_objects_of_type_other_are_hidden)
{
    struct threemf_run run;
    threemf_run_init(&run);
    threemf_run_model(
        &run,
        THREEMF_MODEL(
            "",
            "<resources><object id=\"1\" type=\"other\">" THREEMF_MESH(
                "") "</object><object id=\"2\" type=\"support\">" THREEMF_MESH("") "</object></resources><build><item "
                                                                                   "objectid=\"1\"/><item "
                                                                                   "objectid=\"2\"/></build>"));
    assert_int_equal(run.rc, 0);
    assert_true((run.builder.nodes[0].flags & NODE_HIDDEN) != 0);
    assert_true((run.builder.nodes[1].flags & NODE_HIDDEN) == 0);
    assert_true(threemf_run_warned(&run, "geometry_ignored"));
    threemf_run_fini(&run);
}

TEST(threemf_without_a_build_shows_its_objects)
{
    struct threemf_run run;
    threemf_run_init(&run);
    threemf_run_model(
        &run,
        THREEMF_MODEL("", "<resources>" OBJECT("1", THREEMF_MESH("")) OBJECT(
                              "2", "<components><component objectid=\"1\"/></components>") "</resources><build/>"));
    assert_int_equal(run.rc, 0);
    assert_int_equal(run.builder.node_count, 2);
    assert_true(threemf_run_warned(&run, "build_empty"));
    threemf_run_fini(&run);
    check_refused(THREEMF_MODEL("", "<resources/><build/>"), ERR_BAD_MODEL, "no object");
}

TEST(threemf_warns_of_beams_and_slices)
{
    struct threemf_run run;
    threemf_run_init(&run);
    threemf_run_model(
        &run,
        "<model xmlns=\"" THREEMF_CORE "\" requiredextensions=\"b s\" "
        "xmlns:b=\"http://schemas.microsoft.com/3dmanufacturing/beamlattice/2017/02\" "
        "xmlns:s=\"http://schemas.microsoft.com/3dmanufacturing/slice/2015/07\"><resources><s:slicestack id=\"9\"/>"
        "<object id=\"1\"><mesh><vertices><vertex x=\"0\" y=\"0\" z=\"0\"/></vertices><b:beamlattice/></mesh></object>"
        "</resources>" THREEMF_BUILD("1") "</model>");
    assert_int_equal(run.rc, 0);
    assert_int_equal(run.builder.warning_count, 2);
    assert_true(threemf_run_warned(&run, "geometry_ignored"));
    assert_int_equal(run.builder.mesh_count, 0);
    threemf_run_fini(&run);
}

TEST(threemf_refuses_what_it_requires_and_nobody_knows)
{
    check_refused("<model xmlns=\"" THREEMF_CORE "\" xmlns:x=\"http://example.com/x\" requiredextensions=\"x\"/>",
                  ERR_UNSUPPORTED_EXTENSION, "http://example.com/x");
    check_refused("<model xmlns=\"" THREEMF_CORE "\" requiredextensions=\"zz\"/>", ERR_UNSUPPORTED_EXTENSION, "'zz'");
}

TEST(threemf_errors_name_part_line_and_element)
{
    check_refused(THREEMF_MODEL("", "<resources>\n\n<object id=\"1\"><mesh><vertices/><triangles><triangle v1=\"0\" "
                                    "v2=\"1\" v3=\"2\"/></triangles></mesh></object></resources>"),
                  ERR_BAD_MODEL, "part '3D/3dmodel.model', line 4, <triangle>: v1 is 0, but there are 0 vertices");
    check_refused(THREEMF_MODEL("", "<resources><object id=\"1\"><mesh><vertices><vertex x=\"0x10\" y=\"1\" z=\"2\"/>"),
                  ERR_BAD_MODEL, "x '0x10' is not a number");
    check_refused(THREEMF_MODEL("", "<resources><object id=\"1\"><mesh><vertices><vertex x=\"1e60\" y=\"1\" z=\"2\"/>"),
                  ERR_BAD_MODEL, "x '1e60' is not a number");
    check_refused(THREEMF_MODEL("", "<resources><object id=\"1\"><mesh><vertices><vertex x=\"1\" z=\"2\"/>"),
                  ERR_BAD_MODEL, "no attribute 'y'");
    check_refused(THREEMF_MODEL("unit=\"mile\"", ""), ERR_BAD_MODEL, "'mile'");
    check_refused(THREEMF_MODEL("", "<build><item objectid=\"1\" transform=\"1 0 0\"/></build>"), ERR_BAD_MODEL,
                  "twelve numbers");
    check_refused(THREEMF_MODEL("", "<build>\n<item objectid=\"7\"/></build>"), ERR_BAD_MODEL,
                  "line 3, <item>: part '3D/3dmodel.model' has no object 7");
    check_refused(THREEMF_MODEL("", "<resources>" OBJECT("1", "") OBJECT("1", "") "</resources>"), ERR_BAD_MODEL,
                  "two resources have the id 1");
    check_refused("<model xmlns=\"http://example.com/\"/>", ERR_NOT_A_MODEL, "line 1, <model>");
    check_refused("<!DOCTYPE a [<!ENTITY b \"c\">]><model xmlns=\"" THREEMF_CORE "\"/>", ERR_BAD_MODEL,
                  "document type");
    check_refused("<model", ERR_BAD_MODEL, "line 1");
}

TEST(threemf_refuses_components_of_themselves)
{
    check_refused(
        THREEMF_MODEL(
            "", "<resources>" OBJECT("1", "<components><component objectid=\"2\"/></components>") OBJECT(
                    "2", "<components><component objectid=\"1\"/></components>") "</resources>" THREEMF_BUILD("1")),
        ERR_BAD_MODEL, "is a component of itself");
}

/* 40 objects, each with two of the one before: a million million nodes. */
TEST(threemf_counts_instances_before_it_makes_them)
{
    struct buf text;
    buf_init(&text, 0);
    buf_put_text(&text, "<model xmlns=\"" THREEMF_CORE "\"><resources><object id=\"1\">" THREEMF_MESH("") "</object>");
    for (int i = 2; i <= 40; i++)
        buf_printf(&text,
                   "<object id=\"%d\"><components><component objectid=\"%d\"/><component objectid=\"%d\"/>"
                   "</components></object>",
                   i, i - 1, i - 1);
    buf_put_text(&text, "</resources><build><item objectid=\"40\"/></build></model>");
    buf_put_char(&text, '\0');
    check_refused(text.data, ERR_MODEL_LIMIT, "object 40");
    buf_fini(&text);
}

TEST(threemf_depth_of_elements_is_limited)
{
    struct buf text;
    buf_init(&text, 0);
    buf_put_text(&text, "<model xmlns=\"" THREEMF_CORE "\">");
    for (int i = 0; i < 300; i++)
        buf_put_text(&text, "<a>");
    buf_put_char(&text, '\0');
    check_refused(text.data, ERR_MODEL_LIMIT, "levels deep");
    buf_fini(&text);
}

TEST(threemf_limits_are_checked_while_it_reads)
{
    struct threemf_run run;
    threemf_run_init(&run);
    run.limits.value[LIMIT_VERTICES] = 2;
    threemf_run_model(&run, PLAIN);
    assert_int_equal(run.rc, ERR_MODEL_LIMIT);
    assert_non_null(strstr(run.err.message, "<vertex>"));
    threemf_run_fini(&run);
    threemf_run_init(&run);
    run.limits.value[LIMIT_BAKED_BYTES] = 100;
    threemf_run_model(&run, PLAIN);
    assert_int_equal(run.rc, ERR_MODEL_LIMIT);
    threemf_run_fini(&run);
}

/* --- damaged files: the error names the fault, and only existing memory is read --- */

#define WORKED                                                                                                         \
    THREEMF_MODEL("unit=\"micron\" requiredextensions=\"m p\"",                                                        \
                  "<resources><basematerials id=\"1\"><base name=\"a\" displaycolor=\"#10203040\"/></basematerials>"   \
                  "<m:colorgroup id=\"2\"><m:color color=\"#FF0000\"/><m:color color=\"#0F0\"/></m:colorgroup>"        \
                  "<m:texture2d id=\"3\" path=\"/t.png\" contenttype=\"image/png\" tilestyleu=\"none\"/>"              \
                  "<m:texture2dgroup id=\"4\" texid=\"3\"><m:tex2coord u=\"0\" v=\"2\"/></m:texture2dgroup>"           \
                  "<m:multiproperties id=\"5\" pids=\"1 2 4\" blendmethods=\"mix multiply\"><m:multi "                 \
                  "pindices=\"0 0 0\"/></m:multiproperties><object id=\"6\" pid=\"1\" pindex=\"0\">" THREEMF_MESH(     \
                      "pid=\"5\" p1=\"0\"") "</object><object id=\"7\"><components><component objectid=\"6\" "         \
                                            "transform=\"1 0 0 0 1 0 0 0 1 0 0 0\"/></components></object>"            \
                                            "</resources><build><item objectid=\"7\"/></build>")

static void check_survives(const char *bytes, size_t size_bytes)
{
    struct threemf_run run;
    threemf_run_init(&run);
    threemf_run_bytes(&run, bytes, size_bytes);
    threemf_run_fini(&run);
}

static void check_part_survives(const char *text, size_t size_bytes)
{
    struct buf zip;
    buf_init(&zip, 0);
    stored_zip(&zip, &(struct stored_file){"3D/3dmodel.model", text, size_bytes}, 1);
    check_survives(zip.data, zip.size_bytes);
    buf_fini(&zip);
}

TEST(threemf_every_truncation_and_change_of_a_part)
{
    static const char CHANGES[] = "\0<>\"& 9-\xff";
    char text[] = WORKED;
    for (size_t size = 0; size < sizeof text; size++)
        check_part_survives(text, size);
    for (size_t i = 0; i < sizeof text - 1; i++) {
        const char kept = text[i];
        for (size_t c = 0; c < sizeof CHANGES - 1; c++) {
            text[i] = CHANGES[c];
            check_part_survives(text, sizeof text - 1);
        }
        text[i] = kept;
    }
}

TEST(threemf_every_truncation_and_change_of_a_package)
{
    const struct stored_file files[] = {
        {"_rels/.rels", THREEMF_RELATIONSHIPS("/a"), sizeof THREEMF_RELATIONSHIPS("/a") - 1},
        {"a", PLAIN, sizeof PLAIN - 1}};
    struct buf zip;
    buf_init(&zip, 0);
    stored_zip(&zip, files, 2);
    for (size_t size = 0; size < zip.size_bytes; size++) {
        char *exact = malloc(size + 1); /* its end is where a sanitizer sees it */
        assert_non_null(exact);
        memcpy(exact, zip.data, size);
        check_survives(exact, size);
        free(exact);
    }
    for (size_t i = 0; i < zip.size_bytes; i++)
        for (int c = 0; c < 256; c += 51) {
            zip.data[i] = (char)(zip.data[i] ^ c);
            check_survives(zip.data, zip.size_bytes);
            zip.data[i] = (char)(zip.data[i] ^ c);
        }
    buf_fini(&zip);
}

/* --- namespaces --- */

#define COLORS(ns, tag) "<" ns tag " id=\"2\"><" ns "color color=\"#FF0000\"/></" ns tag ">"

/* Whether the colours of a group are read; it stands beside a mesh. */
static void check_colors(const char *group, bool is_read, uint32_t warning_count)
{
    struct threemf_run run;
    char model[4000];
    snprintf(model, sizeof model, THREEMF_MODEL("", "<resources>%s%s</resources>" THREEMF_BUILD("1")), group,
             OBJECT("1", THREEMF_MESH("pid=\"2\" p1=\"0\"")));
    threemf_run_init(&run);
    threemf_run_model(&run, model);
    assert_int_equal(run.rc, 0);
    assert_int_equal(run.builder.position_count, 3);
    assert_int_equal(run.builder.warning_count, warning_count);
    assert_int_equal(threemf_run_warned(&run, "elements_ignored"),
                     warning_count > 0 && strstr(group, "other:") != NULL);
    assert_int_equal(run.builder.material_count > 0 && run.builder.materials[0].base_color[1] == 0, is_read);
    threemf_run_fini(&run);
}

TEST(threemf_prefixes_have_the_scope_of_their_element)
{
    check_colors(COLORS("m:", "colorgroup"), true, 0);
    check_colors("<x:colorgroup xmlns:x=\"" THREEMF_MATERIAL "\" id=\"2\"><x:color color=\"#FF0000\"/></x:colorgroup>",
                 true, 0);
    check_colors("<colorgroup xmlns=\"" THREEMF_MATERIAL "\" id=\"2\"><color color=\"#FF0000\"/></colorgroup>", true,
                 0);
    /* another namespace hides the outer one, as long as its element is open */
    check_colors("<m:a xmlns:m=\"urn:other\"><m:b/></m:a>" COLORS("m:", "colorgroup"), true, 0);
    check_colors("<m:colorgroup xmlns:m=\"urn:other\" id=\"2\"><m:color color=\"#FF0000\"/></m:colorgroup>", false, 1);
    check_colors("<a xmlns:x=\"" THREEMF_MATERIAL "\"/><other:b/>" COLORS("m:", "colorgroup"), true, 1);
}

TEST(threemf_elements_whose_prefix_nothing_declares_are_left_out)
{
    check_colors("<other:a b=\"1\"><m:c/><other:d/></other:a>" COLORS("m:", "colorgroup"), true, 1);
    check_colors("<m:colorgroup id=\"2\" other:uuid=\"5\" xml:lang=\"en\"><m:color color=\"#FF0000\"/></m:colorgroup>",
                 true, 0);
    check_refused("<m:model xmlns=\"" THREEMF_CORE "\"/>", ERR_NOT_A_MODEL, "this is not a <model>");
}

TEST(threemf_declares_a_limited_number_of_prefixes)
{
    static char model[20000];
    int size = snprintf(model, sizeof model, "<model xmlns=\"" THREEMF_CORE "\"");
    for (int i = 0; i < 256; i++)
        size += snprintf(model + size, sizeof model - (size_t)size, " xmlns:p%d=\"urn:%d\"", i, i);
    snprintf(model + size, sizeof model - (size_t)size, "/>");
    check_refused(model, ERR_MODEL_LIMIT, "more than 256 prefixes are declared");
}
