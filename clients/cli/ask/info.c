/* posectl info: what is in a model, for people. */
#include "clients/cli/ask/commands.h"
#include "clients/cli/ask/command_context.h"
#include "clients/cli/output/output.h"
#include "clients/cli/output/terminal.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

enum { NAME_COLUMNS_MAX = 40 };

static const cJSON *get(const cJSON *json, const char *name) { return cJSON_GetObjectItemCaseSensitive(json, name); }
static double number_of(const cJSON *json, const char *name) { return cJSON_GetNumberValue(get(json, name)); }
static const char *text_of(const cJSON *json, const char *name, const char *fallback)
{
    const char *text = cJSON_GetStringValue(get(json, name));
    return text == NULL ? fallback : text;
}

static size_t name_columns(const cJSON *list)
{
    size_t columns = 4;
    const cJSON *entry;
    cJSON_ArrayForEach(entry, list)
    {
        const size_t name = text_columns(text_of(entry, "name", "-"));
        columns = name > columns ? name : columns;
    }
    return columns > NAME_COLUMNS_MAX ? NAME_COLUMNS_MAX : columns;
}

static void put_heading(struct text *out, const char *heading, size_t columns)
{
    text_printf(out, "\n  %s", colour(COLOUR_DIM));
    text_put_column(out, heading, columns);
    text_put(out, colour(COLOUR_NONE));
}

static void put_clips(struct text *out, const cJSON *clips)
{
    const size_t columns = name_columns(clips);
    const cJSON *clip;
    if (cJSON_GetArraySize(clips) == 0)
        return;
    put_heading(out, "clip", columns + 7);
    text_printf(out, "%s  seconds  channels    keys%s\n", colour(COLOUR_DIM), colour(COLOUR_NONE));
    cJSON_ArrayForEach(clip, clips)
    {
        text_printf(out, "  %5.0f  ", number_of(clip, "index"));
        text_put_column(out, text_of(clip, "name", "-"), columns);
        text_printf(out, "  %7.3f  %8.0f  %6.0f\n", number_of(clip, "duration"), number_of(clip, "channels"),
                    number_of(clip, "keys"));
    }
}

static void put_skins(struct text *out, const cJSON *skins)
{
    const size_t columns = name_columns(skins);
    const cJSON *skin;
    bool has_head = false;
    cJSON_ArrayForEach(skin, skins)
    {
        if (cJSON_IsTrue(get(skin, "rigid")))
            continue;
        if (!has_head) {
            put_heading(out, "skin", columns + 7);
            text_printf(out, "%s   joints%s\n", colour(COLOUR_DIM), colour(COLOUR_NONE));
            has_head = true;
        }
        text_printf(out, "  %5.0f  ", number_of(skin, "index"));
        text_put_column(out, text_of(skin, "name", "-"), columns);
        text_printf(out, "  %7d\n", cJSON_GetArraySize(get(skin, "joints")));
    }
}

static void put_meshes(struct text *out, const cJSON *meshes)
{
    const size_t columns = name_columns(meshes);
    const cJSON *mesh, *primitive;
    if (cJSON_GetArraySize(meshes) == 0)
        return;
    put_heading(out, "mesh", columns + 7);
    text_printf(out, "%s vertices  influences  morph targets%s\n", colour(COLOUR_DIM), colour(COLOUR_NONE));
    cJSON_ArrayForEach(mesh, meshes)
    {
        double vertices = 0, influences = 0, targets = 0;
        cJSON_ArrayForEach(primitive, get(mesh, "primitives"))
        {
            vertices += number_of(primitive, "vertices");
            influences = fmax(influences, number_of(primitive, "influences_max"));
            targets = fmax(targets, number_of(primitive, "morph_targets"));
        }
        text_printf(out, "  %5.0f  ", number_of(mesh, "index"));
        text_put_column(out, text_of(mesh, "name", "-"), columns);
        text_printf(out, "  %7.0f  %10.0f  %13.0f\n", vertices, influences, targets);
    }
}

static void put_textures(struct text *out, const cJSON *textures)
{
    const cJSON *texture;
    if (cJSON_GetArraySize(textures) == 0)
        return;
    put_heading(out, "texture", 0);
    text_put(out, "\n");
    cJSON_ArrayForEach(texture, textures)
    {
        const char *uri = text_of(texture, "uri", ""), *state = text_of(texture, "state", "");
        const bool is_found = strcmp(state, "found") == 0;
        text_printf(out, "  %5.0f  %s", number_of(texture, "index"), is_found ? "" : colour(COLOUR_RED));
        text_put_column(out, state, 9);
        text_put(out, is_found ? "" : colour(COLOUR_NONE));
        if (is_found)
            text_printf(out, "%4.0f x %-4.0f  ", number_of(texture, "width"), number_of(texture, "height"));
        text_put_printable(out, uri[0] == '\0' ? "(embedded)" : uri);
        text_put(out, "\n");
    }
}

static void put_model(struct text *out, const cJSON *model)
{
    const cJSON *counts = get(model, "counts"), *bounds = get(model, "bounds"), *warning;
    text_put(out, colour(COLOUR_BOLD));
    text_put_printable(out, text_of(model, "model", ""));
    text_printf(out, "%s  ", colour(COLOUR_NONE));
    text_put_printable(out, text_of(model, "format", ""));
    if (text_of(model, "generator", NULL) != NULL) {
        text_put(out, ", ");
        text_put_printable(out, text_of(model, "generator", ""));
    }
    text_printf(out, "\n  %.0f nodes, %.0f joints, %.0f vertices, %.0f triangles", number_of(counts, "nodes"),
                number_of(counts, "joints"), number_of(counts, "vertices"), number_of(counts, "triangles"));
    if (cJSON_IsObject(bounds)) {
        double size[3];
        for (int i = 0; i < 3; i++)
            size[i] = cJSON_GetNumberValue(cJSON_GetArrayItem(get(bounds, "max"), i)) -
                      cJSON_GetNumberValue(cJSON_GetArrayItem(get(bounds, "min"), i));
        text_printf(out, ", %.4g x %.4g x %.4g", size[0], size[1], size[2]);
        if (cJSON_IsNumber(get(model, "unit_m")))
            text_printf(out, " units of %g m", number_of(model, "unit_m"));
    }
    text_printf(out, "\n  %shash %s%s\n", colour(COLOUR_DIM), text_of(model, "hash", ""), colour(COLOUR_NONE));
    put_clips(out, get(model, "clips"));
    put_skins(out, get(model, "skins"));
    put_meshes(out, get(model, "meshes"));
    put_textures(out, get(model, "textures"));
    if (cJSON_GetArraySize(get(model, "warnings")) > 0)
        text_put(out, "\n");
    cJSON_ArrayForEach(warning, get(model, "warnings"))
    {
        text_printf(out, "  %s%s%s: ", colour(COLOUR_YELLOW), text_of(warning, "code", ""), colour(COLOUR_NONE));
        text_put_printable(out, text_of(warning, "message", ""));
        text_put(out, "\n");
    }
}

/* Adds what there is to say of a model. */
static int show(const struct args *args, struct command_context *one, const char *name, bool has_others,
                struct text *out)
{
    struct posed_packet answer;
    struct text target = {0};
    text_put(&target, "/v1/model?model=");
    text_put_url(&target, name);
    args_put_query(args, &target);
    const int status = connection_request_or_report(&one->link, target.at, NULL, &answer);
    text_free(&target);
    if (status != STATUS_DONE)
        return status;
    if (terminal.is_json || args_has(args, OPTION_FILE)) {
        text_put_bytes(out, (const char *)answer.data, answer.data_bytes);
        return STATUS_DONE;
    }
    cJSON *model = cJSON_ParseWithLength((const char *)answer.data, answer.data_bytes);
    text_put(out, has_others ? "\n" : "");
    put_model(out, model);
    cJSON_Delete(model);
    return STATUS_DONE;
}

int run_info(const struct args *args)
{
    struct command_context one;
    struct text out = {0};
    int status = context_open(&one, args, SIZE_MAX);
    const char *file = args_text(args, OPTION_FILE, "-");
    for (size_t i = 0; status < STATUS_USAGE && i < one.places.count && !is_interrupted(); i++) {
        const int shown = show(args, &one, one.places.place[i].path, i > 0, &out);
        const bool is_due = strcmp(file, "-") == 0 || i + 1 == one.places.count; /* a file is written once */
        const int given = is_due && out.size_bytes > 0 ? output_give(file, out.at, out.size_bytes) : STATUS_DONE;
        if (is_due)
            text_free(&out);
        status = shown > status ? shown : status;
        status = given > status ? given : status;
    }
    text_free(&out);
    context_close(&one);
    return status;
}
