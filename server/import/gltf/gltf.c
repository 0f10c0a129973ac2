/* gltf.c - import_gltf(): reads a file's bytes into the builder, part by part (gltf.h). */
#include "import/gltf/gltf.h"

#include "import/gltf/gltf_buffer.h"
#include "import/vrm/vrm.h"

#include <stdlib.h>
#include <string.h>

/* Recognises glTF 1.0, which has objects instead of arrays, before the schema check. */
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

/* Converts the file's bytes to gltf->root and gltf->bin. */
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
    if (open_container(gltf, err) < 0 || check_version(gltf->root, err) < 0 || gltf_schema_check(gltf, err) < 0 ||
        gltf_check_extensions(gltf, err) < 0)
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
        gltf_read_nodes(gltf, err) < 0 || gltf_read_materials(gltf, err) < 0)
        return err->code;
    gltf_warn_of_ignored(gltf);
    if (gltf_read_variants(gltf, err) < 0 || gltf_read_meshes(gltf, err) < 0 || gltf_read_weights(gltf, err) < 0 ||
        gltf_read_cameras(gltf, err) < 0 || gltf_read_lights(gltf, err) < 0 || gltf_read_animations(gltf, err) < 0 ||
        gltf_read_extras(gltf, err) < 0 || vrm_read(gltf->import, gltf->root, err) < 0 ||
        vrm_read_constraints(gltf->import, gltf->root, err) < 0 || gltf_read_carried(gltf, err) < 0 ||
        import_put_drops(gltf->import, err) < 0 || gltf_read_instances(gltf, err) < 0)
        return err->code;
    return gltf->builder->is_failed ? import_full(gltf->import, err) : 0;
}

int import_gltf(struct import *import, struct err *err)
{
    struct gltf gltf = {.import = import, .builder = import->builder};
    const int rc = read_all(&gltf, err);
    gltf_buffers_free(&gltf);
    for (int id = 0; id < GLTF_LIST_COUNT; id++)
        free(gltf.lists[id].items);
    free(gltf.mesh_uses);
    free(gltf.times);
    free(gltf.values);
    free(gltf.deltas);
    free(gltf.view_images);
    free(gltf.model_textures);
    free(gltf.animated_layers);
    free(gltf.lights.items);
    free(gltf.texcoords);
    texture_mixer_fini(&gltf.mixer);
    cJSON_Delete(gltf.root);
    return rc;
}
