/* posectl convert: writes a whole model, or every model of folders, as a GLB file, which the server makes. Differences
 * between the file and the model are printed as warnings. */
#include "clients/cli/convert/convert_folder.h"
#include "clients/cli/convert/convert_report.h"
#include "clients/cli/convert/convert_request.h"
#include "clients/cli/command_line/commands.h"
#include "clients/cli/output/output.h"
#include "clients/cli/output/terminal.h"
#include "clients/cli/pose/pose_option.h"
#include "clients/cli/server/command_context.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* Chooses -o FILE, or the model's name with another extension in the current folder, unless it is the model itself.
 */
static int choose_file(const struct args *args, const char *model, char **file)
{
    const char *given = args_text(args, OPTION_FILE, NULL), *name = given == NULL ? args->positional[0] : given;
    const char *slash = strrchr(name, '/'), *base = slash == NULL ? name : slash + 1, *dot = strrchr(base, '.');
    const bool is_glb = dot != NULL && strcasecmp(dot, ".glb") == 0;
    if (given == NULL && is_glb) {
        terminal_error("'%s' is a GLB file already: name the new one with -o FILE", name);
        return STATUS_USAGE;
    }
    if (given != NULL && dot != NULL && dot != base && dot[1] != '\0' && !is_glb) {
        terminal_error("convert writes .glb, not '%s'", given);
        return STATUS_USAGE;
    }
    if (given != NULL && strcmp(given, "-") == 0 && isatty(STDOUT_FILENO)) {
        terminal_error("refusing to write binary data to a terminal; redirect stdout or use -o FILE");
        return STATUS_USAGE;
    }
    struct text copy = {0};
    if (given != NULL)
        text_put(&copy, given);
    *file = given == NULL ? output_name(model, ".glb") : copy.at;
    return STATUS_DONE;
}

static int convert(struct command_context *context, const struct convert_clips *clips)
{
    const struct args *args = &clips->args;
    const struct convert_request request = {.connection = &context->connection,
                                            .clips = clips,
                                            .paths = &context->paths,
                                            .model = context->paths.arguments[0].path,
                                            .shown = "convert"};
    const char *estimate = args_parameter(args, "estimate");
    struct posed_packet answer = {0};
    struct text joined = {0}, problem = {0};
    char *file = NULL;
    int status = choose_file(args, request.model, &file);
    if (status == STATUS_DONE && estimate != NULL && strcmp(estimate, "1") == 0) {
        free(file);
        return convert_request_estimate(&request);
    }
    if (status != STATUS_DONE)
        return status;
    const int rc = convert_request(&request, &joined, &answer, &problem);
    if (rc == CONVERT_FAILED && !is_interrupted())
        terminal_error("%s: %s", request.model, problem.at);
    status = rc == CONVERT_FAILED ? STATUS_FAILED : connection_status(request.connection, rc);
    if (status != STATUS_DONE && rc != CONVERT_FAILED)
        pose_option_explain(args, request.connection->posed.error.message);
    if (status == STATUS_DONE)
        status = output_give(file, answer.data, answer.data_bytes);
    if (status == STATUS_DONE)
        convert_report(request.model, file, &answer);
    text_free(&problem);
    text_free(&joined);
    free(file);
    return status;
}

int run_convert(const struct args *args)
{
    struct command_context context = {0};
    struct convert_clips clips = {0};
    int status = convert_clips_find(&clips, args);
    if (status == STATUS_DONE)
        status = convert_request_check(&clips);
    if (status == STATUS_DONE && convert_is_of_folder(args)) {
        status = convert_folder(&clips);
        convert_clips_free(&clips);
        return status;
    }
    if (status == STATUS_DONE)
        status = context_open_models(&context, &clips.args, 1 + clips.file_count, 1);
    if (status == STATUS_DONE)
        status = convert(&context, &clips);
    context_close(&context);
    convert_clips_free(&clips);
    return status;
}
