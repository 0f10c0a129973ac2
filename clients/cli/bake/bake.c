/* posectl bake: chooses the kind of the files and writes them. */
#include "clients/cli/bake/bake_folder.h"

#include "clients/cli/command_line/commands.h"
#include "clients/cli/output/output.h"
#include "clients/cli/output/terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum kind { KIND_JSON, KIND_CSV, KIND_NPY, KIND_NPZ, KIND_C, KIND_PNG, KIND_POSED, KIND_COUNT };
static const char *const KINDS[KIND_COUNT] = {"json", "csv", "npy", "npz", "c", "png", "posed"};

static int kind_of(const char *word)
{
    for (int i = 0; i < KIND_COUNT; i++)
        if (strcasecmp(KINDS[i], word) == 0)
            return i;
    return -1;
}

/* --- what is asked for --- */

/* Returns the extension of a path, after its last dot, or "". */
static const char *extension_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash == NULL ? path : slash + 1, *dot = strrchr(base, '.');
    return dot == NULL || dot == base ? "" : dot + 1;
}

static bool is_folder(const char *path)
{
    struct stat info;
    return path[0] != '\0' && (path[strlen(path) - 1] == '/' || (stat(path, &info) == 0 && S_ISDIR(info.st_mode)));
}

/* Chooses by --as, else by the extension of -o. Returns -1 after printing the error. */
static int choose_kind(const struct args *args)
{
    const char *as = args_text(args, OPTION_AS, NULL), *file = args_text(args, OPTION_FILE, NULL);
    const bool has_extension = file != NULL && !is_folder(file) && extension_of(file)[0] != '\0';
    const int by_extension = has_extension ? kind_of(extension_of(file)) : -1;
    if (as == NULL && by_extension >= 0)
        return by_extension;
    if (as == NULL && has_extension) {
        terminal_error("bake writes .json, .csv, .npy, .npz, .c, .png and .posed, not '%s'", file);
        return -1;
    }
    if (as == NULL) {
        terminal_error(
            "what to write? --as json, csv, npy, npz, c or png, or -o FILE with such an extension, or .posed");
        return -1;
    }
    const int kind = kind_of(as);
    if (has_extension && by_extension != kind) {
        terminal_error("--as %s and -o '%s' contradict each other", as, file);
        return -1;
    }
    return kind;
}

/* Checks what several models cannot be written as. */
static int check_many(const struct args *args)
{
    const char *as = args_text(args, OPTION_AS, "npz"), *out = args_text(args, OPTION_FILE, "");
    if (strcmp(as, "npz") != 0)
        terminal_error("--as %s is for one model; of several, bake makes .npz files", as);
    else if (strcmp(out, "-") == 0 || (!is_folder(out) && kind_of(extension_of(out)) >= 0))
        terminal_error("several models need an output folder, not '%s': -o DIR", out);
    else
        return STATUS_DONE;
    return STATUS_USAGE;
}

/* Reports options that have no effect on files of this kind. */
static int check_options(const struct args *args, int kind)
{
    static const struct {
        enum option_id option;
        const char *kinds;
    } FOR[] = {{OPTION_BAKE_CLIPS, "json csv npy npz c png"},
               {OPTION_ONTO, "json csv npy npz c png"},
               {OPTION_BAKE_JOINTS, "json csv npy npz c"},
               {OPTION_SOCKET, "json csv npy npz c"},
               {OPTION_VALUES, "json csv npy npz c"}};
    for (size_t i = 0; i < sizeof FOR / sizeof *FOR; i++)
        if (args_has(args, FOR[i].option) && strstr(FOR[i].kinds, KINDS[kind]) == NULL) {
            terminal_error("--%s does not go with %s files", OPTIONS[FOR[i].option].name, KINDS[kind]);
            return STATUS_USAGE;
        }
    int status = bake_check_items(args);
    if (status == STATUS_DONE)
        status = bake_onto_check(args);
    if (status != STATUS_DONE)
        return status;
    const char *file = args_text(args, OPTION_FILE, "");
    const bool is_one_binary = kind == KIND_POSED || kind == KIND_NPZ;
    if (strcmp(file, "-") == 0 && kind != KIND_JSON && kind != KIND_CSV && !is_one_binary) {
        terminal_error("--as %s makes more than one file: they cannot go to stdout", KINDS[kind]);
        return STATUS_USAGE;
    }
    if (strcmp(file, "-") == 0 && is_one_binary && isatty(STDOUT_FILENO)) {
        terminal_error("refusing to write binary data to a terminal; redirect stdout or use -o FILE");
        return STATUS_USAGE;
    }
    return STATUS_DONE;
}

/* --- files --- */

/* Returns the path of all files without its extension: from -o FILE, from MODEL in the folder -o FOLDER, or from MODEL
 * in the current folder. */
static char *choose_stem(const struct args *args, const char *model)
{
    const char *given = args_text(args, OPTION_FILE, NULL);
    struct text stem = {0};
    if (given != NULL && !is_folder(given)) {
        const char *extension = extension_of(given);
        text_put_bytes(&stem, given, strlen(given) - (extension[0] == '\0' ? 0 : strlen(extension) + 1));
        return stem.at;
    }
    char *name = output_name(model, "");
    text_printf(&stem, "%s%s%s", given == NULL ? "" : given,
                given != NULL && given[strlen(given) - 1] != '/' ? "/" : "", name);
    free(name);
    return stem.at;
}

static struct bake_file *add_file(struct bake_file *files, size_t *count, const char *stem, const char *extension)
{
    struct text path = {0};
    struct bake_file *file = &files[(*count)++];
    text_printf(&path, "%s%s", stem, extension);
    file->path = path.at;
    text_put(&file->bytes, "");
    return file;
}

static int make_posed(struct bake *bake, struct text *out)
{
    struct posed_packet answer;
    struct text query = {0};
    text_put(&query, "&format=posed");
    if (args_has(bake->args, OPTION_BAKE_FPS)) {
        text_put(&query, "&fps=");
        bake_put_double(&query, args_number(bake->args, OPTION_BAKE_FPS, 0));
    }
    const int status =
        bake_answered(bake, connection_request_model(bake->connection, "export", bake->model, query.at, NULL, &answer));
    text_free(&query);
    if (status == STATUS_DONE)
        text_put_bytes(out, (const char *)answer.data, answer.data_bytes);
    return status;
}

static int make_table(struct bake *bake, int kind, const char *stem, struct bake_file *files, size_t *count)
{
    int status = bake_find_items(bake);
    if (status == STATUS_DONE)
        status = bake_sample(bake);
    if (status != STATUS_DONE || is_interrupted())
        return status;
    if (kind == KIND_JSON)
        bake_put_json(bake, &add_file(files, count, stem, ".json")->bytes);
    else if (kind == KIND_CSV)
        bake_put_csv(bake, &add_file(files, count, stem, ".csv")->bytes);
    else if (kind == KIND_NPY) {
        struct text *array = &add_file(files, count, stem, ".npy")->bytes;
        bake_put_npy(bake, array, &add_file(files, count, stem, ".npy.json")->bytes);
    } else if (kind == KIND_NPZ) {
        bake_put_npz(bake, &add_file(files, count, stem, ".npz")->bytes);
    } else {
        struct text *source = &add_file(files, count, stem, ".c")->bytes;
        struct bake_file *header = add_file(files, count, stem, ".h");
        bake_put_c(bake, header->path, source, &header->bytes);
    }
    return STATUS_DONE;
}

static int make(struct bake *bake, int kind, const char *stem, struct bake_file *files, size_t *count)
{
    if (kind == KIND_POSED)
        return make_posed(bake, &add_file(files, count, stem, ".posed")->bytes);
    const int status = bake_find_clips(bake);
    if (status != STATUS_DONE || kind != KIND_PNG)
        return status != STATUS_DONE ? status : make_table(bake, kind, stem, files, count);
    const char *slash = strrchr(stem, '/');
    struct text *positions = &add_file(files, count, stem, ".positions.png")->bytes;
    struct text *normals = &add_file(files, count, stem, ".normals.png")->bytes;
    return bake_vertices(bake, slash == NULL ? stem : slash + 1, positions, normals,
                         &add_file(files, count, stem, ".vertices.json")->bytes);
}

static void report_json(const struct bake *bake, const struct bake_file *files, size_t count, const cJSON *warnings)
{
    cJSON *json = bake->clip_count > 0 ? bake_describe(bake) : cJSON_CreateObject(), *list = cJSON_CreateArray();
    if (bake->clip_count == 0)
        cJSON_AddStringToObject(json, "model", bake->model);
    for (size_t i = 0; i < count; i++) {
        cJSON *file = cJSON_CreateObject();
        cJSON_AddStringToObject(file, "file", files[i].path);
        cJSON_AddNumberToObject(file, "bytes", (double)files[i].bytes.size_bytes);
        cJSON_AddItemToArray(list, file);
    }
    cJSON_AddItemToObject(json, "files", list);
    if (bake->clip_count > 0)
        cJSON_AddItemToObject(json, "warnings", cJSON_Duplicate(warnings, true));
    json_print(json);
}

static void report(const struct bake *bake, const struct bake_file *files, size_t count)
{
    struct text line = {0};
    for (size_t i = 0; i < count; i++) {
        text_put_printable(&line, files[i].path);
        text_printf(&line, "  %zu bytes", files[i].bytes.size_bytes);
        if (i == 0 && bake->clip_count > 0)
            text_printf(&line, "  %zu clip%s, %zu frame%s", bake->clip_count, bake->clip_count == 1 ? "" : "s",
                        bake->frame_count, bake->frame_count == 1 ? "" : "s");
        const size_t joints = bake->item_count - bake->socket_count;
        if (i == 0 && joints > 0)
            text_printf(&line, ", %zu joint%s", joints, joints == 1 ? "" : "s");
        if (i == 0 && bake->socket_count > 0)
            text_printf(&line, ", %zu socket%s", bake->socket_count, bake->socket_count == 1 ? "" : "s");
        text_put(&line, "\n");
    }
    fputs(line.at, stdout);
    text_free(&line);
}

static int write_files(const struct bake *bake, const struct bake_file *files, size_t count, const cJSON *warnings)
{
    const bool is_stdout = strcmp(args_text(bake->args, OPTION_FILE, ""), "-") == 0;
    const cJSON *warning;
    int status = STATUS_DONE;
    for (size_t i = 0; i < count && status == STATUS_DONE; i++)
        status = output_give(is_stdout ? "-" : files[i].path, files[i].bytes.at, files[i].bytes.size_bytes);
    cJSON_ArrayForEach(warning, warnings)
    {
        struct text line = {0};
        text_put_printable(&line, member_text(warning, "message"));
        terminal_info("warning: %s: %s", member_text(warning, "code"), line.at);
        text_free(&line);
    }
    if (status != STATUS_DONE || is_stdout)
        return status;
    if (terminal.is_json)
        report_json(bake, files, count, warnings);
    else if (!terminal.is_quiet)
        report(bake, files, count);
    return STATUS_DONE;
}

static int bake_model(struct bake *bake, int kind)
{
    struct bake_file files[BAKE_FILES_MAX] = {{0}};
    size_t count = 0;
    cJSON *warnings = cJSON_CreateArray();
    char *stem = choose_stem(bake->args, bake->clip_file);
    int status = make(bake, kind, stem, files, &count);
    if (status == STATUS_DONE && !is_interrupted())
        status = bake_add_warnings(bake, warnings);
    if (status == STATUS_DONE && !is_interrupted())
        status = write_files(bake, files, count, warnings);
    for (size_t i = 0; i < count; i++) {
        free(files[i].path);
        text_free(&files[i].bytes);
    }
    cJSON_Delete(warnings);
    free(stem);
    return status;
}

static int bake_one(const struct args *args, int kind)
{
    struct command_context context = {0};
    struct bake_onto onto = {0};
    struct connection *connection = &context.connection;
    struct bake bake = {.args = args, .connection = connection};
    cJSON *about = NULL;
    const bool has_onto = args_has(args, OPTION_ONTO);
    int status = context_open_models(&context, args, has_onto ? 2 : 1, 1);
    if (status == STATUS_DONE) {
        const struct path_argument *arguments = context.paths.arguments;
        bake.model = bake.clip_file = arguments[0].path;
        if (kind != KIND_POSED)
            status = connection_status(connection,
                                       connection_request_json(connection, "model", bake.clip_file, "", NULL, &about));
        bake.about = bake.clip_about = about;
        if (status == STATUS_DONE && has_onto) {
            status = bake_onto_open(&onto, args, connection, arguments[1].path);
            bake_play_onto(&bake, &onto);
        }
    }
    if (status == STATUS_DONE)
        status = bake_model(&bake, kind);
    bake_free(&bake);
    bake_onto_close(&onto);
    cJSON_Delete(about);
    context_close(&context);
    return status;
}

/* The server resolves the model of --onto as it does the others: it is the last argument. */
int run_bake(const struct args *args)
{
    struct args all = *args;
    const char **positional = must_alloc((args->positional_count + 1) * sizeof *positional);
    memcpy(positional, args->positional, args->positional_count * sizeof *positional);
    all.positional = positional;
    if (args_has(args, OPTION_ONTO))
        positional[all.positional_count++] = args_text(args, OPTION_ONTO, "");
    const bool is_many = pass_many_is_meant(args);
    const int kind = is_many ? KIND_NPZ : choose_kind(args);
    int status = kind < 0 ? STATUS_USAGE : is_many ? check_many(args) : STATUS_DONE;
    if (status == STATUS_DONE)
        status = check_options(args, kind);
    if (status == STATUS_DONE)
        status = is_many ? bake_folder(&all, args->positional_count) : bake_one(&all, kind);
    free(positional);
    return status;
}
