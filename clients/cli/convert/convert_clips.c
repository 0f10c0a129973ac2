#include "clients/cli/convert/convert_clips.h"

#include "clients/cli/command_line/commands.h"
#include "clients/cli/output/terminal.h"
#include "clients/cli/server/clip_file_warnings.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void add_file(struct convert_clips *clips, const char *path)
{
    clips->files = must_grow(clips->files, (clips->file_count + 1) * sizeof *clips->files);
    clips->files[clips->file_count++] = must_copy(path);
}

/* Adds the files that match, sorted. Returns their number. */
static size_t add_matches(struct convert_clips *clips, const char *pattern)
{
    const size_t before = clips->file_count;
    glob_t found;
    if (glob(pattern, 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; i++) {
            struct stat state;
            if (stat(found.gl_pathv[i], &state) == 0 && S_ISREG(state.st_mode))
                add_file(clips, found.gl_pathv[i]);
        }
    globfree(&found);
    return clips->file_count - before;
}

/* Takes a value of --clips. Returns 1 if it named files, which are added; 0 if it names a clip of the model; or a
 * negative exit status. */
static int take_value(struct convert_clips *clips, const char *value, bool has_server)
{
    const bool has_wildcard = strpbrk(value, "*?[") != NULL, is_path = strchr(value, '/') != NULL;
    if (has_server && is_path && !has_wildcard) {
        add_file(clips, value);
        return 1;
    }
    if (has_server && has_wildcard) {
        terminal_error("--clips '%s': patterns mean files of this machine; name those of a server one by one", value);
        return -STATUS_USAGE;
    }
    if (has_server || (!has_wildcard && !is_path && strchr(value, '.') == NULL))
        return 0;
    if (add_matches(clips, value) > 0)
        return 1;
    if (!has_wildcard && !is_path)
        return 0; /* a clip may be called mixamo.com */
    terminal_error("--clips '%s' matches no file", value);
    return -STATUS_USAGE;
}

int convert_clips_find(struct convert_clips *clips, const struct args *args)
{
    const bool has_server = session_address(args) != NULL;
    *clips = (struct convert_clips){.args = *args};
    clips->parameters = must_alloc((args->parameter_count + 1) * sizeof *clips->parameters);
    clips->args.parameters = clips->parameters;
    clips->args.parameter_count = 0;
    for (size_t i = 0; i < args->parameter_count; i++) {
        const struct given_parameter *given = &args->parameters[i];
        const int rc = strcmp(given->name, "clips") == 0 ? take_value(clips, given->value, has_server) : 0;
        if (rc < 0)
            return -rc;
        if (rc == 0)
            clips->parameters[clips->args.parameter_count++] = *given;
    }
    clips->positional = must_alloc((args->positional_count + clips->file_count + 1) * sizeof *clips->positional);
    clips->args.positional = clips->positional;
    memcpy(clips->positional, args->positional, args->positional_count * sizeof *clips->positional);
    for (size_t i = 0; i < clips->file_count; i++)
        clips->positional[args->positional_count + i] = clips->files[i];
    clips->args.positional_count += clips->file_count;
    return STATUS_DONE;
}

void convert_clips_free(struct convert_clips *clips)
{
    for (size_t i = 0; i < clips->file_count; i++)
        free(clips->files[i]);
    free(clips->files);
    free(clips->positional);
    free(clips->parameters);
}

cJSON *convert_clips_body(const struct convert_clips *clips, const struct paths *paths, size_t first, size_t count)
{
    struct text given = {0};
    cJSON *body = args_put_body(&clips->args, &given) ? cJSON_Parse(given.at) : NULL;
    text_free(&given);
    if (body == NULL && count > 0)
        body = cJSON_CreateObject();
    cJSON *files = count > 0 ? cJSON_AddArrayToObject(body, "clip_file") : NULL;
    for (size_t i = first; i < first + count; i++)
        cJSON_AddItemToArray(files, cJSON_CreateString(convert_clips_path(clips, paths, i)));
    return body;
}

const char *convert_clips_path(const struct convert_clips *clips, const struct paths *paths, size_t index)
{
    return paths->arguments[paths->count - clips->file_count + index].path;
}

void convert_clips_add_warnings(const cJSON *glb, cJSON *list)
{
    const cJSON *file;
    cJSON_ArrayForEach(file, json_get(json_get(json_get(glb, "asset"), "extras"), "clip_files"))
    {
        clip_file_add_warnings(file, member_text(file, "model"), list);
    }
}
