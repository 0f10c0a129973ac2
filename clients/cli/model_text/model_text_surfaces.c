/* Puts meshes, materials and textures. Data too large for lines becomes a hash: of the exact vertices in the
 * file, of triangles, weights and pixels. */
#include "clients/cli/model_text/model_text.h"

#include "clients/cli/diff/picture_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLOR_DECIMALS = 4, GLB_HEADER_BYTES = 12, CHUNK_HEADER_BYTES = 8 };

/* FNV-1a, 64 bits (draft-eastlake-fnv). */
static const uint64_t FNV_BASIS = 0xcbf29ce484222325u;

static uint64_t hash_more(uint64_t hash, const void *bytes, size_t size_bytes)
{
    for (size_t i = 0; i < size_bytes; i++)
        hash = (hash ^ ((const uint8_t *)bytes)[i]) * 0x100000001b3u;
    return hash;
}

static void put_hash(struct text *out, const char *what, const void *bytes, size_t size_bytes)
{
    text_printf(out, "%s %016llx", what, (unsigned long long)hash_more(FNV_BASIS, bytes, size_bytes));
}

static void put_name_of(struct text *out, const cJSON *list, const cJSON *index)
{
    const cJSON *thing = cJSON_IsNumber(index) ? cJSON_GetArrayItem(list, index->valueint) : NULL;
    model_text_put_name(out, thing);
}

/* --- meshes --- */

static void put_meshes(const struct model_text *text)
{
    const cJSON *mesh, *primitive, *materials = json_get(text->model, "materials");
    cJSON_ArrayForEach(mesh, json_get(text->model, "meshes"))
    {
        int place = 0;
        cJSON_ArrayForEach(primitive, json_get(mesh, "primitives"))
        {
            text_printf(text->out, "mesh %.0f ", member_number(mesh, "index"));
            model_text_put_name(text->out, mesh);
            text_printf(text->out, ": primitive %d: ", place++);
            text_put_printable(text->out, member_text(primitive, "topology"));
            text_printf(text->out, ", %.0f vertices, %.0f indices, up to %.0f joints a vertex, ",
                        member_number(primitive, "vertices"), member_number(primitive, "indices"),
                        member_number(primitive, "influences_max"));
            text_printf(text->out, "%.0f morph targets, material ", member_number(primitive, "morph_targets"));
            put_name_of(text->out, materials, json_get(primitive, "material"));
            text_put(text->out, "\n");
        }
    }
}

/* Puts "body of hips: primitive 0". */
static void put_entry(const struct model_text *text, const struct posed_block *block)
{
    const bool is_node = block->node >= 0 && (size_t)block->node < text->node_count;
    const cJSON *mesh = is_node ? json_get(text->nodes[block->node], "mesh") : NULL;
    text_printf(text->out, "mesh %d ", cJSON_IsNumber(mesh) ? mesh->valueint : -1);
    put_name_of(text->out, json_get(text->model, "meshes"), mesh);
    text_printf(text->out, ": primitive %d of %s: ", block->primitive, is_node ? text->labels[block->node] : "-");
}

static void put_box(const struct model_text *text, const float *positions, size_t count)
{
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < 3; k++) {
            low[k] = fmin(low[k], (double)positions[3 * i + k]);
            high[k] = fmax(high[k], (double)positions[3 * i + k]);
        }
    text_put(text->out, "box");
    rounded_put_all(text->out, low, 3, text->place_decimals);
    text_put(text->out, " to");
    rounded_put_all(text->out, high, 3, text->place_decimals);
}

/* Puts a line for data that a primitive of a node, or a skin, has once. */
static void put_block(const struct model_text *text, const struct posed_frames *frames, uint32_t index)
{
    static const struct {
        int kind;
        const char *words;
    } HASHED[] = {{POSED_BLOCK_REST, ", vertices"},
                  {POSED_BLOCK_INDICES, "indices"},
                  {POSED_BLOCK_DUAL_WEIGHTS, "shares of dual quaternions"},
                  {POSED_BLOCK_JOINT_FROM_BIND, "inverse binds"}};
    const struct posed_block block = posed_frames_block(frames, index);
    const void *items = posed_frames_items(frames, index, 0);
    for (size_t i = 0; i < sizeof HASHED / sizeof *HASHED && items != NULL; i++) {
        if (HASHED[i].kind != block.kind)
            continue;
        if (block.kind == POSED_BLOCK_JOINT_FROM_BIND)
            text_printf(text->out, "skin %u: ", block.index);
        else
            put_entry(text, &block);
        if (block.kind == POSED_BLOCK_REST)
            put_box(text, items, block.count);
        put_hash(text->out, HASHED[i].words, items, (size_t)block.count * block.item_bytes);
        text_put(text->out, "\n");
    }
}

/* What moves the vertices of a primitive: blocks with the same index. */
struct influences {
    const struct posed_frames *frames;
    int firsts, joints; /* indices of blocks; -1: not seen yet */
};

/* Hashes which joints move each vertex, and how much. The order in the file does not count, nor do joints without
 * weight. */
static uint64_t hash_influences(const struct influences *influences, uint32_t weights_index)
{
    const struct posed_frames *frames = influences->frames;
    const uint32_t *firsts = posed_frames_integers(frames, (uint32_t)influences->firsts, 0);
    const uint32_t *joints = posed_frames_integers(frames, (uint32_t)influences->joints, 0);
    const float *weights = posed_frames_floats(frames, weights_index, 0);
    const uint32_t first_count = posed_frames_block(frames, (uint32_t)influences->firsts).count;
    const uint32_t joint_count = posed_frames_block(frames, (uint32_t)influences->joints).count;
    const uint32_t count = posed_frames_block(frames, weights_index).count;
    uint64_t hash = FNV_BASIS;
    for (uint32_t v = 0; firsts != NULL && joints != NULL && weights != NULL && v + 1 < first_count; v++) {
        uint64_t sum = 0;
        for (uint32_t i = firsts[v]; i < firsts[v + 1] && i < count && i < joint_count; i++) {
            uint32_t pair[2] = {joints[i]};
            memcpy(&pair[1], &weights[i], sizeof pair[1]);
            sum += weights[i] > 0 ? hash_more(FNV_BASIS, pair, sizeof pair) : 0;
        }
        hash = hash_more(hash, &sum, sizeof sum);
    }
    return hash;
}

static void put_influences(const struct model_text *text, struct influences *influences, uint32_t index)
{
    const struct posed_block block = posed_frames_block(influences->frames, index);
    if (block.kind == POSED_BLOCK_INFLUENCE_FIRSTS)
        influences->firsts = (int)index;
    if (block.kind == POSED_BLOCK_INFLUENCE_JOINTS)
        influences->joints = (int)index;
    if (block.kind != POSED_BLOCK_INFLUENCE_WEIGHTS || influences->firsts < 0 || influences->joints < 0)
        return;
    put_entry(text, &block);
    text_printf(text->out, "weights of joints %016llx\n", (unsigned long long)hash_influences(influences, index));
    influences->firsts = influences->joints = -1;
}

static void put_vertices(const struct model_text *text)
{
    struct posed_packet answer;
    struct posed_frames frames;
    if (connection_request_model(text->connection, "mesh", text->path, "&clip=-&rest=1&indices=1&weights=1&format=bin",
                                 NULL, &answer) != 0 ||
        answer.kind != POSED_FRAMES || posed_read_frames(answer.data, answer.data_bytes, &frames) < 0) {
        text_put(text->out, "mesh: vertices are not told: ");
        text_put_printable(text->out, text->connection->posed.error.message);
        text_put(text->out, "\n");
        return;
    }
    struct influences influences = {.frames = &frames, .firsts = -1, .joints = -1};
    for (uint32_t b = 0; b < frames.block_count; b++) {
        put_block(text, &frames, b);
        put_influences(text, &influences, b);
    }
}

/* --- materials --- */

static void put_numbers(struct text *out, const char *what, const cJSON *value)
{
    const cJSON *entry;
    text_put(out, what);
    if (cJSON_IsNumber(value))
        rounded_put(out, value->valuedouble, COLOR_DECIMALS);
    cJSON_ArrayForEach(entry, value) rounded_put(out, cJSON_GetNumberValue(entry), COLOR_DECIMALS);
}

static void put_texture(const struct model_text *text, const cJSON *use)
{
    static const char *const WORDS[] = {"wrap_s", "wrap_t", "mag_filter", "min_filter"};
    const cJSON *index = json_get(use, "texture");
    const cJSON *texture =
        cJSON_IsNumber(index) ? cJSON_GetArrayItem(json_get(text->model, "textures"), index->valueint) : NULL;
    const char *uri = member_text(texture, "uri");
    text_put_printable(text->out, uri[0] == '\0' ? "(embedded)" : uri);
    text_put(text->out, " ");
    text_put_printable(text->out, member_text(texture, "state"));
    text_printf(text->out, ", %.0f x %.0f", member_number(texture, "width"), member_number(texture, "height"));
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++) {
        text_put(text->out, i % 2 == 0 ? ", " : " ");
        text_put_printable(text->out, member_text(texture, WORDS[i]));
    }
    text_printf(text->out, ", set %.0f", member_number(use, "texcoord_set"));
    put_numbers(text->out, ", uv", json_get(use, "uv_from_texcoord"));
}

/* Puts a line for each extension of the material. */
static void put_layers(const struct model_text *text, const cJSON *material)
{
    const cJSON *extension, *number;
    cJSON_ArrayForEach(extension, json_get(material, "extensions"))
    {
        text_put(text->out, "material ");
        model_text_put_name(text->out, material);
        text_put(text->out, ": ");
        text_put_printable(text->out, extension->string);
        cJSON_ArrayForEach(number, extension)
        {
            text_put(text->out, number == extension->child ? " " : ", ");
            text_put_printable(text->out, number->string);
            put_numbers(text->out, "", number);
        }
        text_put(text->out, "\n");
    }
}

static void put_materials(const struct model_text *text)
{
    static const char *const NUMBERS[][2] = {
        {": base_color", "base_color"},     {", metallic", "metallic"},
        {", roughness", "roughness"},       {", emissive", "emissive"},
        {", normal_scale", "normal_scale"}, {", occlusion_strength", "occlusion_strength"}};
    struct text *out = text->out;
    const cJSON *material, *use;
    cJSON_ArrayForEach(material, json_get(text->model, "materials"))
    {
        text_put(out, "material ");
        model_text_put_name(out, material);
        for (size_t i = 0; i < sizeof NUMBERS / sizeof *NUMBERS; i++)
            put_numbers(out, NUMBERS[i][0], json_get(material, NUMBERS[i][1]));
        text_put(out, ", alpha ");
        text_put_printable(out, member_text(material, "alpha_mode"));
        if (strcmp(member_text(material, "alpha_mode"), "mask") == 0)
            put_numbers(out, " from", json_get(material, "alpha_cutoff"));
        text_put(out, cJSON_IsTrue(json_get(material, "double_sided")) ? ", double-sided" : "");
        text_put(out, cJSON_IsTrue(json_get(material, "unlit")) ? ", unlit\n" : "\n");
        put_layers(text, material);
        cJSON_ArrayForEach(use, json_get(material, "textures"))
        {
            text_put(out, "material ");
            model_text_put_name(out, material);
            text_put(out, ": ");
            text_put_printable(out, use->string);
            text_put(out, " texture ");
            put_texture(text, use);
            text_put(out, "\n");
        }
    }
}

/* --- pixels --- */

/* The server sends pixels in a GLB file, as PNG. */
struct glb {
    cJSON *json;
    const uint8_t *bin;
    size_t bin_bytes;
};

static uint32_t read_u32(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static bool open_glb(const uint8_t *data, size_t data_bytes, struct glb *glb)
{
    if (data_bytes < GLB_HEADER_BYTES + CHUNK_HEADER_BYTES || memcmp(data, "glTF", 4) != 0)
        return false;
    const uint8_t *json = data + GLB_HEADER_BYTES + CHUNK_HEADER_BYTES;
    const size_t json_bytes = read_u32(data + GLB_HEADER_BYTES), left = data_bytes - (size_t)(json - data);
    if (json_bytes > left)
        return false;
    glb->json = cJSON_ParseWithLength((const char *)json, json_bytes);
    if (left - json_bytes > CHUNK_HEADER_BYTES) {
        glb->bin = json + json_bytes + CHUNK_HEADER_BYTES;
        glb->bin_bytes = left - json_bytes - CHUNK_HEADER_BYTES;
    }
    return glb->json != NULL;
}

/* Returns the number `name` of entry `index` of the list, or -1. */
static double number_at(const cJSON *json, const char *list, double index, const char *name)
{
    const cJSON *entry = index >= 0 && index < 1e6 ? cJSON_GetArrayItem(json_get(json, list), (int)index) : NULL;
    const double number = member_number(entry, name);
    return number >= 0 ? number : -1;
}

static void put_pixels_of(const struct model_text *text, const struct glb *glb, double image)
{
    const double view = number_at(glb->json, "images", image, "bufferView");
    const double bytes = number_at(glb->json, "bufferViews", view, "byteLength");
    const double offset = fmax(number_at(glb->json, "bufferViews", view, "byteOffset"), 0);
    struct picture picture = {0};
    struct text problem = {0};
    if (bytes < 0 || offset + bytes > (double)glb->bin_bytes ||
        picture_read_alpha(glb->bin + (size_t)offset, (size_t)bytes, &picture, &problem) < 0)
        text_put(text->out, "?");
    else
        put_hash(text->out, "", picture.pixels, (size_t)4 * picture.width * picture.height);
    text_free(&problem);
    free(picture.pixels);
}

/* Returns true for "clearcoatRoughnessTexture" and "clearcoat_roughness". */
static bool is_of_slot(const char *member, const char *slot)
{
    for (; *slot != '\0'; member++) {
        const bool is_capital = *member >= 'A' && *member <= 'Z';
        if (is_capital && *slot++ != '_')
            return false;
        if (*slot++ != (is_capital ? *member - 'A' + 'a' : *member))
            return false;
    }
    return strcmp(member, "Texture") == 0;
}

/* Returns the image index of the texture that a material of the GLB file has in a slot. */
static double image_of(const struct glb *glb, const cJSON *material, const char *slot)
{
    static const char *const PLACES[][3] = {{"base_color", "pbrMetallicRoughness", "baseColorTexture"},
                                            {"metallic_roughness", "pbrMetallicRoughness", "metallicRoughnessTexture"},
                                            {"normal", NULL, "normalTexture"},
                                            {"occlusion", NULL, "occlusionTexture"},
                                            {"emissive", NULL, "emissiveTexture"}};
    for (size_t i = 0; i < sizeof PLACES / sizeof *PLACES; i++)
        if (strcmp(PLACES[i][0], slot) == 0) {
            const cJSON *holder = PLACES[i][1] == NULL ? material : json_get(material, PLACES[i][1]);
            return number_at(glb->json, "textures", member_number(json_get(holder, PLACES[i][2]), "index"), "source");
        }
    const cJSON *extension, *info;
    cJSON_ArrayForEach(extension, json_get(material, "extensions"))
    {
        cJSON_ArrayForEach(info, extension)
        {
            if (is_of_slot(info->string, slot))
                return number_at(glb->json, "textures", member_number(info, "index"), "source");
        }
    }
    return -1;
}

static void put_pixels(const struct model_text *text)
{
    struct posed_packet answer;
    struct glb glb = {0};
    const cJSON *use;
    if (cJSON_GetArraySize(json_get(text->model, "textures")) == 0 ||
        connection_request_model(text->connection, "mesh", text->path, "&clip=-&format=glb&textures=png", NULL,
                                 &answer) != 0 ||
        !open_glb(answer.data, answer.data_bytes, &glb))
        return;
    cJSON_ArrayForEach(use, json_get(json_get(json_get(glb.json, "asset"), "extras"), "textures"))
    {
        const char *slot = member_text(use, "slot");
        const double index = member_number(use, "material");
        if (strcmp(member_text(use, "state"), "embedded") != 0 || !(index >= 0 && index < 1e6))
            continue;
        const cJSON *material = cJSON_GetArrayItem(json_get(glb.json, "materials"), (int)index);
        text_put(text->out, "material ");
        model_text_put_name(text->out, material);
        text_printf(text->out, ": %s pixels", slot);
        put_pixels_of(text, &glb, image_of(&glb, material, slot));
        text_put(text->out, "\n");
    }
    cJSON_Delete(glb.json);
}

void model_text_put_surfaces(struct model_text *text)
{
    put_meshes(text);
    if (cJSON_GetArraySize(json_get(text->model, "meshes")) > 0)
        put_vertices(text);
    put_materials(text);
    put_pixels(text);
}
