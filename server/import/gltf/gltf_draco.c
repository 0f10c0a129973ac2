/* gltf_draco.c - reads primitives compressed with KHR_draco_mesh_compression. Their attributes and triangles come from
 * the decoded mesh; their accessors only give the types (extension's "Conformance"). */
#include "import/gltf/gltf_primitive.h"

#include "import/gltf_file/draco.h"
#include "import/gltf/gltf_buffer.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>

/* Decoded rows live until the primitive is complete. */
struct draco_block {
    struct draco_block *next;
    uint8_t bytes[];
};

struct primitive_draco {
    struct draco_mesh *mesh;
    const cJSON *ids; /* attribute name -> unique id in the mesh */
    struct draco_block *blocks;
};

static int name_culprit(const struct primitive_reader *reader, const char *name, struct err *err)
{
    return err_prefix(err, "%s %s: KHR_draco_mesh_compression", reader->where, name);
}

int primitive_draco_open(struct primitive_reader *reader, struct err *err)
{
    struct gltf *gltf = reader->gltf;
    const cJSON *json = json_member(json_member(reader->json, "extensions"), "KHR_draco_mesh_compression");
    if (json == NULL)
        return 0;
    struct gltf_view view;
    if (gltf_view(gltf, (uint32_t)json_index(json, "bufferView"), &view, err) < 0)
        return err_prefix(err, "%s", reader->where);
    const uint64_t *limit = gltf->import->limits->value;
    reader->draco = mem_zalloc(1, sizeof *reader->draco);
    reader->draco->ids = json_member(json, "attributes");
    const uint64_t points_max = limit[LIMIT_VERTICES] - gltf->builder->position_count;
    const uint64_t faces_max = (limit[LIMIT_INDICES] - gltf->builder->index_count) / 3;
    if (draco_mesh_new(view.bytes, view.size_bytes, points_max, faces_max, &reader->draco->mesh, err) < 0)
        return name_culprit(reader, "mesh", err);
    if (draco_mesh_points(reader->draco->mesh) == 0) {
        err_set(err, ERR_BAD_MODEL, "it has no points");
        return name_culprit(reader, "mesh", err);
    }
    return 0;
}

void primitive_draco_close(struct primitive_reader *reader)
{
    struct primitive_draco *draco = reader->draco;
    if (draco == NULL)
        return;
    while (draco->blocks != NULL) {
        struct draco_block *next = draco->blocks->next;
        free(draco->blocks);
        draco->blocks = next;
    }
    if (draco->mesh != NULL)
        draco_mesh_free(draco->mesh);
    free(draco);
    reader->draco = NULL;
}

static uint8_t *add_block(struct primitive_draco *draco, uint64_t size_bytes)
{
    struct draco_block *block = mem_alloc(sizeof *block + (size_t)size_bytes);
    block->next = draco->blocks;
    draco->blocks = block;
    return block->bytes;
}

/* The mesh determines the number of rows, because encoders may split or join vertices. */
static void take_count(const struct primitive_reader *reader, struct accessor *accessor, uint32_t count,
                       const char *name)
{
    if (accessor->count != count)
        bake_warn(reader->gltf->builder, "draco_count",
                  "%s %s has %u rows in its Draco mesh, but accessors[%u] says %u", reader->where, name, count,
                  accessor->index, accessor->count);
    accessor->count = count;
}

static int read_rows(const struct primitive_reader *reader, const char *name, struct accessor *accessor,
                     struct err *err)
{
    const struct draco_mesh *mesh = reader->draco->mesh;
    const uint32_t row_bytes = accessor->row_bytes;
    take_count(reader, accessor, draco_mesh_points(mesh), name);
    uint8_t *rows = add_block(reader->draco, (uint64_t)accessor->count * row_bytes);
    const uint64_t id = json_count(reader->draco->ids, name, 0);
    if (draco_mesh_rows(mesh, id > UINT32_MAX ? UINT32_MAX : (uint32_t)id, accessor->component_type, accessor->width,
                        rows, err) < 0)
        return name_culprit(reader, name, err);
    accessor->rows = rows;
    accessor->stride = row_bytes;
    return 0;
}

void primitive_draco_indices(const struct primitive_reader *reader, struct accessor *accessor)
{
    const struct draco_mesh *mesh = reader->draco->mesh;
    const uint32_t count = 3 * draco_mesh_faces(mesh);
    uint8_t *rows = add_block(reader->draco, (uint64_t)count * sizeof(uint32_t));
    draco_mesh_indices(mesh, (uint32_t *)(void *)rows);
    *accessor = (struct accessor){.count = count,
                                  .width = 1,
                                  .component = ACCESSOR_U32,
                                  .component_bytes = sizeof(uint32_t),
                                  .row_bytes = sizeof(uint32_t),
                                  .rows = rows,
                                  .stride = sizeof(uint32_t)};
}

/* --- attributes, from the mesh or from their accessors --- */

static int check_rows(const struct primitive_reader *reader, const char *where, const struct accessor *accessor,
                      struct err *err)
{
    if (reader->out.vertex_count != 0 && accessor->count != reader->out.vertex_count)
        return err_set(err, ERR_BAD_MODEL, "%s has %u rows (accessors[%u]), but POSITION has %u", where,
                       accessor->count, accessor->index, reader->out.vertex_count);
    return 0;
}

int primitive_describe(const struct primitive_reader *reader, const char *name, int64_t index, unsigned types,
                       unsigned components, struct accessor *accessor, struct err *err)
{
    char where[128];
    snprintf(where, sizeof where, "%s %s", reader->where, name);
    const struct accessor_use use = {where, types, components};
    if (accessor_describe(reader->gltf, (uint32_t)index, &use, accessor, err) < 0)
        return err->code;
    return check_rows(reader, where, accessor, err);
}

int primitive_open(const struct primitive_reader *reader, const char *name, int64_t index, unsigned types,
                   unsigned components, struct accessor *accessor, struct err *err)
{
    char where[128];
    snprintf(where, sizeof where, "%s %s", reader->where, name);
    const struct accessor_use use = {where, types, components};
    if (reader->draco == NULL || json_member(reader->draco->ids, name) == NULL) {
        if (accessor_open(reader->gltf, (uint32_t)index, &use, accessor, err) < 0)
            return err->code;
    } else if (accessor_describe(reader->gltf, (uint32_t)index, &use, accessor, err) < 0 ||
               read_rows(reader, name, accessor, err) < 0 ||
               accessor_charge(reader->gltf, (uint32_t)index, accessor_bytes(accessor), err) < 0) {
        return err->code;
    }
    return check_rows(reader, where, accessor, err);
}
