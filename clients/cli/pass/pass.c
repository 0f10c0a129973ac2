/* Runs a pass over all models: pass.h. */
#include "clients/cli/pass/pass.h"

#include <stdlib.h>
#include <string.h>

/* --prune: removes models that are not part of this run from the manifest, with their outputs. */
static void prune(struct pass *pass)
{
    for (size_t i = pass->manifest.count; i-- > 0 && args_has(pass->args, OPTION_PRUNE);) {
        const cJSON *entry = pass->manifest.entries[i];
        bool is_there = false;
        for (size_t k = 0; k < pass->models.count && !is_there; k++)
            is_there = strcmp(pass->models.items[k].model, member_text(entry, "model")) == 0;
        if (is_there)
            continue;
        cJSON *dropped = manifest_remove(&pass->manifest, i);
        pass_remove_outdated(pass, dropped, NULL);
        terminal_info("removed the %s of %s", pass->kind->outputs, member_text(dropped, "model"));
        cJSON_Delete(dropped);
    }
}

int pass_check(struct pass *pass, const struct args *args, const struct pass_kind *kind, const char *out)
{
    *pass = (struct pass){.kind = kind, .args = args, .out = out, .progress = {.what = COMMANDS[args->command].name}};
    if (out == NULL) {
        terminal_error("missing output folder: -o DIR");
        return STATUS_USAGE;
    }
    if (args_has(args, OPTION_PRUNE) && args_has(args, OPTION_SHARD)) {
        terminal_error("--prune and --shard contradict each other: the other parts' %s would go", kind->outputs);
        return STATUS_USAGE;
    }
    return pass_check_report(args);
}

int pass_connect(struct pass *pass, const struct args *args)
{
    const int status = context_open(&pass->connected, args, pool_jobs(args));
    pass->server = pass->connected.connection.posed.hello.server;
    return status;
}

int pass_check_parameters(struct pass *pass, const char *operation, const char *parameters, const char *body)
{
    struct posed_packet answer; /* a request without a model finds it, because the server checks parameters first */
    struct connection *connection = &pass->connected.connection;
    const int rc = connection_request_model(connection, operation, ".posectl/none.glb", parameters, body, &answer);
    if (rc == 0 || !connection_blames_command_line(connection))
        return STATUS_DONE;
    connection_report_error(connection);
    return STATUS_USAGE;
}

int pass_open(struct pass *pass)
{
    failures_open(&pass->failures, &pass->connected.session, pass->out);
    return manifest_open(&pass->manifest, pass->out, pass->kind->manifest);
}

int pass_list(struct pass *pass)
{
    return pass->kind->list != NULL
               ? pass->kind->list(pass)
               : model_list_read(&pass->models, &pass->connected.paths, pass->args, &pass->connected.connection);
}

int pass_make(struct pass *pass, const bool *is_due)
{
    bool has_any = is_due == NULL;
    for (size_t i = 0; i < pass->models.count && !has_any; i++)
        has_any = is_due[i];
    pass->is_due = is_due;
    pass->entries = must_alloc((pass->models.count + 1) * sizeof(cJSON *));
    pass->progress.outputs = 0;
    failures_forget_folders(&pass->failures);
    memset(pass->progress.counts, 0, sizeof pass->progress.counts);
    return !has_any ? STATUS_DONE
                    : pool_run(&pass->connected.session, pool_jobs(pass->args), pass->models.count, pass_make_model,
                               pass, &pass->progress);
}

int pass_finish(struct pass *pass, int status)
{
    if (status == STATUS_DONE && !is_interrupted())
        prune(pass);
    if (pass->entries != NULL && manifest_merge(&pass->manifest, pass->entries, pass->models.count) != STATUS_DONE)
        status = STATUS_SERVER;
    free(pass->entries);
    pass->entries = NULL;
    const bool has_failed = pass->progress.counts[OUTCOME_FAILED] > 0 || pass->models.unread > 0;
    return status == STATUS_DONE && has_failed ? STATUS_FAILED : status;
}

int pass_run(struct pass *pass)
{
    int status = pass_list(pass);
    if (status == STATUS_DONE)
        status = pass_make(pass, NULL);
    if (status == STATUS_DONE)
        status = pass_report(pass);
    return pass_finish(pass, status);
}

void pass_close(struct pass *pass)
{
    model_list_free(&pass->models);
    manifest_close(&pass->manifest);
    failures_close(&pass->failures);
    context_close(&pass->connected);
    free(pass->options);
}
