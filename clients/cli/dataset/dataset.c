/* posectl dataset: pictures and numbers of models for training, measuring and comparison. */
#include "clients/cli/dataset/dataset.h"

#include "clients/cli/command_line/commands.h"

#include <stdlib.h>
#include <string.h>

/* Checks what the command line says of clips. */
static int check_clips(struct dataset *set, const struct args *args)
{
    static const char *const NAMES[] = {"clip", "clip_name", "clip_file", "layers"};
    const char *given = NULL;
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        given = args_parameter(args, NAMES[i]) != NULL ? NAMES[i] : given;
    struct text name = {0};
    flag_put_name(&name, given == NULL ? "" : args_has(args, OPTION_POSE) ? "pose" : given);
    int status = STATUS_DONE;
    set->is_one_clip = given != NULL;
    if (given != NULL && args_has(args, OPTION_BAKE_CLIPS))
        terminal_error("--clips and %s contradict each other", name.at);
    else if (given != NULL && (set->times.frames > 0 || set->times.rate > 0))
        terminal_error("--%s counts moments of the clips of --clips: give the times of %s as --t",
                       set->times.frames > 0 ? "frames" : "rate", name.at);
    else
        given = NULL;
    if (given != NULL)
        status = STATUS_USAGE;
    text_free(&name);
    return status;
}

/* --frames and --rate count moments of whole clips. */
static int check_times(const struct dataset *set, const struct args *args)
{
    static const char *const NAMES[] = {"from", "to", "speed", "phase"};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        if (args_parameter(args, NAMES[i]) != NULL && (set->times.frames > 0 || set->times.rate > 0)) {
            terminal_error("--%s counts moments of whole clips: beside --%s give the times as --t",
                           set->times.frames > 0 ? "frames" : "rate", NAMES[i]);
            return STATUS_USAGE;
        }
    if (set->has_motion && set->times.count == 0 && !(set->times.frames > 0) && !(set->times.rate > 0)) {
        terminal_error("--passes motion needs the moment after each: --frames, --rate, --t START:END:FPS or --t2");
        return STATUS_USAGE;
    }
    return STATUS_DONE;
}

/* Sets everything but the model that samples depend on, as text to compare. */
static char *options_of(const struct dataset *set, const struct args *args)
{
    static const enum option_id OPTIONS_OF[] = {OPTION_BAKE_CLIPS, OPTION_DATASET_T, OPTION_DATASET_FRAMES,
                                                OPTION_DATASET_RATE};
    struct text options = {0}, choices = {0};
    text_printf(&options, "%s %s %s", set->picture_query, set->array_query == NULL ? "" : set->array_query,
                set->keypoint_query == NULL ? "" : set->keypoint_query);
    for (size_t i = 0; i < sizeof OPTIONS_OF / sizeof *OPTIONS_OF; i++)
        text_printf(&options, " --%s %s", OPTIONS[OPTIONS_OF[i]].name, args_text(args, OPTIONS_OF[i], ""));
    for (size_t i = 0; i < set->camera_count; i++)
        text_printf(&choices, "%s %s\n", set->cameras[i].query,
                    set->cameras[i].body == NULL ? "" : set->cameras[i].body);
    for (size_t i = 0; i < set->light_count; i++)
        text_printf(&choices, "%s\n", set->lights[i].query);
    text_printf(&options, " %zu cameras, %zu lights ", set->camera_count, set->light_count);
    sha256_put(&options, choices.at, choices.size_bytes); /* a list of cameras may be long */
    text_free(&choices);
    return options.at;
}

/* Reports a parameter that the server refuses once, and not for each model. */
static int check_parameters(struct dataset *set)
{
    int status = STATUS_DONE;
    for (size_t i = 0; i < set->light_count + set->camera_count && status == STATUS_DONE && !is_interrupted(); i++) {
        const struct dataset_choice *light = &set->lights[i < set->light_count ? i : 0];
        const struct dataset_choice *camera = &set->cameras[i < set->light_count ? 0 : i - set->light_count];
        struct text query = {0};
        text_printf(&query, "%s%s%s%s", set->array_query == NULL ? set->picture_query : set->array_query, camera->query,
                    light->query, set->has_motion ? "&t2=0" : "");
        status = pass_check_parameters(&set->pass, "render", query.at, camera->body);
        if (status != STATUS_DONE && args_has(set->pass.args, OPTION_CAMERAS) && camera != set->cameras)
            terminal_error("that is camera %zu of '%s', counted from 0", i - set->light_count,
                           args_text(set->pass.args, OPTION_CAMERAS, ""));
        text_free(&query);
    }
    if (status == STATUS_DONE && set->keypoint_query != NULL) {
        struct text query = {0};
        text_printf(&query, "%s%s", set->keypoint_query, set->cameras->query);
        status = pass_check_parameters(&set->pass, "keypoints", query.at, set->cameras->body);
        text_free(&query);
    }
    return status;
}

static const struct pass_kind SAMPLES = {.manifest = "dataset.jsonl",
                                         .outputs = "outputs",
                                         .done = "drawn",
                                         .has_many = true,
                                         .has_folder = true,
                                         .make = dataset_make,
                                         .list_name = "manifest",
                                         .list_file = DATASET_MANIFEST};

static int open_set(struct dataset *set, const struct args *args)
{
    struct text body = {0};
    const bool has_body = args_put_body(args, &body);
    int status = dataset_times_read(&set->times, args);
    if (status == STATUS_DONE)
        status = check_clips(set, args);
    if (status == STATUS_DONE)
        status = dataset_choices_read(set, args, has_body ? body.at : NULL);
    text_free(&body);
    if (status != STATUS_DONE)
        return status;
    dataset_set_queries(set, args);
    status = check_times(set, args);
    if (status == STATUS_DONE)
        status = pass_connect(&set->pass, args);
    if (status == STATUS_DONE)
        status = check_parameters(set);
    if (status != STATUS_DONE)
        return status;
    set->pass.options = options_of(set, args);
    return pass_open(&set->pass);
}

static int run(struct dataset *set)
{
    struct pass *pass = &set->pass;
    pass->progress.outputs_name = "files";
    int status = pass_run(pass);
    if (status > STATUS_FAILED)
        return status;
    if (pass_matches_no_clip(pass)) { /* the run has not done what it was asked for */
        terminal_error("--clips '%s' matches no clip of any model", args_text(pass->args, OPTION_BAKE_CLIPS, ""));
        status = STATUS_FAILED;
    }
    const int written = dataset_write_manifest(pass);
    return written == STATUS_DONE ? status : written;
}

int run_dataset(const struct args *args)
{
    struct dataset set = {.picture_query = NULL};
    int status = pass_check(&set.pass, args, &SAMPLES, args_text(args, OPTION_OUT, NULL));
    set.pass.context = &set;
    if (status == STATUS_DONE)
        status = open_set(&set, args);
    if (status == STATUS_DONE)
        status = run(&set);
    pass_close(&set.pass);
    dataset_choices_free(&set);
    free(set.times.times_s);
    free(set.times.steps_s);
    free(set.picture_query);
    free(set.array_query);
    free(set.keypoint_query);
    return status;
}
