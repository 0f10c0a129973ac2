/* gltf_pointer.c - KHR_animation_pointer (Khronos): channels that name their target with a JSON pointer (RFC 6901). */
#include "import/gltf/gltf_material.h"

#include "anim/model/property.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Reads an index below `count` at *at (RFC 6901, 4: no leading zeros) and moves *at behind it. */
static bool read_index(const char **at, uint32_t count, int64_t *out)
{
    const char *digits = *at, *end = digits;
    uint64_t index = 0;
    while (*end >= '0' && *end <= '9' && index < count)
        index = 10 * index + (uint64_t)(*end++ - '0');
    *at = end;
    *out = (int64_t)index;
    return end > digits && (*digits != '0' || end == digits + 1) && index < count;
}

/* "weights" or "weights/3". */
static bool read_weight(const char *text, struct gltf_target *out)
{
    static const char WEIGHTS[] = "weights";
    if (strncmp(text, WEIGHTS, sizeof WEIGHTS - 1) != 0)
        return false;
    const char *at = text + sizeof WEIGHTS - 1;
    out->path = PATH_WEIGHTS;
    if (*at == '\0')
        return true;
    return *at++ == '/' && read_index(&at, UINT32_MAX, &out->weight) && *at == '\0';
}

/* A node's or a mesh's property. */
static bool read_node(const struct gltf *gltf, const char *pointer, struct gltf_target *out)
{
    static const char *const MEMBERS[] = {[PATH_TRANSLATION] = "translation",
                                          [PATH_ROTATION] = "rotation",
                                          [PATH_SCALE] = "scale",
                                          [PATH_WEIGHTS] = "weights",
                                          [PATH_VISIBILITY] = "extensions/KHR_node_visibility/visible"};
    static const char NODES[] = "/nodes/", MESHES[] = "/meshes/";
    if (strncmp(pointer, MESHES, sizeof MESHES - 1) == 0) {
        pointer += sizeof MESHES - 1;
        return read_index(&pointer, gltf->lists[GLTF_MESHES].count, &out->mesh) && *pointer == '/' &&
               read_weight(pointer + 1, out);
    }
    if (strncmp(pointer, NODES, sizeof NODES - 1) != 0)
        return false;
    pointer += sizeof NODES - 1;
    if (!read_index(&pointer, gltf->lists[GLTF_NODES].count, &out->node) || *pointer != '/')
        return false;
    if (read_weight(pointer + 1, out))
        return true;
    out->path = json_word(pointer + 1, MEMBERS, PATH_COUNT);
    return out->path >= 0;
}

/* --- materials, lights, cameras --- */

static const cJSON *object_of(const struct gltf *gltf, uint32_t kind, uint32_t index)
{
    const struct gltf_list *list = kind == PROPERTY_OF_LIGHT    ? &gltf->lights
                                   : kind == PROPERTY_OF_CAMERA ? &gltf->lists[GLTF_CAMERAS]
                                                                : &gltf->lists[GLTF_MATERIALS];
    return index < list->count ? list->items[index] : NULL;
}

/* Follows the members of a pointer up to the last one, which it copies to `name`. */
static const cJSON *owner_at(const cJSON *object, const char *path, char name[64])
{
    for (;;) {
        const size_t size = strcspn(path, "/");
        snprintf(name, 64, "%.*s", (int)size, path);
        if (path[size] == '\0' || object == NULL)
            return object;
        object = json_member(object, name);
        path += size + 1;
    }
}

const cJSON *gltf_property_owner(const struct gltf *gltf, uint32_t property, uint32_t index, char name[64])
{
    char path[PROPERTY_POINTER_SIZE];
    property_put_path(property, path);
    return owner_at(object_of(gltf, property_of(property).kind, index), path, name);
}

/* A property is there if the file states it, or if it has a default and the object around it is there. Materials that
 * are converted from specular-glossiness have none of metallic-roughness. */
static bool has_property(const struct gltf *gltf, uint32_t id, uint32_t index)
{
    static const char CONVERTED[] = "pbrMetallicRoughness/";
    const struct property property = property_of(id);
    char name[64];
    const cJSON *owner = gltf_property_owner(gltf, id, index, name);
    if (owner == NULL || (isnan(property.missing) && json_member(owner, name) == NULL))
        return false;
    return strncmp(property.member, CONVERTED, sizeof CONVERTED - 1) != 0 ||
           !gltf_is_specular_glossiness(gltf, gltf_item(gltf, GLTF_MATERIALS, index));
}

bool gltf_pointer_read(const struct gltf *gltf, const char *pointer, const char *where, struct gltf_target *out)
{
    *out = (struct gltf_target){.node = -1, .mesh = -1, .path = -1, .weight = -1, .property = GLTF_NO_PROPERTY};
    if (read_node(gltf, pointer, out))
        return true;
    const uint32_t property = property_find(pointer, &out->object);
    if (property < PROPERTY_COUNT && has_property(gltf, property, out->object)) {
        out->property = property;
        return true;
    }
    bake_warn(gltf->builder, "channel_ignored", "%s points at '%.100s', which %s", where, pointer,
              property < PROPERTY_COUNT ? "the file does not have" : "is not animated here");
    import_drop(gltf->import, "channel", "channel of KHR_animation_pointer", where);
    return false;
}
