/* gltf.c - import_gltf(): from a file's bytes to the builder, part by part (gltf.h). */
#include "import/gltf/gltf.h"

#include "import/gltf/gltf_buffer.h"
#include "import/gltf/gltf_glb.h"
#include "import/gltf/gltf_schema.h"

#include "base/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const GLTF_LIST_NAMES[GLTF_LIST_COUNT] = {
    [GLTF_SCENES] = "scenes",
    [GLTF_NODES] = "nodes",
    [GLTF_MESHES] = "meshes",
    [GLTF_SKINS] = "skins",
    [GLTF_ANIMATIONS] = "animations",
    [GLTF_ACCESSORS] = "accessors",
    [GLTF_BUFFER_VIEWS] = "bufferViews",
    [GLTF_BUFFERS] = "buffers",
    [GLTF_MATERIALS] = "materials",
    [GLTF_TEXTURES] = "textures",
    [GLTF_IMAGES] = "images",
    [GLTF_SAMPLERS] = "samplers",
    [GLTF_CAMERAS] = "cameras",
};

/* What a file may require. Others that it merely uses change nothing that is read here. */
static const char *const EXTENSIONS[] = {"KHR_mesh_quantization",      "KHR_materials_unlit",
                                         "KHR_texture_transform",      "KHR_materials_emissive_strength",
                                         "EXT_texture_webp",           "EXT_meshopt_compression",
                                         "KHR_draco_mesh_compression", "KHR_materials_pbrSpecularGlossiness"};

int gltf_alloc(void **out, uint64_t count, size_t item_bytes, struct err *err)
{
    *out = calloc(count == 0 ? 1 : (size_t)count, item_bytes);
    if (*out == NULL)
        return err_set(err, ERR_IMPORT_MEMORY, "the importer ran out of memory for %llu items of %zu bytes",
                       (unsigned long long)count, item_bytes);
    return 0;
}

int gltf_full(const struct gltf *gltf, struct err *err)
{
    return err_set(err, ERR_MODEL_LIMIT, "the baked model would be larger than %llu bytes or than memory allows",
                   (unsigned long long)gltf->builder->limit_bytes);
}

int gltf_limit(const struct gltf *gltf, enum limit limit, uint64_t have, uint64_t more, const char *where,
               struct err *err)
{
    const uint64_t most = gltf->import->limits->value[limit];
    if (have <= most && more <= most - have)
        return 0;
    const char *option = LIMIT_INFO[limit].option;
    return err_set(err, ERR_MODEL_LIMIT, "%s: the model would have more than %llu %s%s%s", where,
                   (unsigned long long)most, LIMIT_INFO[limit].unit, option[0] != '\0' ? ", --" : "", option);
}

struct str gltf_name(struct gltf *gltf, const cJSON *object, enum gltf_list_id list, uint32_t index)
{
    const char *name = json_text(object, "name");
    if (name != NULL && !utf8_is_valid(name, strlen(name)))
        bake_warn(gltf->builder, "name_repaired", "the name of %s[%u] is not UTF-8: '?' stands for its bad bytes",
                  GLTF_LIST_NAMES[list], index);
    return bake_textz(gltf->builder, name);
}

static int make_list(struct gltf *gltf, enum gltf_list_id id, struct err *err)
{
    struct gltf_list *list = &gltf->lists[id];
    const cJSON *array = json_member(gltf->root, GLTF_LIST_NAMES[id]);
    void *items;
    list->count = cJSON_IsArray(array) ? json_size(array) : 0;
    if (gltf_alloc(&items, list->count, sizeof *list->items, err) < 0)
        return err->code;
    list->items = items;
    const cJSON *item = list->count == 0 ? NULL : array->child;
    for (uint32_t i = 0; i < list->count; i++, item = item->next)
        list->items[i] = item;
    return 0;
}

/* glTF 1.0 has objects where 2.0 has arrays, so it is told apart before the schema sees it. */
static int check_version(const cJSON *root, struct err *err)
{
    const cJSON *asset = json_member(root, "asset");
    const cJSON *item = cJSON_IsObject(asset) ? json_member(asset, "version") : NULL;
    const char *version = cJSON_GetStringValue(item);
    const bool is_numeric_1 = cJSON_IsNumber(item) && item->valuedouble < 2;
    if (is_numeric_1 || (version != NULL && strncmp(version, "1.", 2) == 0) ||
        (version == NULL && cJSON_IsObject(json_member(root, "nodes"))))
        return err_set(err, ERR_NOT_A_MODEL, "the file is glTF 1.0; only glTF 2.0 is supported");
    if (version != NULL && strncmp(version, "2.", 2) != 0 && strcmp(version, "2") != 0)
        return err_set(err, ERR_NOT_A_MODEL, "asset.version is '%.20s'; only glTF 2.0 is supported", version);
    const char *least = cJSON_GetStringValue(cJSON_IsObject(asset) ? json_member(asset, "minVersion") : NULL);
    if (least != NULL && strcmp(least, "2.0") != 0)
        return err_set(err, ERR_NOT_A_MODEL, "asset.minVersion is '%.20s'; only glTF 2.0 is supported", least);
    return 0;
}

static bool is_known_extension(const char *name)
{
    for (size_t i = 0; i < sizeof EXTENSIONS / sizeof *EXTENSIONS; i++)
        if (strcmp(EXTENSIONS[i], name) == 0)
            return true;
    return false;
}

static int check_extensions(struct gltf *gltf, struct err *err)
{
    char names[200] = "";
    size_t size = 0;
    const cJSON *required = json_member(gltf->root, "extensionsRequired");
    for (const cJSON *item = required == NULL ? NULL : required->child; item != NULL; item = item->next) {
        if (is_known_extension(item->valuestring) || size >= sizeof names - 1)
            continue;
        const int n = snprintf(names + size, sizeof names - size, "%s%.60s", size > 0 ? ", " : "", item->valuestring);
        size += n < 0 ? 0 : (size_t)n;
    }
    if (size > 0)
        return err_set(err, ERR_UNSUPPORTED_EXTENSION, "the file requires %s, which this server does not have", names);
    const cJSON *used = json_member(gltf->root, "extensionsUsed");
    for (const cJSON *item = used == NULL ? NULL : used->child; item != NULL; item = item->next)
        if (!is_known_extension(item->valuestring) && !gltf_is_ignored_extension(item->valuestring))
            bake_warn(gltf->builder, "extension_ignored", "the extension %.100s is not used", item->valuestring);
    return 0;
}

/* From the file's bytes to gltf->root and gltf->bin. */
static int open_container(struct gltf *gltf, struct err *err)
{
    const struct import *import = gltf->import;
    const uint64_t depth = import->limits->value[LIMIT_JSON_DEPTH];
    if (!glb_is_glb(import->bytes, import->size_bytes)) {
        import->info->format = bake_textz(gltf->builder, "glTF 2.0");
        gltf->json = (const char *)import->bytes;
        gltf->json_bytes = import->size_bytes;
        return json_parse(import->bytes, import->size_bytes, depth, &gltf->root, err);
    }
    import->info->format = bake_textz(gltf->builder, "GLB 2.0");
    struct glb_chunks glb;
    if (glb_split(import->bytes, import->size_bytes, &glb, err) < 0)
        return err->code;
    if (glb.has_trailing_bytes)
        bake_warn(gltf->builder, "trailing_bytes", "the file is longer than its GLB header says: the rest is not read");
    gltf->bin = glb.bin;
    gltf->bin_bytes = glb.bin_bytes;
    gltf->json = (const char *)glb.json;
    gltf->json_bytes = glb.json_bytes;
    return json_parse(glb.json, glb.json_bytes, depth, &gltf->root, err);
}

static int open_document(struct gltf *gltf, struct err *err)
{
    if (open_container(gltf, err) < 0 || check_version(gltf->root, err) < 0)
        return err->code;
    for (int id = 0; id < GLTF_LIST_COUNT; id++)
        if (make_list(gltf, (enum gltf_list_id)id, err) < 0)
            return err->code;
    if (gltf_schema_check(gltf, err) < 0 || check_extensions(gltf, err) < 0)
        return err->code;
    /* glTF 2.0, 3.4: metres, +Y up, the front of an asset faces +Z. */
    struct model_info *info = gltf->import->info;
    info->generator = bake_textz(gltf->builder, json_text(json_member(gltf->root, "asset"), "generator"));
    info->flags = MODEL_HAS_UP | MODEL_HAS_FORWARD | MODEL_HAS_UNIT;
    info->up[0] = info->up[2] = info->forward[0] = info->forward[1] = 0;
    info->up[1] = info->forward[2] = info->unit_m = 1;
    return 0;
}

static int read_all(struct gltf *gltf, struct err *err)
{
    if (open_document(gltf, err) < 0 || gltf_buffers_new(gltf, err) < 0 || gltf_read_skins(gltf, err) < 0 ||
        gltf_read_nodes(gltf, err) < 0 || gltf_read_materials(gltf, err) < 0 || gltf_read_meshes(gltf, err) < 0 ||
        gltf_read_weights(gltf, err) < 0 || gltf_read_cameras(gltf, err) < 0 || gltf_read_animations(gltf, err) < 0)
        return err->code;
    return gltf_read_extras(gltf, err);
}

int import_gltf(struct import *import, struct err *err)
{
    struct err own = {0};
    struct gltf gltf = {.import = import, .builder = import->builder};
    int rc = read_all(&gltf, err != NULL ? err : &own);
    if (rc == 0 && import->builder->is_failed)
        rc = gltf_full(&gltf, err);
    gltf_buffers_free(&gltf);
    for (int id = 0; id < GLTF_LIST_COUNT; id++)
        free(gltf.lists[id].items);
    free(gltf.mesh_uses);
    free(gltf.times);
    free(gltf.values);
    free(gltf.deltas);
    free(gltf.texture_images);
    free(gltf.view_images);
    free(gltf.texcoords);
    texture_mixer_fini(&gltf.mixer);
    cJSON_Delete(gltf.root);
    return rc;
}
