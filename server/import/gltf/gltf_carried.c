/* gltf_carried.c - what the model keeps of a file only for files that are made of the model: copyright, extras, names,
 * scenes that are not shown, and extensions of protocol/carried.def, as the file's text without white space. */
#include "import/gltf/gltf.h"

#include "base/mem.h"
#include "import/gltf_file/json_span.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Members of an object to keep. */
enum { KEEP_NAME = 1, KEEP_EXTRAS = 2, KEEP_COPYRIGHT = 4, KEEP_SKELETON = 8 };

/* An object of the file, and its owner in the model. */
struct place {
    enum carry_owner owner;
    uint32_t index;
    unsigned keeps;
    char where[64]; /* "meshes[2]", "" for the document */
};

struct carrier {
    struct gltf *gltf;
    struct buf compact; /* one value without white space */
};

/* --- members --- */

/* Adds the text in carrier->compact as a member. */
static int put_compact(struct carrier *carrier, const struct place *place, const char *member, struct err *err)
{
    char where[160];
    const struct buf *compact = &carrier->compact;
    snprintf(where, sizeof where, "%s%s%.60s", place->where, place->where[0] == '\0' ? "" : ".", member);
    if (buf_failed(compact))
        return err_set(err, ERR_IMPORT_MEMORY, "the importer ran out of memory for %s", where);
    return import_add_carried(carrier->gltf->import, place->owner, place->index, member, compact->data,
                              compact->size_bytes, where, err);
}

static int put(struct carrier *carrier, const struct place *place, const char *member, struct json_span span,
               struct err *err)
{
    buf_clear(&carrier->compact);
    json_span_compact(&carrier->compact, span);
    return put_compact(carrier, place, member, err);
}

/* Adds extras without the members that posed writes. */
static int put_extras_of(struct carrier *carrier, const struct place *place, const cJSON *extras, struct json_span span,
                         struct err *err)
{
    if (place->owner != CARRY_ASSET && place->owner != CARRY_MESH)
        return put(carrier, place, "extras", span, err);
    if (!cJSON_IsObject(extras)) {
        import_drop(carrier->gltf->import, "extras", "extras that are no object", place->where);
        return 0;
    }
    const char *generator = json_text(json_member(carrier->gltf->root, "asset"), "generator");
    const bool is_posed = generator != NULL && strncmp(generator, "posed ", 6) == 0;
    struct buf *compact = &carrier->compact;
    struct json_walk walk;
    const cJSON *item;
    struct json_span value;
    buf_clear(compact);
    json_walk_init(&walk, extras, span);
    for (struct json_span name = json_walk_name(&walk); json_walk_next(&walk, &item, &value);
         name = json_walk_name(&walk)) {
        if (gltf_extra_is_own(place->owner, item->string)) {
            if (place->owner == CARRY_ASSET && !is_posed)
                import_drop(carrier->gltf->import, "extras", item->string, "asset.extras");
            continue;
        }
        buf_put_char(compact, compact->size_bytes == 0 ? '{' : ',');
        buf_put(compact, name.text, name.size_bytes);
        buf_put_char(compact, ':');
        json_span_compact(compact, value);
    }
    if (compact->size_bytes == 0)
        return 0;
    buf_put_char(compact, '}');
    return put_compact(carrier, place, "extras", err);
}

static int read_extensions(struct carrier *carrier, const struct place *place, const cJSON *extensions,
                           struct json_span span, struct err *err)
{
    struct json_walk walk;
    const cJSON *item;
    struct json_span value;
    int rc = 0;
    json_walk_init(&walk, extensions, span);
    while (rc == 0 && json_walk_next(&walk, &item, &value)) {
        if (gltf_extension_is_carried(item->string, place->owner) && cJSON_IsObject(item))
            rc = put(carrier, place, item->string, value, err);
        else if (!gltf_extension_is_read(item->string))
            import_drop(carrier->gltf->import, "extension", item->string, place->where);
    }
    return rc;
}

static int read_object(struct carrier *carrier, const struct place *place, const cJSON *object, struct json_span span,
                       struct err *err)
{
    struct json_walk walk;
    const cJSON *item;
    struct json_span value;
    int rc = 0;
    if (!cJSON_IsObject(object))
        return 0;
    json_walk_init(&walk, object, span);
    while (rc == 0 && json_walk_next(&walk, &item, &value)) {
        if (strcmp(item->string, "extensions") == 0 && cJSON_IsObject(item))
            rc = read_extensions(carrier, place, item, value, err);
        else if (strcmp(item->string, "extras") == 0 && (place->keeps & KEEP_EXTRAS) != 0)
            rc = put_extras_of(carrier, place, item, value, err);
        else if ((strcmp(item->string, "name") == 0 && (place->keeps & KEEP_NAME) != 0) ||
                 (strcmp(item->string, "copyright") == 0 && (place->keeps & KEEP_COPYRIGHT) != 0) ||
                 (strcmp(item->string, "skeleton") == 0 && (place->keeps & KEEP_SKELETON) != 0))
            rc = put(carrier, place, item->string, value, err);
    }
    return rc;
}

/* --- lists --- */

typedef int read_item(struct carrier *carrier, const struct place *place, const cJSON *item, struct json_span span,
                      struct err *err);

static int read_list(struct carrier *carrier, struct json_span root, enum gltf_list_id id, enum carry_owner owner,
                     unsigned keeps, read_item *read, struct err *err)
{
    const char *name = GLTF_LIST_NAMES[id];
    const cJSON *list = json_member(carrier->gltf->root, name), *item;
    struct json_walk walk;
    struct json_span span;
    int rc = 0;
    if (!json_span_member(carrier->gltf->root, root, list, &span))
        return 0;
    json_walk_init(&walk, list, span);
    for (uint32_t i = 0; rc == 0 && json_walk_next(&walk, &item, &span); i++) {
        struct place place = {.owner = owner, .index = i, .keeps = keeps};
        snprintf(place.where, sizeof place.where, "%s[%u]", name, i);
        rc = read(carrier, &place, item, span, err);
    }
    return rc;
}

/* The default scene is the model's; of the others the roots are kept too. */
static int read_scene(struct carrier *carrier, const struct place *place, const cJSON *item, struct json_span span,
                      struct err *err)
{
    const struct gltf *gltf = carrier->gltf;
    const int64_t shown = json_index(gltf->root, "scene");
    struct json_span nodes = {"[]", 2};
    if (place->index >= CARRIED_SCENES_MAX || shown >= CARRIED_SCENES_MAX) {
        import_drop(carrier->gltf->import, "scene", "scenes beyond the first 1024", "");
        return 0;
    }
    int rc = read_object(carrier, place, item, span, err);
    if (rc < 0 || place->index == (shown < 0 ? 0 : (uint32_t)shown))
        return rc;
    json_span_member(item, span, json_member(item, "nodes"), &nodes);
    return put(carrier, place, "nodes", nodes, err);
}

static int read_mesh(struct carrier *carrier, const struct place *place, const cJSON *item, struct json_span span,
                     struct err *err)
{
    const cJSON *list = json_member(item, "primitives"), *primitive;
    const uint32_t first = carrier->gltf->builder->meshes[place->index].primitive_first;
    struct json_span list_span, primitive_span;
    struct json_walk walk;
    int rc = read_object(carrier, place, item, span, err);
    if (rc < 0 || !json_span_member(item, span, list, &list_span))
        return rc;
    json_walk_init(&walk, list, list_span);
    for (uint32_t i = 0; rc == 0 && json_walk_next(&walk, &primitive, &primitive_span); i++) {
        struct place at = {.owner = CARRY_PRIMITIVE, .index = first + i, .keeps = KEEP_EXTRAS};
        snprintf(at.where, sizeof at.where, "meshes[%u].primitives[%u]", place->index, i);
        rc = read_object(carrier, &at, primitive, primitive_span, err);
    }
    return rc;
}

static struct json_span *find_listed(const struct carrier *carrier, struct json_span root, enum gltf_list_id id)
{
    const struct gltf *gltf = carrier->gltf;
    const cJSON *list = json_member(gltf->root, GLTF_LIST_NAMES[id]);
    struct json_span span = {NULL, 0};
    return json_span_items(json_span_member(gltf->root, root, list, &span) ? list : NULL, span, gltf->lists[id].count);
}

/* --- cameras and lights: the model has one for each node that has it, and each keeps the extras --- */

static int read_cameras(struct carrier *carrier, struct json_span root, struct err *err)
{
    const struct gltf *gltf = carrier->gltf;
    struct json_span *spans = find_listed(carrier, root, GLTF_CAMERAS);
    int rc = 0;
    for (uint32_t c = 0; c < gltf->builder->camera_count && rc == 0; c++) {
        const int64_t index = json_index(gltf_item(gltf, GLTF_NODES, gltf->builder->cameras[c].node), "camera");
        struct place place = {.owner = CARRY_CAMERA, .index = c, .keeps = KEEP_EXTRAS};
        snprintf(place.where, sizeof place.where, "cameras[%u]", (uint32_t)index);
        rc = read_object(carrier, &place, gltf_item(gltf, GLTF_CAMERAS, index), spans[index], err);
    }
    free(spans);
    return rc;
}

static int read_lights(struct carrier *carrier, struct json_span root, struct err *err)
{
    static const char NAME[] = "KHR_lights_punctual";
    const struct gltf *gltf = carrier->gltf;
    const cJSON *extensions = json_member(gltf->root, "extensions"), *extension = json_member(extensions, NAME);
    const cJSON *list = json_member(extension, "lights");
    struct json_span span = {NULL, 0};
    const bool is_found = json_span_member(gltf->root, root, extensions, &span) &&
                          json_span_member(extensions, span, extension, &span) &&
                          json_span_member(extension, span, list, &span);
    struct json_span *spans = json_span_items(is_found ? list : NULL, span, gltf->lights.count);
    int rc = 0;
    for (uint32_t l = 0; l < gltf->builder->light_count && rc == 0 && is_found; l++) {
        const cJSON *node = gltf_item(gltf, GLTF_NODES, gltf->builder->lights[l].node);
        const int64_t index = json_index(json_member(json_member(node, "extensions"), NAME), "light");
        struct place place = {.owner = CARRY_LIGHT, .index = l, .keeps = KEEP_EXTRAS};
        snprintf(place.where, sizeof place.where, "lights[%u]", (uint32_t)index);
        rc = read_object(carrier, &place, gltf->lights.items[index], spans[index], err);
    }
    free(spans);
    return rc;
}

/* --- textures, with their images and samplers --- */

/* Adds name and extras of an image or sampler to those of its texture: "image_name", "image_extras". */
static int put_part(struct carrier *carrier, const struct place *place, const char *part, const cJSON *object,
                    struct json_span span, struct err *err)
{
    static const char *const MEMBERS[] = {"name", "extras"};
    int rc = 0;
    for (size_t i = 0; i < sizeof MEMBERS / sizeof *MEMBERS && rc == 0; i++) {
        struct json_span value;
        char member[32];
        snprintf(member, sizeof member, "%s_%s", part, MEMBERS[i]);
        if (json_span_member(object, span, json_member(object, MEMBERS[i]), &value))
            rc = put(carrier, place, member, value, err);
    }
    return rc;
}

static int read_textures(struct carrier *carrier, struct json_span root, struct err *err)
{
    static const enum gltf_list_id LISTS[] = {GLTF_TEXTURES, GLTF_IMAGES, GLTF_SAMPLERS};
    static const char *const PARTS[] = {NULL, "image", "sampler"};
    const struct gltf *gltf = carrier->gltf;
    struct json_span *spans[3];
    uint8_t *is_done = mem_zalloc((size_t)gltf->builder->texture_count + 1, 1);
    int rc = 0;
    for (int i = 0; i < 3; i++)
        spans[i] = find_listed(carrier, root, LISTS[i]);
    for (uint32_t t = 0; t < gltf->lists[GLTF_TEXTURES].count && rc == 0; t++) {
        const cJSON *texture = gltf_item(gltf, GLTF_TEXTURES, t);
        const uint32_t made = gltf->model_textures == NULL ? 0 : gltf->model_textures[t];
        struct place place = {.owner = CARRY_TEXTURE, .index = made - 1, .keeps = KEEP_NAME | KEEP_EXTRAS};
        snprintf(place.where, sizeof place.where, "textures[%u]", t);
        if (made == 0)
            import_drop(carrier->gltf->import, "unused", "texture without a material that is drawn with it",
                        place.where);
        if (made == 0 || is_done[made - 1] != 0)
            continue;
        is_done[made - 1] = 1;
        rc = read_object(carrier, &place, texture, spans[0][t], err);
        const int64_t parts[] = {-1, gltf_texture_image(texture), json_index(texture, "sampler")};
        for (int i = 1; i < 3 && rc == 0; i++)
            if (parts[i] >= 0)
                rc = put_part(carrier, &place, PARTS[i], gltf_item(gltf, LISTS[i], parts[i]), spans[i][parts[i]], err);
    }
    for (int i = 0; i < 3; i++)
        free(spans[i]);
    free(is_done);
    return rc;
}

/* --- the document --- */

/* Which scene the model shows, if there are several. */
static int put_shown_scene(struct carrier *carrier, const struct place *place, struct err *err)
{
    const struct gltf *gltf = carrier->gltf;
    const int64_t shown = json_index(gltf->root, "scene");
    char text[24];
    if (gltf->lists[GLTF_SCENES].count < 2 || shown >= CARRIED_SCENES_MAX)
        return 0;
    const int size = snprintf(text, sizeof text, "%lld", shown < 0 ? 0LL : (long long)shown);
    return put(carrier, place, "scene", (struct json_span){text, (size_t)size}, err);
}

static int read_all(struct carrier *carrier, struct err *err)
{
    static const struct {
        enum gltf_list_id id;
        enum carry_owner owner;
        unsigned keeps;
        read_item *read;
    } LISTS[] = {{GLTF_SCENES, CARRY_SCENE, KEEP_NAME | KEEP_EXTRAS, read_scene},
                 {GLTF_NODES, CARRY_NODE, 0, read_object},
                 {GLTF_MESHES, CARRY_MESH, KEEP_EXTRAS, read_mesh},
                 {GLTF_SKINS, CARRY_SKIN, KEEP_EXTRAS | KEEP_SKELETON, read_object},
                 {GLTF_MATERIALS, CARRY_MATERIAL, 0, read_object}};
    struct gltf *gltf = carrier->gltf;
    const struct json_span root = json_span_of(gltf->json, gltf->json_bytes);
    const struct place document = {.owner = CARRY_DOCUMENT, .keeps = KEEP_EXTRAS},
                       asset = {.owner = CARRY_ASSET, .keeps = KEEP_COPYRIGHT | KEEP_EXTRAS, .where = "asset"};
    struct json_span span;
    int rc = read_object(carrier, &document, gltf->root, root, err);
    if (rc == 0)
        rc = put_shown_scene(carrier, &document, err);
    if (rc == 0 && json_span_member(gltf->root, root, json_member(gltf->root, "asset"), &span))
        rc = read_object(carrier, &asset, json_member(gltf->root, "asset"), span, err);
    for (size_t i = 0; i < sizeof LISTS / sizeof *LISTS && rc == 0; i++)
        rc = read_list(carrier, root, LISTS[i].id, LISTS[i].owner, LISTS[i].keeps, LISTS[i].read, err);
    if (rc < 0 || read_cameras(carrier, root, err) < 0 || read_lights(carrier, root, err) < 0 ||
        read_textures(carrier, root, err) < 0)
        return rc < 0 ? rc : err->code;
    return 0;
}

int gltf_read_carried(struct gltf *gltf, struct err *err)
{
    struct carrier carrier = {.gltf = gltf};
    buf_init(&carrier.compact, 2 * gltf->json_bytes + 1);
    const int rc = read_all(&carrier, err);
    buf_fini(&carrier.compact);
    gltf_drop_rest(gltf);
    return rc;
}
