/* Puts hashes of pixels, which are too large for lines. */
#include "clients/cli/model_text/model_text.h"

#include "clients/cli/moments/picture_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GLB_HEADER_BYTES = 12, CHUNK_HEADER_BYTES = 8 };

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

static void put_pixels_of(const struct glb *glb, double image, struct text *out)
{
    const double view = number_at(glb->json, "images", image, "bufferView");
    const double bytes = number_at(glb->json, "bufferViews", view, "byteLength");
    const double offset = fmax(number_at(glb->json, "bufferViews", view, "byteOffset"), 0);
    struct picture picture = {0};
    struct text problem = {0};
    if (bytes < 0 || offset + bytes > (double)glb->bin_bytes ||
        picture_read_alpha(glb->bin + (size_t)offset, (size_t)bytes, &picture, &problem) < 0)
        text_put(out, "?");
    else
        text_printf(
            out, " %016llx",
            (unsigned long long)hash_more(FNV_BASIS, picture.pixels, (size_t)4 * picture.width * picture.height));
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

void model_text_put_pixels(struct model_text *text)
{
    struct posed_packet answer;
    struct glb glb = {0};
    struct sorted_texts lines = {0};
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
        struct text line = {0};
        text_put(&line, "material ");
        model_text_put_name(&line, material);
        text_printf(&line, ": %s pixels", slot);
        put_pixels_of(&glb, image_of(&glb, material, slot), &line);
        text_put(&line, "\n");
        sorted_texts_take(&lines, &line);
    }
    sorted_texts_put(&lines, text->out);
    cJSON_Delete(glb.json);
}
