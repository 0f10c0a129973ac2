/* Makes the files of --pose layers of the request: pose_option.h. */
#include "clients/cli/pose/pose_option.h"

#include "clients/cli/output/json.h"
#include "clients/cli/output/terminal.h"
#include "clients/cli/pose/pose_file.h"
#include "clients/cli/pose/pose_motion.h"

#include <stdlib.h>
#include <string.h>

/* The longest body that a server takes by default. */
enum { BODY_BYTES_MAX = 1 << 20 };

/* The parameters of a clip, which stand in its layer where there are layers. */
static const char *const OF_CLIP[] = {"clip", "clip_name", "from", "to", "fps", "speed", "phase"};
enum { OF_CLIP_COUNT = sizeof OF_CLIP / sizeof *OF_CLIP };

/* Appends a layer of the clip of convert --clips. A file stays there, whose first clip it is. */
static void put_converted_clip(struct args *args, struct text *layers)
{
    const char *clip = args_parameter(args, "clips");
    const bool is_file = clip != NULL && strpbrk(clip, "/.*?[") != NULL;
    if (clip != NULL && !is_file) {
        text_put(layers, "{\"clip\":");
        pose_put_string(layers, clip);
        text_put(layers, "},");
        args_drop_parameter(args, "clips");
    } else if (is_file || args_parameter(args, "clip_file") != NULL)
        text_put(layers, "{},");
}

/* Appends a layer of the clip that the command line names, if it does. */
static void put_clip(struct args *args, struct text *layers)
{
    if (args->command == COMMAND_CONVERT) {
        put_converted_clip(args, layers);
        return;
    }
    bool has_any = args_parameter(args, "clip_file") != NULL;
    struct text members = {0};
    text_put(&members, "");
    for (size_t i = 0; i < OF_CLIP_COUNT; i++) {
        const char *value = args_parameter(args, OF_CLIP[i]);
        if (value == NULL)
            continue;
        text_printf(&members, "%s\"%s\":", members.size_bytes == 0 ? "" : ",", OF_CLIP[i]);
        pose_put_string(&members, value);
        args_drop_parameter(args, OF_CLIP[i]);
        has_any = true;
    }
    if (has_any)
        text_printf(layers, "{%s},", members.at);
    text_free(&members);
}

/* Appends the layers of --layers. */
static int put_given(struct args *args, const char *given, struct text *layers, struct text *problem)
{
    cJSON *json = cJSON_ParseWithOpts(given, NULL, 1);
    const bool is_list = cJSON_IsArray(json), is_empty = is_list && json->child == NULL;
    cJSON_Delete(json);
    if (!is_list) {
        text_put(problem, "--layers takes a list of layers as JSON");
        return -1;
    }
    const char *first = strchr(given, '[') + 1, *last = strrchr(given, ']');
    text_put_bytes(layers, first, (size_t)(last - first));
    text_put(layers, is_empty ? "" : ",");
    args_drop_parameter(args, "layers");
    return 0;
}

static int put_files(const struct args *args, struct text *layers, struct text *problem)
{
    const struct pose_words words = {args_text(args, OPTION_POSE_WEIGHT, NULL),
                                     args_text(args, OPTION_POSE_MODE, NULL)};
    bool is_first = true, has_stdin = false;
    for (size_t i = 0; i < args->repeated_count; i++) {
        const char *file = args->repeated[i].value;
        if (args->repeated[i].option != OPTION_POSE)
            continue;
        if (strcmp(file, "-") == 0 && has_stdin) {
            text_put(problem, "--pose: - is given twice, and stdin is one file");
            return -1;
        }
        has_stdin = has_stdin || strcmp(file, "-") == 0;
        text_put(layers, is_first ? "" : ",");
        is_first = false;
        if (pose_file_put(file, &words, layers, problem) < 0)
            return -1;
    }
    return 0;
}

int pose_option_read(struct args *args, struct text *problem)
{
    struct text layers = {0};
    const char *given = args_parameter(args, "layers");
    if (!args_has(args, OPTION_POSE)) {
        const bool has_weight = args_has(args, OPTION_POSE_WEIGHT);
        if (!has_weight && !args_has(args, OPTION_POSE_MODE))
            return 0;
        text_printf(problem, "--pose-%s is about a pose: give --pose FILE", has_weight ? "weight" : "mode");
        return -1;
    }
    text_put(&layers, "[");
    if (given == NULL)
        put_clip(args, &layers);
    int rc = given == NULL ? 0 : put_given(args, given, &layers, problem);
    if (rc == 0)
        rc = put_files(args, &layers, problem);
    text_put(&layers, "]");
    if (rc == 0 && layers.size_bytes > BODY_BYTES_MAX) {
        text_printf(problem,
                    "--pose: the layers are %zu bytes of JSON, and a request has at most %d: give fewer frames or "
                    "nodes",
                    layers.size_bytes, BODY_BYTES_MAX);
        rc = -1;
    }
    if (rc == 0)
        args_give_json(args, "layers", layers.at);
    text_free(&layers);
    return rc;
}

void pose_option_explain(const struct args *args, const char *message)
{
    struct text files = {0};
    for (size_t i = 0; strncmp(message, "layers[", strlen("layers[")) == 0 && i < args->repeated_count; i++)
        if (args->repeated[i].option == OPTION_POSE)
            text_printf(&files, "%s'%s'", files.size_bytes == 0 ? "" : ", ", args->repeated[i].value);
    if (files.size_bytes > 0)
        terminal_info("the last layers are those of --pose: %s", files.at);
    text_free(&files);
}
