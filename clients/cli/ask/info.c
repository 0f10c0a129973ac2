/* posectl info: prints the contents of a model for people. */
#include "clients/cli/command_line/commands.h"
#include "clients/cli/output/json.h"
#include "clients/cli/output/output.h"
#include "clients/cli/output/terminal.h"
#include "clients/cli/server/command_context.h"

#include <math.h>
#include <string.h>

static void put_heading(struct text *out, const char *heading, size_t columns)
{
    text_printf(out, "\n  %s", colour(COLOUR_DIM));
    text_put_column(out, heading, columns);
    text_put(out, colour(COLOUR_NONE));
}

static void put_clips(struct text *out, const cJSON *clips)
{
    const size_t columns = json_name_columns(clips);
    const cJSON *clip;
    if (cJSON_GetArraySize(clips) == 0)
        return;
    put_heading(out, "clip", columns + 7);
    text_printf(out, "%s  seconds  channels    keys  palettes%s\n", colour(COLOUR_DIM), colour(COLOUR_NONE));
    cJSON_ArrayForEach(clip, clips)
    {
        text_printf(out, "  %5.0f  ", member_number(clip, "index"));
        text_put_column(out, json_name(clip), columns);
        text_printf(out, "  %7.3f  %8.0f  %6.0f  ", member_number(clip, "duration"), member_number(clip, "channels"),
                    member_number(clip, "keys"));
        text_put_printable(out, member_text(clip, "evaluation"));
        text_put(out, "\n");
    }
}

static void put_skins(struct text *out, const cJSON *skins)
{
    const size_t columns = json_name_columns(skins);
    const cJSON *skin;
    bool has_head = false;
    cJSON_ArrayForEach(skin, skins)
    {
        if (cJSON_IsTrue(json_get(skin, "rigid")))
            continue;
        if (!has_head) {
            put_heading(out, "skin", columns + 7);
            text_printf(out, "%s   joints%s\n", colour(COLOUR_DIM), colour(COLOUR_NONE));
            has_head = true;
        }
        text_printf(out, "  %5.0f  ", member_number(skin, "index"));
        text_put_column(out, json_name(skin), columns);
        const char *method = member_text(skin, "method"); /* only skins that are not linear have it */
        text_printf(out, "  %7d%s", cJSON_GetArraySize(json_get(skin, "joints")), method[0] == 0 ? "" : "  ");
        text_put_printable(out, method);
        text_put(out, "\n");
    }
}

static void put_meshes(struct text *out, const cJSON *meshes)
{
    const size_t columns = json_name_columns(meshes);
    const cJSON *mesh, *primitive;
    if (cJSON_GetArraySize(meshes) == 0)
        return;
    put_heading(out, "mesh", columns + 7);
    text_printf(out, "%s vertices  influences  morph targets%s\n", colour(COLOUR_DIM), colour(COLOUR_NONE));
    cJSON_ArrayForEach(mesh, meshes)
    {
        double vertices = 0, influences = 0, targets = 0;
        cJSON_ArrayForEach(primitive, json_get(mesh, "primitives"))
        {
            vertices += member_number(primitive, "vertices");
            influences = fmax(influences, member_number(primitive, "influences_max"));
            targets = fmax(targets, member_number(primitive, "morph_targets"));
        }
        text_printf(out, "  %5.0f  ", member_number(mesh, "index"));
        text_put_column(out, json_name(mesh), columns);
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
        const char *uri = member_text(texture, "uri"), *state = member_text(texture, "state");
        const bool is_found = strcmp(state, "found") == 0;
        text_printf(out, "  %5.0f  %s", member_number(texture, "index"), is_found ? "" : colour(COLOUR_RED));
        text_put_column(out, state, 9);
        text_put(out, is_found ? "" : colour(COLOUR_NONE));
        if (is_found)
            text_printf(out, "%4.0f x %-4.0f  ", member_number(texture, "width"), member_number(texture, "height"));
        text_put_printable(out, uri[0] == '\0' ? "(embedded)" : uri);
        text_put(out, "\n");
    }
}

/* "bones 93 % of a human by words; leftFoot is missing": what retargeting finds. */
static void put_bones(struct text *out, const cJSON *bones)
{
    const cJSON *role, *missing = json_get(bones, "missing");
    if (!cJSON_IsObject(bones))
        return;
    text_printf(out, "  bones %.0f %% of a human, by ", 100 * member_number(bones, "score"));
    text_put_printable(out, member_text(bones, "by"));
    text_put(out, cJSON_GetArraySize(missing) > 0 ? "; missing:" : "");
    cJSON_ArrayForEach(role, missing)
    {
        text_put(out, " ");
        text_put_printable(out, cJSON_GetStringValue(role));
    }
    text_put(out, "\n");
}

/* "3 expressions: blink, happy, lookLeft", and by what the gaze is seen. */
static void put_face(struct text *out, const cJSON *model)
{
    const cJSON *expressions = json_get(model, "expressions"), *gaze = json_get(model, "look_at"), *one;
    const int count = cJSON_GetArraySize(expressions);
    if (count > 0)
        text_printf(out, "  %d expression%s:", count, count == 1 ? "" : "s");
    cJSON_ArrayForEach(one, expressions)
    {
        text_put(out, one == expressions->child ? " " : ", ");
        text_put_printable(out, member_text(one, "name"));
    }
    text_put(out, count > 0 ? "\n" : "");
    if (cJSON_IsObject(gaze))
        text_printf(out, "  gaze %s\n",
                    json_get(gaze, "node") != NULL                   ? "is a direction"
                    : strcmp(member_text(gaze, "kind"), "bone") == 0 ? "turns the eyes"
                                                                     : "is shown by expressions");
}

/* "4 constraints of nodes: 1 aim, 2 roll, 1 rotation". */
static void put_constraints(struct text *out, const cJSON *constraints)
{
    static const char *const KINDS[] = {"aim", "roll", "rotation"};
    const int count = cJSON_GetArraySize(constraints);
    const char *separator = " ";
    if (count == 0)
        return;
    text_printf(out, "  %d constraint%s of nodes:", count, count == 1 ? "" : "s");
    for (size_t k = 0; k < sizeof KINDS / sizeof *KINDS; k++) {
        const cJSON *one;
        int of_kind = 0;
        cJSON_ArrayForEach(one, constraints) { of_kind += strcmp(member_text(one, "kind"), KINDS[k]) == 0; }
        if (of_kind == 0)
            continue;
        text_printf(out, "%s%d %s", separator, of_kind, KINDS[k]);
        separator = ", ";
    }
    text_put(out, "\n");
}

static void put_model(struct text *out, const cJSON *model)
{
    const cJSON *counts = json_get(model, "counts"), *bounds = json_get(model, "bounds"), *warning;
    text_put(out, colour(COLOUR_BOLD));
    text_put_printable(out, member_text(model, "model"));
    text_printf(out, "%s  ", colour(COLOUR_NONE));
    text_put_printable(out, member_text(model, "format"));
    if (member_text(model, "generator")[0] != '\0') {
        text_put(out, ", ");
        text_put_printable(out, member_text(model, "generator"));
    }
    text_printf(out, "\n  %.0f nodes, %.0f joints, %.0f vertices, %.0f triangles", member_number(counts, "nodes"),
                member_number(counts, "joints"), member_number(counts, "vertices"), member_number(counts, "triangles"));
    if (cJSON_IsObject(bounds)) {
        double size[3];
        for (int i = 0; i < 3; i++)
            size[i] = cJSON_GetNumberValue(cJSON_GetArrayItem(json_get(bounds, "max"), i)) -
                      cJSON_GetNumberValue(cJSON_GetArrayItem(json_get(bounds, "min"), i));
        text_printf(out, ", %.4g x %.4g x %.4g", size[0], size[1], size[2]);
        if (cJSON_IsNumber(json_get(model, "unit_m")))
            text_printf(out, " units of %g m", member_number(model, "unit_m"));
    }
    if (cJSON_IsNumber(json_get(model, "frame_rate")))
        text_printf(out, ", %g frames a second", member_number(model, "frame_rate"));
    text_printf(out, "\n  %shash ", colour(COLOUR_DIM));
    text_put_printable(out, member_text(model, "hash"));
    text_printf(out, "%s\n", colour(COLOUR_NONE));
    put_bones(out, json_get(model, "bones"));
    put_face(out, model);
    put_constraints(out, json_get(model, "constraints"));
    put_clips(out, json_get(model, "clips"));
    put_skins(out, json_get(model, "skins"));
    put_meshes(out, json_get(model, "meshes"));
    put_textures(out, json_get(model, "textures"));
    if (cJSON_GetArraySize(json_get(model, "warnings")) > 0)
        text_put(out, "\n");
    cJSON_ArrayForEach(warning, json_get(model, "warnings"))
    {
        text_printf(out, "  %s", colour(COLOUR_YELLOW));
        text_put_printable(out, member_text(warning, "code"));
        text_printf(out, "%s: ", colour(COLOUR_NONE));
        text_put_printable(out, member_text(warning, "message"));
        text_put(out, "\n");
    }
}

static int show(const struct args *args, struct command_context *context, size_t index, const char *query,
                struct text *out)
{
    struct posed_packet answer;
    const int rc = connection_request_model(&context->connection, "model", context->paths.arguments[index].path, query,
                                            NULL, &answer);
    if (rc != 0)
        return connection_status(&context->connection, rc);
    if (strcmp(args_text(args, OPTION_FILE, "-"), "-") != 0)
        text_put_bytes(out, (const char *)answer.data, answer.data_bytes);
    else if (terminal.is_json || args_has(args, OPTION_FILE))
        text_put_json(out, (const char *)answer.data, answer.data_bytes);
    if (terminal.is_json || args_has(args, OPTION_FILE))
        return STATUS_DONE;
    cJSON *model;
    if (connection_read_json(&context->connection, &answer, &model) != 0)
        return connection_status(&context->connection, POSED_E_PROTOCOL);
    text_put(out, index > 0 ? "\n" : "");
    put_model(out, model);
    cJSON_Delete(model);
    return STATUS_DONE;
}

int run_info(const struct args *args)
{
    struct command_context context = {0};
    struct text query = {0}, out = {0};
    int status = context_open_models(&context, args, SIZE_MAX, 1);
    const char *file = args_text(args, OPTION_FILE, "-");
    text_put(&query, "");
    args_put_query(args, &query);
    for (size_t i = 0; status < STATUS_USAGE && i < context.paths.count && !is_interrupted(); i++) {
        const int shown = show(args, &context, i, query.at, &out);
        const bool is_due = strcmp(file, "-") == 0 || i + 1 == context.paths.count; /* a file is written once */
        const int given = is_due && out.size_bytes > 0 ? output_give(file, out.at, out.size_bytes) : STATUS_DONE;
        if (is_due)
            text_free(&out);
        status = shown > status ? shown : status;
        status = given > status ? given : status;
    }
    text_free(&query);
    text_free(&out);
    context_close(&context);
    return status;
}
