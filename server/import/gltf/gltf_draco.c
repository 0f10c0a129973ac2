/* gltf_draco.c - primitives compressed by KHR_draco_mesh_compression: their attributes and triangles come from the
 * decoded mesh, and their accessors only say the types (extension's "Conformance"). */
#include "import/gltf/gltf_primitive.h"

#include "import/gltf/draco.h"
#include "import/gltf/gltf_buffer.h"

#include <stdlib.h>

/* Decoded rows live as long as the primitive is read. */
struct draco_block {
    struct draco_block *next;
    uint8_t bytes[];
};

struct primitive_draco {
    struct draco_mesh *mesh;
    const cJSON *ids; /* attribute name -> unique id in the mesh */
    struct draco_block *blocks;
};

static int draco_error(const struct primitive_reader *reader, enum draco_result result, const char *name,
                       const char *message, struct err *err)
{
    const int code = result == DRACO_TOO_LARGE   ? ERR_MODEL_LIMIT
                     : result == DRACO_NO_MEMORY ? ERR_IMPORT_MEMORY
                                                 : ERR_BAD_MODEL;
    return err_set(err, code, "%s %s: KHR_draco_mesh_compression: %s", reader->where, name, message);
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
    void *opened;
    if (gltf_alloc(&opened, 1, sizeof(struct primitive_draco), err) < 0)
        return err->code;
    reader->draco = opened;
    reader->draco->ids = json_member(json, "attributes");
    char message[200];
    const enum draco_result result = draco_mesh_new(
        view.bytes, view.size_bytes, limit[LIMIT_VERTICES] - gltf->builder->position_count,
        (limit[LIMIT_INDICES] - gltf->builder->index_count) / 3, &reader->draco->mesh, message, sizeof message);
    if (result != DRACO_OK)
        return draco_error(reader, result, "mesh", message, err);
    if (draco_mesh_points(reader->draco->mesh) == 0)
        return draco_error(reader, DRACO_BROKEN, "mesh", "it has no points", err);
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

bool primitive_draco_has(const struct primitive_reader *reader, const char *name)
{
    return reader->draco != NULL && json_member(reader->draco->ids, name) != NULL;
}

/* NULL with *err set. */
static uint8_t *add_block(struct primitive_draco *draco, uint64_t size_bytes, struct err *err)
{
    void *added;
    if (gltf_alloc(&added, 1, sizeof(struct draco_block) + (size_t)size_bytes, err) < 0)
        return NULL;
    struct draco_block *block = added;
    block->next = draco->blocks;
    draco->blocks = block;
    return block->bytes;
}

/* The mesh decides how many rows there are: encoders may split or join vertices. */
static void take_count(const struct primitive_reader *reader, struct accessor *accessor, uint32_t count,
                       const char *name)
{
    if (accessor->count != count)
        bake_warn(reader->gltf->builder, "draco_count",
                  "%s %s has %u rows in its Draco mesh, but accessors[%u] says %u", reader->where, name, count,
                  accessor->index, accessor->count);
    accessor->count = count;
}

int primitive_draco_rows(const struct primitive_reader *reader, const char *name, struct accessor *accessor,
                         struct err *err)
{
    const struct draco_mesh *mesh = reader->draco->mesh;
    const uint32_t row_bytes = accessor->width * accessor_component_bytes(accessor->component);
    take_count(reader, accessor, draco_mesh_points(mesh), name);
    uint8_t *rows = add_block(reader->draco, (uint64_t)accessor->count * row_bytes, err);
    if (rows == NULL)
        return err->code;
    const uint64_t id = json_count(reader->draco->ids, name, 0);
    char message[200];
    const enum draco_result result =
        draco_mesh_rows(mesh, id > UINT32_MAX ? UINT32_MAX : (uint32_t)id,
                        (enum draco_component)accessor_component_number(accessor->component), accessor->width, rows,
                        message, sizeof message);
    if (result != DRACO_OK)
        return draco_error(reader, result, name, message, err);
    accessor->rows = rows;
    accessor->stride = row_bytes;
    return 0;
}

int primitive_draco_indices(const struct primitive_reader *reader, struct accessor *accessor, struct err *err)
{
    const struct draco_mesh *mesh = reader->draco->mesh;
    const uint32_t count = 3 * draco_mesh_faces(mesh);
    uint8_t *rows = add_block(reader->draco, (uint64_t)count * sizeof(uint32_t), err);
    if (rows == NULL)
        return err->code;
    draco_mesh_indices(mesh, (uint32_t *)(void *)rows);
    *accessor = (struct accessor){
        .count = count, .width = 1, .component = ACCESSOR_U32, .rows = rows, .stride = sizeof(uint32_t)};
    return 0;
}
