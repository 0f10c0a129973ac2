/* Meshes of FBX files with missing or unusual data: their results, and that they can be read. */
#include "tests/unit/fbx/fbx_material_run.h"
#include "tests/unit/support/check.h"

#include <stdio.h>
#include <string.h>

/* Nodes, skins and meshes of what the run has read. */
static int read_meshes(struct fbx_material_run *run)
{
    if (fbx_read_nodes(&run->fbx, &run->err) < 0 || fbx_read_skins(&run->fbx, &run->err) < 0)
        return run->err.code;
    return fbx_read_meshes(&run->fbx, &run->err);
}

static void read_objects(struct fbx_material_run *run, const char *objects, const char *connections)
{
    fbx_material_run_init(run);
    fbx_material_run_objects(run, NULL, objects, connections);
    assert_int_equal(read_meshes(run), 0);
}

static void read_text(struct fbx_material_run *run, const char *text)
{
    fbx_material_run_init(run);
    fbx_material_run_read(run, NULL, text, strlen(text));
    assert_int_equal(run->rc, 0);
    assert_int_equal(read_meshes(run), 0);
}

/* The material of the primitive that has a vertex there, or -2. */
static int32_t material_at(const struct fbx_material_run *run, float x)
{
    const struct bake_builder *builder = &run->builder;
    for (uint32_t p = 0; p < builder->primitive_count; p++)
        for (uint32_t v = 0; v < builder->primitives[p].vertex_count; v++)
            if (builder->positions[builder->primitives[p].vertex_first + v].x == x)
                return builder->primitives[p].material;
    return -2;
}

#define MODEL(id, name)    "\tModel: " id ", \"Model::" name "\", \"Mesh\" {\n\t}\n"
#define MATERIAL(id, name) "\tMaterial: " id ", \"Material::" name "\", \"\" {\n\t}\n"
#define TRIANGLE           "\t\tVertices: 0,0,0,1,0,0,0,1,0\n\t\tPolygonVertexIndex: 0,1,-3\n"
/* Three triangles with corners of their own, at x = 1, 2 and 3. */
#define TRIANGLES                                                                                                      \
    "\t\tVertices: 1,0,0,1,1,0,1,0,1,2,0,0,2,1,0,2,0,1,3,0,0,3,1,0,3,0,1\n"                                            \
    "\t\tPolygonVertexIndex: 0,1,-3,3,4,-6,6,7,-9\n"
#define GEOMETRY(id, contents) "\tGeometry: " id ", \"Geometry::\", \"Mesh\" {\n" contents "\t}\n"
#define MATERIALS(mapping, numbers)                                                                                    \
    "\t\tLayerElementMaterial: 0 {\n\t\t\tMappingInformationType: \"" mapping                                          \
    "\"\n\t\t\tReferenceInformationType: \"IndexToDirect\"\n\t\t\tMaterials: " numbers "\n\t\t}\n"

TEST(fbx_mesh_polygons_at_control_points_that_are_no_numbers_are_left_out)
{
    struct fbx_material_run run;
    read_objects(&run,
                 GEOMETRY("2", "\t\tVertices: 1.#NAN,-1.#INF,0.#INF,1,0,0,0,1e300,5,2,0,0,2,1,0\n"
                               "\t\tPolygonVertexIndex: 0,3,-5,3,2,-5,1,3,-5\n") MODEL("1", "a"),
                 "C: \"OO\",2,1\n");
    assert_int_equal(run.builder.position_count, 3);
    assert_int_equal(run.builder.index_count, 3);
    for (uint32_t v = 0; v < 3; v++)
        assert_true(run.builder.positions[v].x == (v == 0 ? 1.0f : 2.0f));
    assert_true(fbx_material_run_warned(&run, "not_finite_repaired"));
    fbx_material_run_fini(&run);
}

TEST(fbx_mesh_without_vertices_has_no_polygons)
{
    struct fbx_material_run run;
    read_objects(&run,
                 GEOMETRY("2", "\t\tPolygonVertexIndex: 0,1,-3\n") "\tGeometry: 4, \"Geometry::\", \"Mesh\"\n" GEOMETRY(
                     "6", "\t\tVertices: *3\n\t\tGeometryVersion: 124\n") MODEL("1", "a") MODEL("3", "b")
                     MODEL("5", "c"),
                 "C: \"OO\",2,1\nC: \"OO\",4,3\nC: \"OO\",6,5\n");
    assert_int_equal(run.builder.mesh_count, 3);
    assert_int_equal(run.builder.primitive_count, 0);
    fbx_material_run_fini(&run);
}

TEST(fbx_mesh_with_lines_and_points)
{
    struct fbx_material_run run;
    read_objects(
        &run,
        GEOMETRY("2", "\t\tVertices: 0,0,0,1,0,0,0,1,0\n\t\tPolygonVertexIndex: -1,0,-2,0,1,2\n\t\tEdges: 0,9,-1\n")
            MODEL("1", "a"),
        "C: \"OO\",2,1\n");
    assert_int_equal(run.builder.primitive_count, 3);
    assert_int_equal(run.builder.primitives[0].topology, TOPOLOGY_TRIANGLES); /* the last one has no end */
    assert_int_equal(run.builder.position_count, 1 + 2 + 3);
    fbx_material_run_fini(&run);
}

TEST(fbx_mesh_materials_by_numbers_that_are_missing_or_wrong)
{
    struct fbx_material_run run;
    read_objects(&run,
                 GEOMETRY("2", TRIANGLES MATERIALS("ByPolygon", "1,0")) GEOMETRY("3", TRIANGLE) MODEL("1", "a")
                     MATERIAL("10", "x") MATERIAL("11", "y"),
                 "C: \"OO\",2,1\nC: \"OO\",10,1\nC: \"OO\",11,1\n");
    assert_int_equal(material_at(&run, 1), 1);
    assert_int_equal(material_at(&run, 2), 0);
    assert_int_equal(material_at(&run, 3), 0); /* the last number goes on */
    fbx_material_run_fini(&run);
    read_objects(&run,
                 GEOMETRY("2", TRIANGLES MATERIALS("ByPolygon", "7,-1,1")) MODEL("1", "a") MATERIAL("10", "x")
                     MATERIAL("11", "y"),
                 "C: \"OO\",2,1\nC: \"OO\",10,1\nC: \"OO\",11,1\n");
    assert_int_equal(material_at(&run, 1), 0);
    assert_int_equal(material_at(&run, 2), 0);
    assert_int_equal(material_at(&run, 3), 1);
    fbx_material_run_fini(&run);
}

/* Of a mesh that two nodes show only the first has materials, or neither but the geometry. */
TEST(fbx_mesh_materials_are_those_of_all_instances)
{
    static const char *const LINKS[] = {"C: \"OO\",10,1\nC: \"OO\",11,1\n", "C: \"OO\",10,2\nC: \"OO\",11,2\n"};
    for (int i = 0; i < 2; i++) {
        char connections[200];
        struct fbx_material_run run;
        snprintf(connections, sizeof connections, "C: \"OO\",2,1\nC: \"OO\",2,5\n%s", LINKS[i]);
        read_objects(&run,
                     GEOMETRY("2", TRIANGLES MATERIALS("ByPolygon", "0,1,1")) MODEL("1", "a") MODEL("5", "b")
                         MATERIAL("10", "x") MATERIAL("11", "y"),
                     connections);
        assert_int_equal(run.builder.mesh_count, 1);
        assert_int_equal(run.builder.nodes[1].mesh, 0);
        assert_int_equal(material_at(&run, 1), 0);
        assert_int_equal(material_at(&run, 3), 1);
        fbx_material_run_fini(&run);
    }
}

#define UVS(number, name, numbers)                                                                                     \
    "\t\tLayerElementUV: " number " {\n\t\t\tName: \"" name "\"\n\t\t\tMappingInformationType: \"ByPolygonVertex\"\n"  \
    "\t\t\tReferenceInformationType: \"Direct\"\n\t\t\tUV: " numbers "\n\t\t}\n"

/* Layers are numbered; the file's order says nothing, and those without values do not count. */
TEST(fbx_mesh_layers_are_in_the_order_of_their_numbers)
{
    struct fbx_material_run run;
    read_objects(&run,
                 GEOMETRY("2", TRIANGLE UVS("2", "c", "3,1,3,1,3,1") UVS("0", "a", "") UVS("1", "b", "2,1,2,1,2,1")
                                   MATERIALS("ByNothing", "0") "\t\tLayerElementNormal: 0 {\n\t\t}\n"
                                                               "\t\tLayerElementNormal: 1 {\n"
                                                               "\t\t\tMappingInformationType: \"AllSame\"\n"
                                                               "\t\t\tNormals: 1,0,0\n\t\t}\n") MODEL("1", "a"),
                 "C: \"OO\",2,1\n");
    CHECK_NEAR(run.builder.texcoords[0].x, 2, 0);
    CHECK_NEAR(run.builder.second_texcoords[0].x, 3, 0);
    CHECK_NEAR(run.builder.normals[0].x, 1, 1e-6);
    fbx_material_run_fini(&run);
}

/* A file of version 5000 with as many polygons as control points: only MaterialAssignation tells them apart. */
TEST(fbx_mesh_of_old_files_has_materials_by_what_is_written)
{
    static const char TEXT[] = "; FBX 5.0.0 project file\n"
                               "Model: \"Model::a\" {\n"
                               "\tVertices: 1,0,0, 2,0,0, 3,0,0, 4,0,0\n"
                               "\tPolygonVertexIndex: 1,1,-2, 0,0,-1, 2,2,-3, 3,3,-4\n"
                               "\tMaterialAssignation: \"ByPolygon\"\n"
                               "\tMaterials: 0,1,1,1\n"
                               "\tMaterial: \"Material::x\" {\n\t\tDiffuse: 1,0,0\n\t}\n"
                               "\tMaterial: \"Material::y\" {\n\t\tDiffuse: 0,1,0\n\t}\n"
                               "}\n";
    struct fbx_material_run run;
    read_text(&run, TEXT);
    assert_int_equal(run.builder.primitive_count, 2);
    assert_int_equal(material_at(&run, 2), 0);
    assert_int_equal(material_at(&run, 1), 1);
    fbx_material_run_fini(&run);
}

#define SHAPE                                                                                                          \
    "\tGeometry: 3, \"Geometry::s\", \"Shape\" {\n\t\tIndexes: 0,9,2,-4\n"                                             \
    "\t\tVertices: 0,0,1, 0,0,2, 1.#INF,0,0, 0,0,4\n\t}\n"                                                             \
    "\tDeformer: 4, \"Deformer::\", \"BlendShape\" {\n\t}\n\tDeformer: 5, \"SubDeformer::\", \"BlendShapeChannel\" "   \
    "{\n\t}\n"

TEST(fbx_mesh_shapes_keep_the_offsets_of_points_that_there_are)
{
    struct fbx_material_run run;
    read_objects(&run, GEOMETRY("2", TRIANGLE) SHAPE MODEL("1", "a"),
                 "C: \"OO\",2,1\nC: \"OO\",4,2\nC: \"OO\",5,4\nC: \"OO\",3,5\n");
    assert_true(fbx_material_run_warned(&run, "shape_offsets_ignored"));
    assert_int_equal(run.builder.morph_delta_count, 3);
    for (uint32_t v = 0; v < 3; v++) {
        const struct vec3 at = run.builder.positions[v];
        CHECK_NEAR(run.builder.morph_deltas[v].z, at.x == 0 && at.y == 0 ? 1 : 0, 0);
        CHECK_NEAR(run.builder.morph_deltas[v].x, 0, 0);
    }
    fbx_material_run_fini(&run);
}
