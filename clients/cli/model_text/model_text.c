/* Puts the text of a model: first the model as a whole, then its parts. */
#include "clients/cli/model_text/model_text.h"

#include <math.h>

/* Returns the largest side of the box around the model. A model without vertices has the extent of its nodes. */
static double size_of(const struct model_text *text)
{
    const cJSON *bounds = json_get(text->model, "bounds");
    double size = 0;
    for (int i = 0; i < 3 && cJSON_IsObject(bounds); i++)
        size = fmax(size, cJSON_GetNumberValue(cJSON_GetArrayItem(json_get(bounds, "max"), i)) -
                              cJSON_GetNumberValue(cJSON_GetArrayItem(json_get(bounds, "min"), i)));
    for (size_t i = 0; i < 10 * text->node_count && !cJSON_IsObject(bounds); i += i % 10 == 2 ? 8 : 1)
        size = fmax(size, fabs(text->rest[i])); /* the three numbers of each translation */
    return size;
}

static void put_vector(struct text *out, const char *what, const cJSON *values, int decimals)
{
    const cJSON *value;
    if (!cJSON_IsArray(values))
        return;
    text_put(out, what);
    cJSON_ArrayForEach(value, values) rounded_put(out, cJSON_GetNumberValue(value), decimals);
}

static void put_head(const struct model_text *text)
{
    const cJSON *bounds = json_get(text->model, "bounds"), *variant;
    struct text *out = text->out;
    text_put(out, "format ");
    text_put_printable(out, member_text(text->model, "format"));
    text_put(out, "\n");
    put_vector(out, "axes: up", json_get(text->model, "up"), 4);
    put_vector(out, ", forward", json_get(text->model, "forward"), 4);
    text_put(out, cJSON_IsArray(json_get(text->model, "up")) ? "\n" : "");
    if (cJSON_IsNumber(json_get(text->model, "unit_m")))
        text_printf(out, "unit %.6g m\n", member_number(text->model, "unit_m"));
    if (cJSON_IsNumber(json_get(text->model, "frame_rate")))
        text_printf(out, "frame rate %.6g\n", member_number(text->model, "frame_rate"));
    if (cJSON_IsObject(bounds)) {
        put_vector(out, "box", json_get(bounds, "min"), text->place_decimals);
        put_vector(out, " to", json_get(bounds, "max"), text->place_decimals);
        text_put(out, "\n");
    }
    cJSON_ArrayForEach(variant, json_get(text->model, "variants"))
    {
        text_put(out, "variant ");
        text_put_printable(out, cJSON_IsString(variant) ? variant->valuestring : "-");
        text_put(out, "\n");
    }
}

static void put_warnings(const struct model_text *text)
{
    struct sorted_texts lines = {0};
    const cJSON *warning;
    cJSON_ArrayForEach(warning, json_get(text->model, "warnings"))
    {
        struct text line = {0};
        text_put(&line, "warning ");
        text_put_printable(&line, member_text(warning, "code"));
        text_put(&line, ": ");
        text_put_printable(&line, member_text(warning, "message"));
        text_put(&line, "\n");
        sorted_texts_take(&lines, &line);
    }
    sorted_texts_put(&lines, text->out);
}

int model_text_put(struct connection *connection, const char *path, struct text *out)
{
    cJSON *model;
    const int rc = connection_request_json(connection, "model", path, "", NULL, &model);
    if (rc != 0)
        return rc;
    struct model_text text = {.connection = connection, .path = path, .model = model, .out = out};
    model_text_find_nodes(&text);
    model_text_ask_rest(&text);
    text.place_decimals = rounded_place_decimals(size_of(&text));
    model_text_label_nodes(&text);
    put_head(&text);
    put_warnings(&text);
    model_text_put_nodes(&text);
    model_text_put_meshes(&text);
    model_text_put_materials(&text);
    model_text_put_pixels(&text);
    model_text_put_clips(&text);
    model_text_free_nodes(&text);
    cJSON_Delete(model);
    return 0;
}
