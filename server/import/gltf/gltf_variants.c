/* gltf_variants.c - KHR_materials_variants (Khronos): names of material variants, and a primitive's material in
 * each. */
#include "import/gltf/gltf.h"

#include "base/mem.h"

#include <stdlib.h>

static const cJSON *extension_of(const cJSON *object)
{
    return json_member(json_member(object, "extensions"), "KHR_materials_variants");
}

int gltf_read_variants(struct gltf *gltf, struct err *err)
{
    uint32_t count = 0;
    for (const cJSON *item = json_first(extension_of(gltf->root), "variants"); item != NULL; item = item->next) {
        if (count++ == VARIANTS_MAX)
            return err_set(err, ERR_MODEL_LIMIT, "the file has more than %d material variants", VARIANTS_MAX);
        const struct variant variant = {.name = bake_textz(gltf->builder, json_text(item, "name"))};
        if (import_put_variant(gltf->import, &variant, err) < 0)
            return err->code;
    }
    return 0;
}

/* The mappings: 1 + the material of each variant, or 0 if they do not name it. The first mapping counts. */
static int find_materials(const struct gltf *gltf, const cJSON *primitive, const char *where, uint32_t *materials,
                          struct err *err)
{
    uint32_t index = 0;
    for (const cJSON *item = json_first(extension_of(primitive), "mappings"); item != NULL; item = item->next, index++)
        for (const cJSON *variant = json_first(item, "variants"); variant != NULL; variant = variant->next) {
            const double number = variant->valuedouble;
            if (!(number >= 0 && number < gltf->builder->variant_count && number == (double)(uint32_t)number))
                return err_set(err, ERR_BAD_MODEL,
                               "%s.extensions.KHR_materials_variants.mappings[%u].variants has %.9g, but the file has "
                               "%u variants",
                               where, index, number, gltf->builder->variant_count);
            uint32_t *material = &materials[(uint32_t)number];
            if (*material == 0)
                *material = 1 + (uint32_t)json_index(item, "material");
        }
    return 0;
}

/* A primitive has at most two sets of texture coordinates. Materials that need other sets use these. */
static void join_texcoords(const struct gltf *gltf, uint32_t material, const char *where, struct texcoord_sets *sets)
{
    const struct texcoord_sets *of = &gltf->texcoords[material];
    for (int i = 0; i < 2; i++) {
        if (of->sets[i] < 0 || of->sets[i] == sets->sets[i])
            continue;
        if (sets->sets[i] < 0)
            sets->sets[i] = of->sets[i];
        else
            bake_warn(gltf->builder, "variant_texcoords",
                      "%s: the variant with materials[%u] wants TEXCOORD_%lld and is drawn with TEXCOORD_%lld", where,
                      material, (long long)of->sets[i], (long long)sets->sets[i]);
    }
}

int gltf_read_mappings(struct gltf *gltf, const cJSON *primitive, const char *where, struct texcoord_sets *sets,
                       struct err *err)
{
    const uint32_t count = gltf->builder->variant_count;
    if (extension_of(primitive) == NULL)
        return 0;
    uint32_t *materials = mem_zalloc((size_t)count + 1, sizeof *materials);
    int rc = find_materials(gltf, primitive, where, materials, err);
    for (uint32_t v = 0; v < count && rc == 0; v++) {
        if (materials[v] == 0)
            continue;
        const struct variant_material made = {
            .primitive = gltf->builder->primitive_count, .variant = v, .material = (int32_t)materials[v] - 1};
        join_texcoords(gltf, materials[v] - 1, where, sets);
        rc = import_put_variant_material(gltf->import, &made, err);
    }
    free(materials);
    return rc;
}
