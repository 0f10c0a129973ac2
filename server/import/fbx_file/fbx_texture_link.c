/* fbx_texture_link.c - textures of files before 7.0, as the properties of materials that they are in 7.x.
 *
 * A Model has materials and textures, each in the order of its links; LayerElementTexture and its like say for each
 * polygon, or for all, which of the textures it has ("TextureId"), as LayerElementMaterial does for materials. A
 * material gets the texture of the first polygon that has both. */
#include "base/mem.h"
#include "import/fbx_file/fbx_scene_parts.h"

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

/* The children of a model that are of one kind, in the links' order. */
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

/* What an element says of the polygons: an index for each, or one for all (count 1, is_same). */
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

static int32_t chosen(const struct choice *choice, uint32_t polygon)
{
    const uint32_t at = choice->is_same ? 0 : polygon;
    return at < choice->count ? choice->indices[at] : choice->is_same && choice->count == 0 ? 0 : -1;
}

/* Links each material to the texture of its first polygon. */
static int link_slot(struct fbx_scene *scene, const char *property, const struct list *textures,
                     const struct list *materials, const struct choice *texture, const struct choice *material,
                     struct err *err)
{
    uint32_t polygons = 1;
    if (!texture->is_same)
        polygons = texture->count;
    else if (!material->is_same)
        polygons = material->count;
    bool *is_done = mem_zalloc(materials->count, sizeof *is_done);
    int rc = 0;
    for (uint32_t m = 0; m < materials->count && material->is_same && texture->is_same && rc == 0; m++) {
        const int32_t index = chosen(texture, 0); /* no polygon tells them apart */
        is_done[m] = true;
        if (index >= 0 && (uint32_t)index < textures->count)
            rc = fbx_add_link(scene,
                              &(struct fbx_link){textures->objects[index], materials->objects[m], fbx_span_of(property),
                                                 fbx_span_of("")},
                              err);
    }
    for (uint32_t p = 0; p < polygons && rc == 0; p++) {
        const int32_t m = chosen(material, p), t = chosen(texture, p);
        if (m < 0 || (uint32_t)m >= materials->count || is_done[m] || t < 0 || (uint32_t)t >= textures->count)
            continue;
        is_done[m] = true;
        rc = fbx_add_link(
            scene,
            &(struct fbx_link){textures->objects[t], materials->objects[m], fbx_span_of(property), fbx_span_of("")},
            err);
    }
    free(is_done);
    return rc;
}

static int link_slots(struct fbx_scene *scene, uint32_t record, const struct list *textures,
                      const struct list *materials, const struct choice *material, struct err *err)
{
    const struct fbx_file *file = &scene->file;
    bool has_any = false;
    int rc = 0;
    for (size_t i = 0; i < sizeof SLOTS / sizeof *SLOTS && rc == 0; i++) {
        const uint32_t element = fbx_child(file, record, SLOTS[i].element);
        const bool is_last = i + 1 == sizeof SLOTS / sizeof *SLOTS;
        const bool is_needed = is_last && !has_any && element == FBX_NONE; /* no element: the first is for all */
        if (element == FBX_NONE && !is_needed)
            continue;
        struct choice texture = {0};
        rc = read_choice(scene, element, "TextureId", &texture, err);
        if (rc == 0)
            rc = link_slot(scene, SLOTS[is_needed ? 0 : i].property, textures, materials, &texture, material, err);
        free(texture.indices);
        has_any = true;
    }
    return rc;
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
