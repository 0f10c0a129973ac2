/* gltf_mesh.c - reads meshes: the attributes of a primitive, its parts in order, and its morph targets. */
#include "import/gltf/gltf_primitive.h"
#include "import/mesh/mesh_arrays.h"

#include "base/mem.h"

#include <stdio.h>
#include <string.h>

/* The n of "JOINTS_n", or -1 if `name` does not have that form (glTF 2.0, 3.7.2.1: no leading zeros). */
static int64_t set_of(const char *name, const char *prefix)
{
    const size_t length = strlen(prefix);
    if (strncmp(name, prefix, length) != 0)
        return -1;
    const char *digits = name + length;
    if (digits[0] == '\0' || (digits[0] == '0' && digits[1] != '\0') || strspn(digits, "0123456789") != strlen(digits))
        return -1;
    int64_t set = 0;
    for (; *digits != '\0' && set < UINT32_MAX; digits++)
        set = set * 10 + (*digits - '0');
    return set;
}

/* The first of two members with one name counts, as in the rest of the JSON. */
static void keep_first(int64_t *slot, int64_t index)
{
    if (*slot < 0)
        *slot = index;
}

/* `set` is below JOINT_SETS_MAX: check_sets() has passed. */
static void keep_set(struct primitive_reader *reader, int64_t *slots, int64_t set, int64_t index)
{
    keep_first(&slots[set], index);
    if (set >= reader->set_count)
        reader->set_count = (uint32_t)set + 1;
}

/* glTF 2.0, 3.7.2.1: the sets of an attribute start with 0 and have no gaps. */
static int check_sets(const struct primitive_reader *reader, struct err *err)
{
    static const char *const PREFIXES[] = {"TEXCOORD_", "COLOR_", "JOINTS_", "WEIGHTS_"};
    uint64_t seen[sizeof PREFIXES / sizeof *PREFIXES] = {0};
    for (const cJSON *item = json_first(reader->json, "attributes"); item != NULL; item = item->next)
        for (size_t p = 0; p < sizeof PREFIXES / sizeof *PREFIXES; p++) {
            const int64_t set = set_of(item->string, PREFIXES[p]);
            if (set >= JOINT_SETS_MAX)
                return err_set(err, ERR_MODEL_LIMIT, "%s has %s, beyond the %d sets that are supported", reader->where,
                               item->string, JOINT_SETS_MAX);
            if (set >= 0)
                seen[p] |= UINT64_C(1) << set;
        }
    for (size_t p = 0; p < sizeof PREFIXES / sizeof *PREFIXES; p++)
        if ((seen[p] & (seen[p] + 1)) != 0) {
            int missing = 0;
            while ((seen[p] >> missing & 1) != 0)
                missing++;
            return err_set(err, ERR_BAD_MODEL, "%s has a later set, but no %s%d: sets count from 0 without gaps",
                           reader->where, PREFIXES[p], missing);
        }
    return 0;
}

static void find_attributes(struct primitive_reader *reader)
{
    reader->position = reader->normal = reader->tangent = reader->color = -1;
    reader->texcoords[0] = reader->texcoords[1] = -1;
    for (int set = 0; set < JOINT_SETS_MAX; set++)
        reader->joints[set] = reader->weights[set] = -1;
    for (const cJSON *item = json_first(reader->json, "attributes"); item != NULL; item = item->next) {
        const int64_t index = (int64_t)item->valuedouble;
        const int64_t joints = set_of(item->string, "JOINTS_"), weights = set_of(item->string, "WEIGHTS_");
        const int64_t texcoord = set_of(item->string, "TEXCOORD_");
        if (strcmp(item->string, "POSITION") == 0)
            keep_first(&reader->position, index);
        else if (strcmp(item->string, "NORMAL") == 0)
            keep_first(&reader->normal, index);
        else if (strcmp(item->string, "COLOR_0") == 0)
            keep_first(&reader->color, index);
        else if (strcmp(item->string, "TANGENT") == 0)
            keep_first(&reader->tangent, index);
        else if (texcoord >= 0 && texcoord == reader->texcoord_use.sets[0])
            keep_first(&reader->texcoords[0], index);
        else if (texcoord >= 0 && texcoord == reader->texcoord_use.sets[1])
            keep_first(&reader->texcoords[1], index);
        else if (joints >= 0)
            keep_set(reader, reader->joints, joints, index);
        else if (weights >= 0)
            keep_set(reader, reader->weights, weights, index);
        else
            import_drop(reader->gltf->import, "attribute", item->string, reader->where);
    }
}

/* Gives a place that no texture needs to the primitive's first other set of texture coordinates: what the file has for
 * other programs, such as a light map's. */
static void fill_texcoords(struct primitive_reader *reader)
{
    int64_t *sets = reader->texcoord_use.sets, least = INT64_MAX;
    if (sets[0] < 0)
        sets[0] = 0; /* without textures the first set is kept */
    for (const cJSON *item = json_first(reader->json, "attributes"); item != NULL; item = item->next) {
        const int64_t set = set_of(item->string, "TEXCOORD_");
        if (set >= 0 && set != sets[0] && set < least)
            least = set;
    }
    if (sets[1] < 0 && least < INT64_MAX)
        sets[1] = least;
}

/* --- morph targets; primitives of the same accessors share their deltas --- */

/* Rows that another primitive has read cost no memory, but moving the vertices by them costs time. */
enum { SHARED_PART = 16 };

static const unsigned COMPONENTS = ACCESSOR_F32 | ACCESSOR_I8 | ACCESSOR_I16;

/* Exporters give the primitive of each material all vertices and targets of the mesh, so primitives share deltas. */
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

/* Adds the deltas of one attribute of one target to the builder; *first stays UINT32_MAX if it has none. */
static int read_deltas(struct primitive_reader *reader, const cJSON *target, uint32_t index, const char *attribute,
                       uint32_t *first, struct err *err)
{
    struct gltf *gltf = reader->gltf;
    *first = UINT32_MAX;
    const int64_t accessor_index = json_index(target, attribute);
    if (accessor_index < 0)
        return 0;
    char name[48];
    snprintf(name, sizeof name, "targets[%u].%s", index, attribute);
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
    accessor_floats(&accessor, 0, accessor.count, &deltas->x);
    return 0;
}

static int read_targets(struct primitive_reader *reader, const cJSON *names, struct err *err)
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
        for (const cJSON *item = target->child; item != NULL; item = item->next)
            if (strcmp(item->string, "POSITION") != 0 && (!has_normals || strcmp(item->string, "NORMAL") != 0))
                import_drop(reader->gltf->import, "attribute", "morph target's attribute", reader->where);
        if (read_deltas(reader, target, i, "POSITION", &out.position_first, err) < 0 ||
            (has_normals && read_deltas(reader, target, i, "NORMAL", &out.normal_first, err) < 0))
            return err->code;
        builder->morph_targets[reader->out.morph_target_first + i] = out;
        name = name == NULL ? NULL : name->next;
    }
    return 0;
}

/* --- primitives --- */

static int read_parts(struct primitive_reader *reader, const cJSON *target_names, struct err *err)
{
    if (primitive_draco_open(reader, err) < 0 || primitive_read_vertices(reader, err) < 0 ||
        primitive_read_indices(reader, err) < 0)
        return err->code;
    mesh_repair(reader->gltf->import, &reader->out, reader->where);
    if (primitive_read_influences(reader, err) < 0)
        return err->code;
    return read_targets(reader, target_names, err);
}

static int read_primitive(struct gltf *gltf, uint32_t mesh, uint32_t index, const cJSON *json,
                          const cJSON *target_names, struct err *err)
{
    struct bake_builder *builder = gltf->builder;
    struct primitive_reader reader = {.gltf = gltf, .json = json};
    snprintf(reader.where, sizeof reader.where, "meshes[%u].primitives[%u]", mesh, index);
    reader.out.mesh = mesh;
    reader.out.material = (int32_t)json_index(json, "material");
    reader.out.vertex_first = builder->position_count;
    reader.out.index_first = builder->index_count; /* needed by a primitive without positions, which is empty */
    reader.out.morph_target_first = builder->morph_target_count;
    reader.texcoord_use = gltf_material_texcoords(gltf, reader.out.material);
    if (check_sets(&reader, err) < 0 || gltf_read_mappings(gltf, json, reader.where, &reader.texcoord_use, err) < 0)
        return err->code;
    fill_texcoords(&reader);
    find_attributes(&reader);
    int rc = 0;
    if (reader.position < 0)
        bake_warn(builder, "primitive_without_positions", "%s has no POSITION: it is empty here", reader.where);
    else
        rc = read_parts(&reader, target_names, err);
    if (reader.tangent >= 0 && (reader.out.flags & PRIMITIVE_TANGENTS) == 0)
        import_drop(gltf->import, "attribute", "TANGENT, which no texture of the material needs", reader.where);
    primitive_draco_close(&reader);
    if (rc < 0)
        return rc;
    return mesh_put(gltf->import, &reader.out, reader.where, err);
}

static int read_mesh(struct gltf *gltf, uint32_t index, struct err *err)
{
    struct bake_builder *builder = gltf->builder;
    const cJSON *json = gltf_item(gltf, GLTF_MESHES, index);
    builder->meshes[index].name = gltf_name(gltf, json, GLTF_MESHES, index);
    builder->meshes[index].primitive_first = builder->primitive_count;
    const cJSON *extras = json_member(json, "extras");
    const cJSON *names = cJSON_IsObject(extras) ? json_member(extras, "targetNames") : NULL;
    uint32_t count = 0;
    for (const cJSON *item = json_first(json, "primitives"); item != NULL; item = item->next)
        if (read_primitive(gltf, index, count++, item, cJSON_IsArray(names) ? names : NULL, err) < 0)
            return err->code;
    builder->meshes[index].primitive_count = count;
    return 0;
}

int gltf_read_meshes(struct gltf *gltf, struct err *err)
{
    struct bake_builder *builder = gltf->builder;
    const uint32_t count = gltf->lists[GLTF_MESHES].count;
    gltf->deltas = mem_zalloc(gltf->lists[GLTF_ACCESSORS].count, sizeof *gltf->deltas);
    if (bake_add_mesh(builder, count) == NULL)
        return import_full(gltf->import, err);
    for (uint32_t i = 0; i < count; i++)
        if (read_mesh(gltf, i, err) < 0)
            return err->code;
    return 0;
}
