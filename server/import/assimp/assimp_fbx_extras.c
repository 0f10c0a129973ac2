/* assimp_fbx_extras.c - user properties and timeline markers of FBX files (fbx_properties.h) to the nodes, materials
 * and clips that assimp made of their objects: by name, which is all that assimp keeps of them. assimp's own metadata
 * has other properties among the user's, and numbers as floats. */
#include "import/assimp/assimp.h"
#include "import/fbx/fbx_properties.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

struct span_text {
    const char *at;
    size_t size_bytes;
};

static int compare_texts(struct span_text a, struct span_text b)
{
    const size_t size = a.size_bytes < b.size_bytes ? a.size_bytes : b.size_bytes;
    const int order = size == 0 ? 0 : memcmp(a.at, b.at, size);
    return order != 0 ? order : (a.size_bytes > b.size_bytes) - (a.size_bytes < b.size_bytes);
}

struct fbx_names {
    const struct fbx_properties *properties;
    uint32_t *order; /* of the objects, by kind and name */
    uint32_t *uses;  /* [object_count]: things of the model with that name */
};

static struct span_text text_at(const struct fbx_properties *properties, struct fbx_span span)
{
    return (struct span_text){span.size_bytes == 0 ? "" : properties->text.data + span.at, span.size_bytes};
}

static int compare_names(const struct fbx_properties *properties, const struct fbx_object *object, enum fbx_kind kind,
                         struct span_text name)
{
    if (object->kind != kind)
        return object->kind < kind ? -1 : 1;
    return compare_texts(text_at(properties, object->name), name);
}

static int by_kind_and_name(const void *a, const void *b, void *context)
{
    const struct fbx_properties *properties = context;
    const struct fbx_object *x = &properties->objects[*(const uint32_t *)a],
                            *y = &properties->objects[*(const uint32_t *)b];
    return compare_names(properties, x, y->kind, text_at(properties, y->name));
}

/* The only object of this name; UINT32_MAX where there is none or several. */
static uint32_t find_object(const struct fbx_names *names, enum fbx_kind kind, struct span_text name)
{
    const struct fbx_properties *properties = names->properties;
    uint32_t low = 0, high = properties->object_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (compare_names(properties, &properties->objects[names->order[middle]], kind, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    const bool is_found = low < properties->object_count &&
                          compare_names(properties, &properties->objects[names->order[low]], kind, name) == 0;
    const bool is_twice = is_found && low + 1 < properties->object_count &&
                          compare_names(properties, &properties->objects[names->order[low + 1]], kind, name) == 0;
    return is_found && !is_twice ? names->order[low] : UINT32_MAX;
}

static struct span_text name_of_thing(const struct assimp_job *job, enum fbx_kind kind, uint32_t index,
                                      struct aiString *material_name)
{
    const struct aiString *name = material_name;
    if (kind == FBX_MODEL)
        name = &job->tree.nodes[job->tree.of_model_node[index]].node->mName;
    else if (kind == FBX_TAKE)
        name = &job->scene->mAnimations[index]->mName;
    else if (aiGetMaterialString(job->scene->mMaterials[index], AI_MATKEY_NAME, material_name) != aiReturn_SUCCESS)
        *material_name = (struct aiString){0};
    return (struct span_text){name->data, name->length};
}

static uint32_t count_things(const struct assimp_job *job, enum fbx_kind kind)
{
    return kind == FBX_MODEL      ? job->tree.model_node_count
           : kind == FBX_MATERIAL ? job->scene->mNumMaterials
                                  : job->scene->mNumAnimations;
}

/* Of things with one name it is not known which is meant: none gets the extras. */
static int add_properties(struct assimp_job *job, struct fbx_names *names, enum fbx_kind kind, struct err *err)
{
    static const enum extra_owner OWNERS[] = {
        [FBX_MODEL] = EXTRA_NODE, [FBX_MATERIAL] = EXTRA_MATERIAL, [FBX_TAKE] = EXTRA_CLIP};
    const uint32_t count = count_things(job, kind);
    struct aiString buffer;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t object = find_object(names, kind, name_of_thing(job, kind, i, &buffer));
        if (object != UINT32_MAX)
            names->uses[object]++;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct span_text name = name_of_thing(job, kind, i, &buffer);
        const uint32_t object = find_object(names, kind, name);
        if (object == UINT32_MAX || names->properties->objects[object].json.size_bytes == 0)
            continue;
        if (names->uses[object] > 1) {
            bake_warn(job->import->builder, "extras_dropped",
                      "several things are called '%.*s': its user properties "
                      "are left out",
                      (int)(name.size_bytes < 200 ? name.size_bytes : 200), name.at);
            continue;
        }
        const struct span_text json = text_at(names->properties, names->properties->objects[object].json);
        if (import_add_extra(job->import, OWNERS[kind], i, json.at, json.size_bytes, "user properties", err) < 0)
            return err->code;
    }
    return 0;
}

/* The timeline's markers into every take that plays at their times; assimp's clips start with their takes. */
static int add_time_markers(struct assimp_job *job, const struct fbx_names *names, struct err *err)
{
    const struct fbx_properties *properties = names->properties;
    struct aiString buffer;
    for (uint32_t c = 0; c < job->scene->mNumAnimations && properties->marker_count > 0; c++) {
        const uint32_t object = find_object(names, FBX_TAKE, name_of_thing(job, FBX_TAKE, c, &buffer));
        const struct fbx_object *take = object == UINT32_MAX ? NULL : &properties->objects[object];
        if (take == NULL || take->start >= take->stop) {
            bake_warn(job->import->builder, "markers_dropped",
                      "the timeline has markers, but it is not known when clip %u starts: it gets none", c);
            continue;
        }
        for (uint32_t m = 0; m < properties->marker_count; m++) {
            const struct fbx_marker *from = &properties->markers[m];
            if (!from->has_time || from->time < take->start || from->time > take->stop)
                continue;
            const struct span_text name = text_at(properties, from->name);
            const struct marker marker = {.clip = c,
                                          .name = bake_text(job->import->builder, name.at, name.size_bytes),
                                          .value = {.offset = STR_NONE},
                                          .time_s =
                                              ((double)from->time - (double)take->start) / (double)FBX_TICKS_PER_S};
            if (import_add_marker(job->import, &marker, err) < 0)
                return err->code;
        }
    }
    return 0;
}

int assimp_fbx_extras(struct assimp_job *job, struct err *err)
{
    struct fbx_properties properties;
    fbx_properties_read(&properties, job->import->bytes, job->import->size_bytes);
    struct fbx_names names = {.properties = &properties,
                              .order = mem_alloc((properties.object_count + 1) * sizeof *names.order),
                              .uses = mem_zalloc(properties.object_count + 1, sizeof *names.uses)};
    for (uint32_t i = 0; i < properties.object_count; i++)
        names.order[i] = i;
    qsort_r(names.order, properties.object_count, sizeof *names.order, by_kind_and_name, &properties);
    int rc = 0;
    for (int kind = 0; kind < FBX_KIND_COUNT && rc == 0; kind++)
        rc = add_properties(job, &names, (enum fbx_kind)kind, err);
    if (rc == 0)
        rc = add_time_markers(job, &names, err);
    free(names.order);
    free(names.uses);
    fbx_properties_fini(&properties);
    return rc;
}
