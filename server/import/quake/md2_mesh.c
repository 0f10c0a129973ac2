/* md2_mesh.c - the first frame as a mesh, and the others as its morph targets. Normals are those of each frame's smooth
 * surface: the file's are a choice of 162, in steps of ten degrees. */
#include "import/quake/md2.h"
#include "import/mesh/corner_normals.h"
#include "import/mesh/vertex_set.h"

#include "base/bytes.h"
#include "base/hash.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* The corners of all triangles, each pair of vertex and texture coordinate once. The game's triangles turn clockwise.
 */
static void find_corners(struct md2 *md2)
{
    const struct md2_file *file = &md2->file;
    struct vertex_set set;
    vertex_set_init(&set, 3 * (size_t)file->triangle_count);
    md2->corners = mem_alloc(3 * (size_t)file->triangle_count * sizeof *md2->corners);
    md2->indices = mem_alloc(3 * (size_t)file->triangle_count * sizeof *md2->indices);
    for (uint32_t i = 0; i < 3 * file->triangle_count; i++) {
        const uint8_t *triangle = file->triangles + 12 * (size_t)(i / 3);
        const uint32_t c = (3 - i % 3) % 3;
        const struct md2_corner corner = {get_u16(triangle + 2 * c), get_u16(triangle + 6 + 2 * c)};
        uint32_t *slot = vertex_set_first(&set, hash64(HASH64_SEED, &corner, sizeof corner));
        while (*slot != VERTEX_NONE && memcmp(&md2->corners[*slot], &corner, sizeof corner) != 0)
            slot = vertex_set_next(&set, slot);
        if (*slot == VERTEX_NONE) {
            md2->corners[md2->corner_count] = corner;
            *slot = md2->corner_count++;
        }
        md2->indices[i] = *slot;
    }
    free(set.slots);
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
    for (size_t i = 0; i < corners; i++)
        frame->corners[i] = md2->corners[md2->indices[i]].vertex;
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

static int add_vertices(struct md2 *md2, const struct frame *frame, struct primitive *primitive, struct err *err)
{
    struct bake_builder *builder = md2->import->builder;
    const struct md2_file *file = &md2->file;
    const bool has_texcoords = file->texcoord_count > 0 && file->skin_width > 0 && file->skin_height > 0;
    struct vec3 *positions = bake_add_position(builder, md2->corner_count);
    struct vec3 *normals = bake_add_normal(builder, md2->corner_count);
    struct vec2 *texcoords = bake_add_texcoord(builder, has_texcoords ? md2->corner_count : 0);
    uint32_t *indices = bake_add_index(builder, 3 * file->triangle_count);
    if (positions == NULL || normals == NULL || texcoords == NULL || indices == NULL ||
        bake_add_influence_first(builder, md2->corner_count + 1) == NULL)
        return import_full(md2->import, err);
    for (uint32_t c = 0; c < md2->corner_count; c++) {
        const struct md2_corner corner = md2->corners[c];
        const double *at = frame->points[corner.vertex];
        positions[c] = (struct vec3){(float)at[0], (float)at[1], (float)at[2]};
        normals[c] = frame->normals[corner.vertex];
        if (!has_texcoords)
            continue;
        const uint8_t *texel = file->texcoords + 4 * (size_t)corner.texcoord; /* its middle */
        texcoords[c] = (struct vec2){((float)(int16_t)get_u16(texel) + 0.5f) / (float)file->skin_width,
                                     ((float)(int16_t)get_u16(texel + 2) + 0.5f) / (float)file->skin_height};
    }
    memcpy(indices, md2->indices, 3 * (size_t)file->triangle_count * sizeof *indices);
    primitive->flags |= has_texcoords ? PRIMITIVE_TEXCOORDS : 0;
    return 0;
}

static int add_target(struct md2 *md2, const struct frame *frame, uint32_t index, struct err *err)
{
    struct bake_builder *builder = md2->import->builder;
    char name[MD2_FRAME_NAME_BYTES + 1];
    md2_frame_name(&md2->file, index, name);
    const struct morph_target target = {.name = bake_textz(builder, name),
                                        .position_first = builder->morph_delta_count,
                                        .normal_first = builder->morph_delta_count + md2->corner_count};
    struct vec3 *deltas = bake_add_morph_delta(builder, 2 * md2->corner_count);
    if (deltas == NULL)
        return import_full(md2->import, err);
    for (uint32_t c = 0; c < md2->corner_count; c++) {
        const uint32_t vertex = md2->corners[c].vertex;
        const struct vec3 *base = &builder->positions[c], *normal = &builder->normals[c];
        const double *at = frame->points[vertex];
        deltas[c] = (struct vec3){(float)(at[0] - (double)base->x), (float)(at[1] - (double)base->y),
                                  (float)(at[2] - (double)base->z)};
        deltas[md2->corner_count + c] =
            (struct vec3){frame->normals[vertex].x - normal->x, frame->normals[vertex].y - normal->y,
                          frame->normals[vertex].z - normal->z};
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
    find_corners(md2);
    if (import_check_limit(md2->import, LIMIT_VERTICES, 0, md2->corner_count, "the mesh", err) < 0)
        return err->code;
    struct primitive primitive = {.vertex_count = md2->corner_count,
                                  .index_count = 3 * file->triangle_count,
                                  .morph_target_count = file->frame_count - 1};
    frame_init(&frame, md2);
    frame_read(&frame, md2, 0);
    int rc = add_vertices(md2, &frame, &primitive, err);
    for (uint32_t f = 1; f < file->frame_count && rc == 0; f++) {
        frame_read(&frame, md2, f);
        rc = add_target(md2, &frame, f, err);
    }
    frame_fini(&frame);
    if (rc == 0)
        rc = import_put_primitive(md2->import, &primitive, err);
    return rc < 0 ? rc : add_node(md2, err);
}
