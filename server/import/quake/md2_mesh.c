/* md2_mesh.c - adds the first frame as a mesh, and the other frames as its morph targets. It computes smooth normals
 * for each frame, because the file's are quantised to 162 directions, about ten degrees apart. */
#include "import/quake/md2.h"
#include "import/mesh/corner_normals.h"
#include "import/mesh/mesh_arrays.h"
#include "import/mesh/mesh_writer.h"

#include "base/bytes.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* Returns vertex k (from 0) of a triangle, or texture coordinate k - 3. The game's triangles have clockwise winding. */
static uint32_t corner_at(const struct md2_file *file, uint32_t corner, uint32_t first)
{
    const uint8_t *triangle = file->triangles + 12 * (size_t)(corner / 3);
    return get_u16(triangle + 2 * (first + (3 - corner % 3) % 3));
}

/* A frame's vertices, and normals of them. */
struct frame {
    double (*points)[3];    /* [vertex_count] */
    struct vec3 *normals;   /* [vertex_count] */
    struct vec3 *of_corner; /* [3 * triangle_count] */
    uint32_t *corners;      /* [3 * triangle_count]: vertices */
    uint32_t *starts;       /* [triangle_count + 1] */
    uint8_t *is_hard;       /* [3 * triangle_count]: no edge is */
};

static void frame_init(struct frame *frame, const struct md2 *md2)
{
    const size_t corners = 3 * (size_t)md2->file.triangle_count;
    *frame = (struct frame){
        .points = mem_alloc(md2->file.vertex_count * sizeof *frame->points),
        .normals = mem_zalloc(md2->file.vertex_count, sizeof *frame->normals),
        .of_corner = mem_alloc(corners * sizeof *frame->of_corner),
        .corners = mem_alloc(corners * sizeof *frame->corners),
        .starts = mem_alloc(((size_t)md2->file.triangle_count + 1) * sizeof *frame->starts),
        .is_hard = mem_zalloc(corners, 1),
    };
    for (uint32_t i = 0; i < corners; i++)
        frame->corners[i] = corner_at(&md2->file, i, 0);
    for (uint32_t t = 0; t <= md2->file.triangle_count; t++)
        frame->starts[t] = 3 * t;
}

static void frame_fini(struct frame *frame)
{
    free(frame->points);
    free(frame->normals);
    free(frame->of_corner);
    free(frame->corners);
    free(frame->starts);
    free(frame->is_hard);
}

static void frame_read(struct frame *frame, const struct md2 *md2, uint32_t index)
{
    const struct md2_file *file = &md2->file;
    for (uint32_t v = 0; v < file->vertex_count; v++)
        md2_position(file, index, v, frame->points[v]);
    const struct polygons polygons = {(const double(*)[3])frame->points, frame->corners, frame->starts,
                                      file->vertex_count, file->triangle_count};
    const struct smoothing smoothing = {.kind = SMOOTHING_BY_EDGES, .is_hard = frame->is_hard};
    corner_normals(&polygons, &smoothing, frame->of_corner);
    for (uint32_t i = 0; i < 3 * file->triangle_count; i++)
        frame->normals[frame->corners[i]] = frame->of_corner[i];
}

static bool has_texcoords(const struct md2_file *file)
{
    return file->texcoord_count > 0 && file->skin_width > 0 && file->skin_height > 0;
}

/* The middle of a texel. */
static struct vec2 texcoord_of(const struct md2_file *file, uint32_t texcoord)
{
    const uint8_t *texel = file->texcoords + 4 * (size_t)texcoord;
    return (struct vec2){((float)(int16_t)get_u16(texel) + 0.5f) / (float)file->skin_width,
                         ((float)(int16_t)get_u16(texel + 2) + 0.5f) / (float)file->skin_height};
}

static int add_first_frame(const struct md2_file *file, const struct frame *frame, struct mesh_writer *writer,
                           struct primitive *primitive, struct err *err)
{
    mesh_writer_start(writer, 3 * (size_t)file->triangle_count);
    for (uint32_t i = 0; i < 3 * file->triangle_count; i++) {
        const uint32_t point = frame->corners[i], texcoord = corner_at(file, i, 3);
        struct mesh_vertex vertex = {.point = point, .morph = texcoord, .normal = frame->normals[point]};
        if (has_texcoords(file))
            vertex.texcoords[0] = texcoord_of(file, texcoord);
        mesh_writer_corner(writer, &vertex);
        if (i % 3 == 2)
            mesh_writer_close(writer);
    }
    primitive->flags = has_texcoords(file) ? PRIMITIVE_TEXCOORDS : 0;
    return mesh_writer_put(writer, primitive, err);
}

static int add_target(struct md2 *md2, const struct mesh_writer *writer, const struct frame *frame, uint32_t index,
                      struct err *err)
{
    struct bake_builder *builder = md2->import->builder;
    const uint32_t count = writer->vertex_count;
    char name[MD2_FRAME_NAME_BYTES + 1];
    md2_frame_name(&md2->file, index, name);
    const struct morph_target target = {.name = bake_textz(builder, name),
                                        .position_first = builder->morph_delta_count,
                                        .normal_first = builder->morph_delta_count + count};
    struct vec3 *deltas = bake_add_morph_delta(builder, 2 * count);
    if (deltas == NULL)
        return import_full(md2->import, err);
    for (uint32_t v = 0; v < count; v++) {
        const uint32_t point = writer->vertices[v].point;
        const struct vec3 *base = &builder->positions[v], *normal = &builder->normals[v];
        const double *at = frame->points[point];
        deltas[v] = (struct vec3){(float)(at[0] - (double)base->x), (float)(at[1] - (double)base->y),
                                  (float)(at[2] - (double)base->z)};
        deltas[count + v] = (struct vec3){frame->normals[point].x - normal->x, frame->normals[point].y - normal->y,
                                          frame->normals[point].z - normal->z};
    }
    return import_put_morph_target(md2->import, &target, err);
}

static int add_node(struct md2 *md2, struct err *err)
{
    struct import *import = md2->import;
    const char *file = import_file_name(import), *dot = strrchr(file, '.');
    const struct str name = bake_text(import->builder, file, (size_t)(dot - file));
    const struct mesh mesh = {.name = name, .primitive_count = 1};
    const struct node node = {.name = name,
                              .parent = -1,
                              .skin = -1,
                              .matrix = -1,
                              .rotation = {0, 0, 0, 1},
                              .scale = {1, 1, 1},
                              .weight_count = md2->file.frame_count - 1};
    const uint32_t root = 0;
    if (bake_add_weight(import->builder, node.weight_count) == NULL)
        return import_full(import, err);
    return import_put_mesh(import, &mesh, err) < 0 || import_put_node(import, &node, err) < 0 ||
                   import_put_root(import, &root, err) < 0
               ? err->code
               : 0;
}

int md2_read_mesh(struct md2 *md2, struct err *err)
{
    const struct md2_file *file = &md2->file;
    struct frame frame;
    if (import_check_limit(md2->import, LIMIT_INDICES, 0, 3 * (uint64_t)file->triangle_count, "the mesh", err) < 0 ||
        import_check_limit(md2->import, LIMIT_WEIGHTS, 0, file->frame_count, "the frames", err) < 0)
        return err->code;
    struct primitive primitive = {.morph_target_count = file->frame_count - 1};
    frame_init(&frame, md2);
    frame_read(&frame, md2, 0);
    struct mesh_writer writer = {
        .import = md2->import, .where = "the mesh", .points = (const double(*)[3])frame.points};
    int rc = add_first_frame(file, &frame, &writer, &primitive, err);
    for (uint32_t f = 1; f < file->frame_count && rc == 0; f++) {
        frame_read(&frame, md2, f);
        rc = add_target(md2, &writer, &frame, f, err);
    }
    frame_fini(&frame);
    mesh_writer_fini(&writer);
    if (rc == 0)
        rc = mesh_put(md2->import, &primitive, "the mesh", err);
    return rc < 0 ? rc : add_node(md2, err);
}
