/* Puts materials, and how they use textures. */
#include "clients/cli/model_text/model_text.h"

#include <string.h>

enum { COLOR_DECIMALS = 3 };

static void put_numbers(struct text *out, const char *what, const cJSON *value)
{
    const cJSON *entry;
    text_put(out, what);
    if (cJSON_IsNumber(value))
        rounded_put(out, value->valuedouble, COLOR_DECIMALS);
    cJSON_ArrayForEach(entry, value) rounded_put(out, cJSON_GetNumberValue(entry), COLOR_DECIMALS);
}

static void put_texture(const struct model_text *text, const cJSON *use, struct text *out)
{
    static const char *const WORDS[] = {"wrap_s", "wrap_t", "mag_filter", "min_filter"};
    const cJSON *index = json_get(use, "texture");
    const cJSON *texture =
        cJSON_IsNumber(index) ? cJSON_GetArrayItem(json_get(text->model, "textures"), index->valueint) : NULL;
    const char *uri = member_text(texture, "uri");
    text_put_printable(out, uri[0] == '\0' ? "(embedded)" : uri);
    text_put(out, " ");
    text_put_printable(out, member_text(texture, "state"));
    text_printf(out, ", %.0f x %.0f", member_number(texture, "width"), member_number(texture, "height"));
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++) {
        text_put(out, i % 2 == 0 ? ", " : " ");
        text_put_printable(out, member_text(texture, WORDS[i]));
    }
    text_printf(out, ", set %.0f", member_number(use, "texcoord_set"));
    put_numbers(out, ", uv", json_get(use, "uv_from_texcoord"));
}

/* Puts a line for each extension of the material. */
static void put_layers(const cJSON *material, struct text *out)
{
    const cJSON *extension, *number;
    cJSON_ArrayForEach(extension, json_get(material, "extensions"))
    {
        text_put(out, "material ");
        model_text_put_name(out, material);
        text_put(out, ": ");
        text_put_printable(out, extension->string);
        cJSON_ArrayForEach(number, extension)
        {
            text_put(out, number == extension->child ? " " : ", ");
            text_put_printable(out, number->string);
            put_numbers(out, "", number);
        }
        text_put(out, "\n");
    }
}

static void put_material(const struct model_text *text, const cJSON *material, struct text *out)
{
    static const char *const NUMBERS[][2] = {
        {": base_color", "base_color"},     {", metallic", "metallic"},
        {", roughness", "roughness"},       {", emissive", "emissive"},
        {", normal_scale", "normal_scale"}, {", occlusion_strength", "occlusion_strength"}};
    const cJSON *use;
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
    put_layers(material, out);
    cJSON_ArrayForEach(use, json_get(material, "textures"))
    {
        text_put(out, "material ");
        model_text_put_name(out, material);
        text_put(out, ": ");
        text_put_printable(out, use->string);
        text_put(out, " texture ");
        put_texture(text, use, out);
        text_put(out, "\n");
    }
}

void model_text_put_materials(struct model_text *text)
{
    struct sorted_texts lines = {0};
    const cJSON *material;
    cJSON_ArrayForEach(material, json_get(text->model, "materials"))
    {
        struct text own = {0};
        put_material(text, material, &own);
        sorted_texts_take(&lines, &own);
    }
    sorted_texts_put(&lines, text->out);
}
