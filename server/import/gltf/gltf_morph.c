/* gltf_morph.c - morph targets of a primitive; primitives of the same accessors share their deltas. */
#include "import/gltf/gltf_primitive.h"

#include <stdio.h>

/* Rows that another primitive has read cost no memory, only the time to move the vertices by them. */
enum { SHARED_PART = 16 };

static const unsigned COMPONENTS = ACCESSOR_F32 | ACCESSOR_I8 | ACCESSOR_I16;

/* Exporters give the primitive of each material all vertices and targets of the mesh, so that primitives share deltas.
 */
static int share_deltas(struct primitive_reader *reader, const char *name, uint32_t index, uint32_t *first,
                        struct err *err)
{
    struct accessor accessor;
    if (primitive_describe(reader, name, index, ACCESSOR_VEC3, COMPONENTS, &accessor, err) < 0 ||
        accessor_charge(reader->gltf, index, accessor_bytes(&accessor) / SHARED_PART, err) < 0)
        return err->code;
    *first = reader->gltf->deltas[index] - 1;
    return 0;
}

/* Deltas of one attribute of one target into the builder; *first stays UINT32_MAX where it has none. */
static int read_deltas(struct primitive_reader *reader, const cJSON *target, uint32_t index, const char *attribute,
                       uint32_t *first, struct err *err)
{
    struct gltf *gltf = reader->gltf;
    *first = UINT32_MAX;
    const int64_t accessor_index = json_index(target, attribute);
    if (accessor_index < 0)
        return 0;
    char name[48], where[128];
    snprintf(name, sizeof name, "targets[%u].%s", index, attribute);
    snprintf(where, sizeof where, "%s.%s", reader->where, name);
    if (gltf->deltas[accessor_index] != 0)
        return share_deltas(reader, name, (uint32_t)accessor_index, first, err);
    struct accessor accessor;
    if (primitive_open(reader, name, accessor_index, ACCESSOR_VEC3, COMPONENTS, &accessor, err) < 0)
        return err->code;
    *first = gltf->builder->morph_delta_count;
    gltf->deltas[accessor_index] = *first + 1;
    struct vec3 *deltas = bake_add_morph_delta(gltf->builder, accessor.count);
    if (deltas == NULL)
        return import_full(gltf->import, err);
    return accessor_floats(&accessor, accessor.count, where, &deltas->x, err);
}

int primitive_read_targets(struct primitive_reader *reader, const cJSON *names, struct err *err)
{
    struct bake_builder *builder = reader->gltf->builder;
    const uint32_t count = (uint32_t)cJSON_GetArraySize(json_member(reader->json, "targets"));
    reader->out.morph_target_count = count;
    if (bake_add_morph_target(builder, count) == NULL)
        return import_full(reader->gltf->import, err);
    const cJSON *target = json_first(reader->json, "targets"), *name = names == NULL ? NULL : names->child;
    for (uint32_t i = 0; i < count; i++, target = target->next) {
        struct morph_target out;
        out.name = bake_textz(builder, name == NULL ? NULL : cJSON_GetStringValue(name));
        /* Computed normals have no counterpart in the targets. */
        const bool has_normals = reader->normal >= 0;
        out.normal_first = UINT32_MAX;
        if (read_deltas(reader, target, i, "POSITION", &out.position_first, err) < 0 ||
            (has_normals && read_deltas(reader, target, i, "NORMAL", &out.normal_first, err) < 0))
            return err->code;
        builder->morph_targets[reader->out.morph_target_first + i] = out;
        name = name == NULL ? NULL : name->next;
    }
    return 0;
}
