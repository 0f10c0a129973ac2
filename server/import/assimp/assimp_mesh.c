/* assimp_mesh.c - converts one assimp mesh to a primitive: vertices, indices, influences, morph targets. The writer
 * joins equal vertices, because assimp's own joining ignores weights, and normals that the file lacks are made from all
 * faces that meet at a position, because assimp's are those of the last face (OFF). */
#include "import/assimp/assimp.h"

#include "base/mem.h"
#include "import/mesh/corner_normals.h"
#include "import/mesh/mesh_arrays.h"
#include "import/mesh/mesh_writer.h"
#include "import/mesh/vertex_values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESH_TEXT_SIZE = 160 };

struct mesh_reader {
    struct assimp_job *job;
    const struct aiMesh *from;
    char where[MESH_TEXT_SIZE]; /* "mesh 'head'" */
    unsigned face_corners;      /* of each face; 0: the vertices are points */
    bool has_normals, has_alpha;
    double color_scale;                    /* of the file's numbers to 0 to 1 */
    const struct aiVector3D *texcoords[2]; /* or NULL */
    struct influences influences;
    double (*positions)[3]; /* [mNumVertices] */
    uint32_t *points;       /* [mNumVertices]: the first vertex at the same position and with the same influences */
    struct vec3 *normals;   /* of the faces' corners if the file has none, or NULL */
    struct mesh_writer writer;
    struct primitive out;
};

/* After SortByPType the faces of a mesh are all of one kind. */
static int check(struct mesh_reader *reader, struct err *err)
{
    const struct aiMesh *from = reader->from;
    const unsigned corners = from->mNumFaces > 0 ? from->mFaces[0].mNumIndices : 0;
    if (from->mNumVertices > 0 && from->mVertices == NULL)
        return err_set(err, ERR_BAD_MODEL, "%s has no positions", reader->where);
    if (corners > 3 || (from->mNumFaces > 0 && corners < 1))
        return err_set(err, ERR_BAD_MODEL, "%s has a face of %u corners", reader->where, corners);
    for (uint32_t f = 0; f < from->mNumFaces; f++) {
        if (from->mFaces[f].mNumIndices != corners)
            return err_set(err, ERR_BAD_MODEL, "%s mixes faces of %u and %u corners", reader->where, corners,
                           from->mFaces[f].mNumIndices);
        for (unsigned i = 0; i < corners; i++)
            if (from->mFaces[f].mIndices[i] >= from->mNumVertices)
                return err_set(err, ERR_BAD_MODEL, "face %u of %s names vertex %u of %u", f, reader->where,
                               from->mFaces[f].mIndices[i], from->mNumVertices);
    }
    reader->face_corners = corners;
    reader->out.topology = corners == 3 ? TOPOLOGY_TRIANGLES : corners == 2 ? TOPOLOGY_LINES : TOPOLOGY_POINTS;
    return import_check_limit(reader->job->import, LIMIT_INDICES, reader->job->import->builder->index_count,
                              corners > 0 ? (uint64_t)from->mNumFaces * corners : from->mNumVertices, reader->where,
                              err);
}

/* --- weights --- */

static int add_bone(const struct mesh_reader *reader, const struct aiBone *bone, uint32_t joint,
                    struct weight_list *list, struct err *err)
{
    for (uint32_t w = 0; w < bone->mNumWeights; w++) {
        const struct aiVertexWeight *weight = &bone->mWeights[w];
        if (weight->mVertexId >= reader->from->mNumVertices)
            return err_set(err, ERR_BAD_MODEL, "bone '%s' of %s names vertex %u of %u", bone->mName.data, reader->where,
                           weight->mVertexId, reader->from->mNumVertices);
        weight_list_add(list, weight->mVertexId, joint, (double)weight->mWeight);
    }
    return 0;
}

static int read_influences(struct mesh_reader *reader, const struct shared_skin *skin, struct err *err)
{
    const struct aiMesh *from = reader->from;
    struct weight_list list = {0};
    int rc = 0;
    for (uint32_t b = 0; b < from->mNumBones && rc == 0; b++) {
        const int32_t node = node_tree_index(&reader->job->tree, &from->mBones[b]->mName);
        const int32_t joint = node < 0 ? -1 : skin_joint_of(skin, (uint32_t)node);
        if (joint >= 0) /* a warning has already named the bones without a node */
            rc = add_bone(reader, from->mBones[b], (uint32_t)joint, &list, err);
    }
    influences_make(&reader->influences, &list, from->mNumVertices, skin->joint_count, JOINT_NONE);
    influences_warn(reader->job->import->builder, &reader->influences.repairs, from->mNumVertices, reader->where);
    reader->writer.influences = &reader->influences;
    return rc;
}

/* --- vertices --- */

/* The channel that the material's textures ask for, at place 0 or 1; where the mesh has it not, its first. */
static const struct aiVector3D *texcoords_of(const struct assimp_job *job, const struct aiMesh *from, int place)
{
    const bool has_material = job->texcoords != NULL && from->mMaterialIndex < job->scene->mNumMaterials;
    const int64_t set = has_material ? job->texcoords[from->mMaterialIndex].sets[place] : -1;
    if (set < 0 && place > 0)
        return NULL;
    return from->mTextureCoords[set > 0 && from->mTextureCoords[set] != NULL ? set : 0];
}

static void find_points(struct mesh_reader *reader)
{
    const struct aiMesh *from = reader->from;
    reader->positions = mem_alloc(from->mNumVertices * sizeof *reader->positions);
    for (uint32_t v = 0; v < from->mNumVertices; v++)
        memcpy(reader->positions[v], DOUBLE3(from->mVertices[v]), sizeof *reader->positions);
    reader->writer.points = (const double(*)[3])reader->positions;
    if (from->mNumAnimMeshes == 0) {
        reader->points = mesh_first_points(reader->writer.points, from->mNumVertices, reader->writer.influences);
        return;
    }
    /* a morph target may part vertices */
    reader->points = mem_alloc(from->mNumVertices * sizeof *reader->points);
    for (uint32_t v = 0; v < from->mNumVertices; v++)
        reader->points[v] = v;
}

/* Skins and morph targets bend edges, so theirs are smooth. */
static void make_normals(struct mesh_reader *reader)
{
    const struct aiMesh *from = reader->from;
    const uint32_t face_count = from->mNumFaces;
    const bool is_bent = reader->writer.influences != NULL || from->mNumAnimMeshes > 0;
    uint32_t *places = mesh_first_points(reader->writer.points, from->mNumVertices, NULL);
    uint32_t *corners = mem_alloc(3 * (size_t)face_count * sizeof *corners);
    uint32_t *starts = mem_alloc(((size_t)face_count + 1) * sizeof *starts);
    reader->normals = mem_alloc(3 * (size_t)face_count * sizeof *reader->normals);
    for (uint32_t f = 0; f <= face_count; f++)
        starts[f] = 3 * f;
    for (uint32_t c = 0; c < 3 * face_count; c++)
        corners[c] = places[from->mFaces[c / 3].mIndices[c % 3]];
    const struct polygons polygons = {reader->writer.points, corners, starts, from->mNumVertices, face_count};
    const struct smoothing smoothing = {.kind = is_bent ? SMOOTHING_BY_CREASE : SMOOTHING_BY_ANGLE,
                                        .crease_cosine = -2};
    corner_normals(&polygons, &smoothing, reader->normals);
    free(places);
    free(corners);
    free(starts);
}

/* Whether the file names a colour: what assimp gives to the corners of DXF without one is a grey in all four channels.
 */
static bool has_color(const struct mesh_reader *reader, uint32_t v)
{
    static const float STAND_IN = 0.6f;
    if (reader->from->mColors[0] == NULL)
        return false;
    const struct aiColor4D *color = &reader->from->mColors[0][v];
    return !(assimp_is_format(reader->job, "dxf") && color->r == STAND_IN && color->g == STAND_IN &&
             color->b == STAND_IN && color->a == STAND_IN);
}

static void add_corner(struct mesh_reader *reader, uint32_t v, uint32_t corner)
{
    const struct aiMesh *from = reader->from;
    struct mesh_vertex vertex = {.point = reader->points[v], .rgba = RGBA16_WHITE};
    if (reader->normals != NULL)
        vertex.normal = reader->normals[corner];
    else if (reader->has_normals)
        vertex.normal = (struct vec3){from->mNormals[v].x, from->mNormals[v].y, from->mNormals[v].z};
    for (int place = 0; place < 2; place++)
        if (reader->texcoords[place] != NULL) /* assimp's V points up, the rows of our textures go down */
            vertex.texcoords[place] = (struct vec2){reader->texcoords[place][v].x, 1 - reader->texcoords[place][v].y};
    if (has_color(reader, v)) {
        const struct aiColor4D *color = &from->mColors[0][v];
        const double scale = reader->color_scale;
        vertex.rgba =
            vertex_color_from_srgb((double)color->r * scale, (double)color->g * scale, (double)color->b * scale,
                                   reader->has_alpha ? (double)color->a * (color->a > 1 ? scale : 1) : 1);
    }
    mesh_writer_corner(&reader->writer, &vertex);
}

static void add_corners(struct mesh_reader *reader)
{
    const struct aiMesh *from = reader->from;
    const uint32_t corners = reader->face_corners;
    mesh_writer_start(&reader->writer, corners > 0 ? (size_t)from->mNumFaces * corners : from->mNumVertices);
    for (uint32_t f = 0; f < from->mNumFaces; f++) {
        for (uint32_t i = 0; i < corners; i++)
            add_corner(reader, from->mFaces[f].mIndices[i], corners * f + i);
        mesh_writer_close(&reader->writer);
    }
    for (uint32_t v = 0; corners == 0 && v < from->mNumVertices; v++) {
        add_corner(reader, v, v);
        mesh_writer_close(&reader->writer);
    }
}

/* --- morph targets --- */

/* Adds the differences that a morph target makes; assimp has the moved vertices. *first is UINT32_MAX if there are
 * none. */
static int add_deltas(const struct mesh_reader *reader, const struct aiVector3D *moved, const struct aiVector3D *base,
                      uint32_t *first, struct err *err)
{
    struct bake_builder *builder = reader->job->import->builder;
    const struct mesh_writer *writer = &reader->writer;
    *first = UINT32_MAX;
    if (moved == NULL || base == NULL)
        return 0;
    *first = builder->morph_delta_count;
    struct vec3 *out = bake_add_morph_delta(builder, writer->vertex_count);
    if (out == NULL)
        return import_full(reader->job->import, err);
    for (uint32_t v = 0; v < writer->vertex_count; v++) {
        const struct aiVector3D *a = &base[writer->vertices[v].point], *b = &moved[writer->vertices[v].point];
        out[v] = (struct vec3){b->x - a->x, b->y - a->y, b->z - a->z};
    }
    return 0;
}

static int add_morph_targets(struct mesh_reader *reader, struct err *err)
{
    const struct aiMesh *from = reader->from;
    struct bake_builder *builder = reader->job->import->builder;
    reader->out.morph_target_first = builder->morph_target_count;
    for (uint32_t t = 0; t < from->mNumAnimMeshes; t++) {
        const struct aiAnimMesh *target = from->mAnimMeshes[t];
        if (target->mNumVertices != from->mNumVertices)
            return err_set(err, ERR_BAD_MODEL, "morph target '%s' of %s has %u vertices, not %u", target->mName.data,
                           reader->where, target->mNumVertices, from->mNumVertices);
        struct morph_target added;
        if (add_deltas(reader, target->mVertices, from->mVertices, &added.position_first, err) < 0 ||
            add_deltas(reader, target->mNormals, from->mNormals, &added.normal_first, err) < 0)
            return err->code;
        added.name = assimp_text(builder, &target->mName);
        if (import_put_morph_target(reader->job->import, &added, err) < 0)
            return err->code;
        reader->out.morph_target_count++;
    }
    return 0;
}

/* --- all of it --- */

/* An alpha of 0 everywhere is how a file without alpha arrives. OFF has numbers of 0 to 1, or integers up to 255, which
 * assimp does not scale. */
static void find_color_range(struct mesh_reader *reader)
{
    const struct aiMesh *from = reader->from;
    reader->color_scale = 1;
    for (uint32_t v = 0; from->mColors[0] != NULL && v < from->mNumVertices; v++) {
        const struct aiColor4D *color = &from->mColors[0][v];
        reader->has_alpha |= color->a > 0;
        if (assimp_is_format(reader->job, "off") && (color->r > 1 || color->g > 1 || color->b > 1))
            reader->color_scale = 1.0 / 255;
    }
}

static int read_all(struct mesh_reader *reader, const struct shared_skin *skin, struct err *err)
{
    const struct aiMesh *from = reader->from;
    if (check(reader, err) < 0 || (skin != NULL && read_influences(reader, skin, err) < 0))
        return err->code;
    /* Blender keeps a smooth normal with every vertex, and with every face whether it is used; assimp knows the
     * former. */
    reader->has_normals = from->mNormals != NULL && !assimp_is_format(reader->job, "blend");
    find_color_range(reader);
    for (int place = 0; place < 2; place++)
        reader->texcoords[place] = texcoords_of(reader->job, from, place);
    reader->out.flags = (reader->texcoords[0] != NULL ? PRIMITIVE_TEXCOORDS : 0u) |
                        (reader->texcoords[1] != NULL ? PRIMITIVE_SECOND_TEXCOORDS : 0u) |
                        (from->mColors[0] != NULL ? PRIMITIVE_COLORS : 0u);
    find_points(reader);
    if (!reader->has_normals && reader->face_corners == 3)
        make_normals(reader);
    add_corners(reader);
    if (!mesh_writer_end(&reader->writer))
        return 0;
    if (mesh_writer_put(&reader->writer, &reader->out, err) < 0 || add_morph_targets(reader, err) < 0)
        return err->code;
    return mesh_put(reader->job->import, &reader->out, reader->where, err);
}

int assimp_primitive(struct assimp_job *job, uint32_t mesh, const struct aiMesh *from, int32_t skin, struct err *err)
{
    struct mesh_reader reader = {
        .job = job,
        .from = from,
        .writer = {.import = job->import, .where = reader.where},
        .out = {.mesh = mesh,
                .material = from->mMaterialIndex < job->scene->mNumMaterials ? (int32_t)from->mMaterialIndex : -1}};
    snprintf(reader.where, sizeof reader.where, "mesh '%.150s'", from->mName.data);
    const int rc = read_all(&reader, skin < 0 ? NULL : &job->skins.skins[skin], err);
    mesh_writer_fini(&reader.writer);
    influences_fini(&reader.influences);
    free(reader.positions);
    free(reader.points);
    free(reader.normals);
    return rc;
}
