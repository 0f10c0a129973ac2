/* fbx_texture_link.c - converts textures of files before 7.0 to properties of materials, as in 7.x.
 *
 * A Model has materials and textures, each in the order of its links. LayerElementTexture and related elements give the
 * texture of each polygon, or of all ("TextureId"), as LayerElementMaterial does for materials. A material gets the
 * texture of the first polygon that has both. */
#include "base/mem.h"
#include "import/fbx_file/fbx_scene_internal.h"

#include <stdlib.h>

static const struct {
    const char *element, *property;
} SLOTS[] = {
    {"LayerElementTexture", "DiffuseColor"},
    {"LayerElementDiffuseFactorTextures", "DiffuseFactor"},
    {"LayerElementEmissiveTextures", "EmissiveColor"},
    {"LayerElementEmissiveFactorTextures", "EmissiveFactor"},
    {"LayerElementAmbientTextures", "AmbientColor"},
    {"LayerElementAmbientFactorTextures", "AmbientFactor"},
    {"LayerElementSpecularTextures", "SpecularColor"},
    {"LayerElementSpecularFactorTextures", "SpecularFactor"},
    {"LayerElementShininessTextures", "ShininessExponent"},
    {"LayerElementBumpTextures", "Bump"},
    {"LayerElementNormalMapTextures", "NormalMap"},
    {"LayerElementTransparentTextures", "TransparentColor"},
    {"LayerElementTransparencyFactorTextures", "TransparencyFactor"},
    {"LayerElementReflectionTextures", "ReflectionColor"},
    {"LayerElementReflectionFactorTextures", "ReflectionFactor"},
};

/* The children of a model with one kind, in link order. */
struct list {
    uint32_t *objects; /* [count], heap */
    uint32_t count;
};

static struct list children_of(const struct fbx_scene *scene, uint32_t model, const char *kind)
{
    uint32_t count;
    const struct fbx_link *links = fbx_children(scene, model, &count);
    struct list list = {0};
    for (uint32_t i = 0; i < count; i++) {
        if (links[i].property.size_bytes > 0 || !fbx_object_is(scene, links[i].child, kind, NULL))
            continue;
        if (list.objects == NULL)
            list.objects = mem_alloc(count * sizeof *list.objects);
        list.objects[list.count++] = links[i].child;
    }
    return list;
}

/* An element's indices: one for each polygon, or one for all (count 1, is_same). */
struct choice {
    int32_t *indices; /* heap */
    uint32_t count;
    bool is_same;
};

static int read_choice(const struct fbx_scene *scene, uint32_t element, const char *name, struct choice *out,
                       struct err *err)
{
    const struct fbx_file *file = &scene->file;
    out->is_same =
        element == FBX_NONE || !fbx_span_is(fbx_child_text(file, element, "MappingInformationType"), "ByPolygon");
    return fbx_int32s(file, fbx_child(file, element, name), &out->indices, &out->count, err);
}

/* The index that an element gives a polygon, or -1. An element that applies to all polygons and has no index gives
 * 0. */
static int32_t chosen(const struct choice *choice, uint32_t polygon)
{
    if (choice->is_same)
        return choice->count > 0 ? choice->indices[0] : 0;
    return polygon < choice->count ? choice->indices[polygon] : -1;
}

/* The lists with which a model's textures are linked, and the property of the current element. */
struct slot {
    struct fbx_scene *scene;
    const struct list *textures, *materials;
    const char *property;
    bool *is_done; /* [materials] */
};

/* Links only the first texture of a material. Skips indices out of range. */
static int link_pair(const struct slot *slot, int64_t texture, int64_t material, struct err *err)
{
    if (texture < 0 || texture >= slot->textures->count || material < 0 || material >= slot->materials->count ||
        slot->is_done[material])
        return 0;
    slot->is_done[material] = true;
    const struct fbx_link link = {slot->textures->objects[texture], slot->materials->objects[material],
                                  fbx_span_of(slot->property), fbx_span_of("")};
    return fbx_add_link(slot->scene, &link, err);
}

static int link_slot(const struct slot *slot, const struct choice *texture, const struct choice *material,
                     struct err *err)
{
    int rc = 0;
    if (texture->is_same && material->is_same) { /* no polygon tells the materials apart */
        for (uint32_t m = 0; m < slot->materials->count && rc == 0; m++)
            rc = link_pair(slot, chosen(texture, 0), m, err);
        return rc;
    }
    const uint32_t polygons = texture->is_same ? material->count : texture->count;
    for (uint32_t p = 0; p < polygons && rc == 0; p++)
        rc = link_pair(slot, chosen(texture, p), chosen(material, p), err);
    return rc;
}

/* Reads one element. With FBX_NONE, the first texture is for all polygons. */
static int link_element(struct slot *slot, uint32_t element, const struct choice *material, struct err *err)
{
    struct choice texture = {0};
    int rc = read_choice(slot->scene, element, "TextureId", &texture, err);
    slot->is_done = mem_zalloc(slot->materials->count, sizeof *slot->is_done);
    if (rc == 0)
        rc = link_slot(slot, &texture, material, err);
    free(slot->is_done);
    free(texture.indices);
    return rc;
}

/* "LayerElementEmissiveTextures", which some files write with underscores, as in "LayerElementEmissive_Textures". */
static bool is_element(struct fbx_span name, const char *element)
{
    size_t at = 0;
    for (; *element != '\0'; element++, at++) {
        while (at < name.size_bytes && name.bytes[at] == '_')
            at++;
        if (at == name.size_bytes || name.bytes[at] != (uint8_t)*element)
            return false;
    }
    return at == name.size_bytes;
}

static uint32_t find_element(const struct fbx_file *file, uint32_t record, const char *element)
{
    uint32_t at = fbx_child(file, record, NULL);
    while (at != FBX_NONE && !is_element(file->records[at].name, element))
        at = fbx_next(file, at, NULL);
    return at;
}

static int link_slots(struct fbx_scene *scene, uint32_t record, const struct list *textures,
                      const struct list *materials, const struct choice *material, struct err *err)
{
    struct slot slot = {.scene = scene, .textures = textures, .materials = materials};
    bool has_element = false;
    for (size_t i = 0; i < sizeof SLOTS / sizeof *SLOTS; i++) {
        const uint32_t element = find_element(&scene->file, record, SLOTS[i].element);
        slot.property = SLOTS[i].property;
        if (element != FBX_NONE && link_element(&slot, element, material, err) < 0)
            return err->code;
        has_element |= element != FBX_NONE;
    }
    slot.property = SLOTS[0].property;
    return has_element ? 0 : link_element(&slot, FBX_NONE, material, err);
}

static int link_model(struct fbx_scene *scene, uint32_t model, struct err *err)
{
    const uint32_t record = scene->objects[model].record;
    struct list textures = children_of(scene, model, "Texture"), materials = children_of(scene, model, "Material");
    int rc = 0;
    if (textures.count > 0 && materials.count > 0) {
        struct choice material = {0};
        rc = read_choice(scene, fbx_child(&scene->file, record, "LayerElementMaterial"), "Materials", &material, err);
        if (rc == 0)
            rc = link_slots(scene, record, &textures, &materials, &material, err);
        free(material.indices);
    }
    free(textures.objects);
    free(materials.objects);
    return rc;
}

int fbx_link_textures(struct fbx_scene *scene, struct err *err)
{
    const uint32_t before = scene->link_count;
    for (uint32_t i = 0; i < scene->object_count; i++) {
        const uint32_t part = scene->objects[i].part;
        if (fbx_object_is(scene, part, "Geometry", "Mesh") && link_model(scene, i, err) < 0)
            return err->code;
    }
    if (scene->link_count > before)
        fbx_index_links(scene);
    return 0;
}
