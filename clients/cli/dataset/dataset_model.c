/* Makes the samples of one model for posectl dataset, and continues what an interrupted run began. Runs in the threads
 * of a pool. */
#include "clients/cli/dataset/dataset.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The samples of one model. */
struct work {
    struct dataset *set;
    const struct listed_model *item;
    const char *hash;
    cJSON *entry; /* of the model, without outputs */
    struct dataset_moment *moments;
    size_t count, planned; /* planned: also of what earlier runs may have left */
    cJSON **outputs;       /* [sample]: its files, or NULL */
    pthread_mutex_t mutex; /* of all below */
    size_t done, kept;     /* kept: done when the manifest was last told */
    int rc;                /* of the first failure */
    struct posed_error error;
    struct text problem;
};

/* --- what an interrupted run leaves --- */

/* Returns how many samples earlier runs may have left files of. */
static size_t planned_of(const struct pass *pass, const cJSON *old)
{
    const int planned = member_index(old, "planned");
    return planned >= 0 ? (size_t)planned : (size_t)cJSON_GetArraySize(json_get(old, pass->kind->outputs));
}

/* Makes the entry complete or, if samples are missing, partial. */
static void put_outputs(const struct work *work, cJSON *entry)
{
    cJSON *list = cJSON_GetObjectItemCaseSensitive(entry, work->set->pass.kind->outputs);
    for (size_t i = 0; i < work->count; i++)
        for (const cJSON *output = work->outputs[i] == NULL ? NULL : work->outputs[i]->child; output != NULL;
             output = output->next)
            cJSON_AddItemToArray(list, cJSON_Duplicate(output, true));
    if (work->done < work->count) {
        cJSON_AddTrueToObject(entry, PASS_PARTIAL);
        cJSON_AddNumberToObject(entry, "planned", (double)work->planned);
    }
}

/* Tells the manifest what is done, so that a killed run loses a fifth of it at most: the lines of a model have lengths
 * that grow geometrically, so all together are as long as five of the last. The mutex is locked. */
static void keep_done(struct work *work, struct pass *pass)
{
    enum { FEW = 8 };
    if (work->done == work->count || work->done < work->kept + work->kept / 4 + FEW)
        return;
    cJSON *entry = cJSON_Duplicate(work->entry, true);
    put_outputs(work, entry);
    manifest_append(&pass->manifest, entry);
    cJSON_Delete(entry);
    work->kept = work->done;
}

/* Takes the samples of an interrupted run whose files are all there. */
static void take_done(struct work *work, const struct pass *pass, const cJSON *old)
{
    const int files = dataset_file_count(work->set);
    const cJSON *output;
    cJSON_ArrayForEach(output, json_get(old, pass->kind->outputs))
    {
        const int index = member_index(output, "sample");
        if (index < 0 || (size_t)index >= work->count)
            continue;
        if (work->outputs[index] == NULL)
            work->outputs[index] = cJSON_CreateArray();
        cJSON_AddItemToArray(work->outputs[index], cJSON_Duplicate(output, true));
    }
    for (size_t i = 0; i < work->count; i++) {
        cJSON *entry = cJSON_CreateObject();
        cJSON_AddItemReferenceToObject(entry, pass->kind->outputs, work->outputs[i]);
        if (work->outputs[i] != NULL &&
            (cJSON_GetArraySize(work->outputs[i]) != files || !pass_has_outputs(pass, entry))) {
            cJSON_Delete(work->outputs[i]);
            work->outputs[i] = NULL;
        }
        work->done += work->outputs[i] != NULL;
        cJSON_Delete(entry);
    }
    work->kept = work->done;
}

/* Removes files of samples that this run or earlier ones left, other than those of `entry`. */
static void remove_left(const struct work *work, const struct pass *pass, const cJSON *entry)
{
    static const char *const EXTENSIONS[] = {"png", "npz", "json"};
    cJSON *left = cJSON_CreateObject(), *list = cJSON_AddArrayToObject(left, pass->kind->outputs);
    for (size_t i = 0; i < work->planned; i++)
        for (size_t k = 0; k < sizeof EXTENSIONS / sizeof *EXTENSIONS; k++) {
            struct text name = {0};
            cJSON *output = cJSON_CreateObject();
            dataset_put_name(&name, work->item, i, EXTENSIONS[k]);
            cJSON_AddStringToObject(output, "file", name.at);
            cJSON_AddItemToArray(list, output);
            text_free(&name);
        }
    pass_remove_outdated(pass, left, entry);
    cJSON_Delete(left);
}

/* --- the samples --- */

/* A pool_work. */
static enum outcome make_sample(struct connection *connection, size_t index, const char **label, void *context)
{
    struct work *work = context;
    struct text problem = {0};
    cJSON *outputs = NULL;
    const size_t views = work->set->camera_count * work->set->light_count;
    pthread_mutex_lock(&work->mutex);
    const bool is_needed = work->rc == 0 && work->outputs[index] == NULL;
    pthread_mutex_unlock(&work->mutex);
    *label = work->item->model;
    if (!is_needed)
        return OUTCOME_UNCHANGED;
    const int rc = dataset_sample(work->set, connection, work->item, work->hash, &work->moments[index / views], index,
                                  &outputs, &problem);
    pthread_mutex_lock(&work->mutex);
    work->outputs[index] = outputs;
    work->done += rc == 0;
    if (rc == 0)
        keep_done(work, &work->set->pass);
    else if (work->rc == 0) {
        work->rc = rc;
        work->error = connection->posed.error;
        work->error.json = NULL; /* the connection keeps its bytes */
        work->error.json_bytes = 0;
        text_put(&work->problem, problem.at == NULL ? "" : problem.at);
    }
    pthread_mutex_unlock(&work->mutex);
    text_free(&problem);
    return rc == 0 ? OUTCOME_MADE : OUTCOME_FAILED;
}

/* Makes all samples that are missing. Where there are fewer models than jobs, several samples of a model at a time. */
static void make_samples(struct work *work, struct pass *pass, struct connection *connection)
{
    const size_t jobs = pool_jobs(pass->args) / (pass->models.count == 0 ? 1 : pass->models.count);
    const char *label;
    if (jobs > 1) {
        struct progress progress = {.is_silent = true};
        if (pool_run(&pass->connected.session, (unsigned)jobs, work->count, make_sample, work, &progress) !=
            STATUS_DONE) {
            work->rc = PASS_FAILED;
            text_put(&work->problem, "no connection to the server");
        }
        return;
    }
    for (size_t i = 0; i < work->count && work->rc == 0 && !is_interrupted(); i++)
        make_sample(connection, i, &label, work);
}

/* Returns whether no sample shows anything of the model. */
static bool shows_nothing(const struct work *work)
{
    bool is_empty = !work->set->shows_empty;
    for (size_t i = 0; i < work->count && is_empty; i++)
        is_empty = cJSON_IsTrue(json_get(work->outputs[i]->child, "empty"));
    return is_empty;
}

static int finish(struct work *work, struct pass *pass, struct connection *connection, const cJSON *old,
                  struct text *problem)
{
    int rc = work->rc;
    if (work->done < work->count && is_interrupted()) {
        put_outputs(work, work->entry);
        return PASS_FAILED;
    }
    if (rc == 0 && shows_nothing(work)) {
        cJSON_AddStringToObject(work->entry, "code", "nothing_to_draw");
        text_put(problem, "no sample shows anything of it");
        rc = PASS_FAILED;
    } else if (rc != 0) {
        connection->posed.error = work->error;
        text_put(problem, work->problem.at == NULL ? "" : work->problem.at);
    }
    if (rc == 0) {
        put_outputs(work, work->entry);
        rc = dataset_write_cameras(pass, work->item, work->entry, problem);
    }
    remove_left(work, pass, rc == 0 ? work->entry : old);
    return rc;
}

int dataset_make(struct pass *pass, struct connection *connection, size_t index, const cJSON *model, cJSON *entry,
                 struct text *problem)
{
    struct dataset *set = pass->context;
    const cJSON *old = manifest_find(&pass->manifest, pass->models.items[index].model);
    struct work work = {
        .set = set, .item = &pass->models.items[index], .hash = member_text(model, "hash"), .entry = entry};
    const size_t moments = dataset_moments(set, model, &work.moments, problem);
    int rc = PASS_FAILED;
    if (moments == 0) {
        cJSON_AddTrueToObject(entry, "unmatched");
        return 0;
    }
    if (moments == SIZE_MAX) {
        cJSON_AddStringToObject(entry, "code", "too_many_samples");
    } else {
        work.count = moments * set->camera_count * set->light_count;
        work.planned = planned_of(pass, old) > work.count ? planned_of(pass, old) : work.count;
        work.outputs = must_alloc(work.count * sizeof *work.outputs);
        pthread_mutex_init(&work.mutex, NULL);
        if (pass_is_begun(old, entry))
            take_done(&work, pass, old);
        else { /* a run that is killed may have replaced files of an earlier one */
            put_outputs(&work, entry);
            manifest_append(&pass->manifest, entry);
            cJSON_DeleteItemFromObject(entry, PASS_PARTIAL);
            cJSON_DeleteItemFromObject(entry, "planned");
        }
        make_samples(&work, pass, connection);
        rc = finish(&work, pass, connection, old, problem);
        pthread_mutex_destroy(&work.mutex);
    }
    for (size_t i = 0; i < work.count; i++)
        cJSON_Delete(work.outputs[i]);
    free(work.outputs);
    free(work.moments);
    text_free(&work.problem);
    return rc;
}
