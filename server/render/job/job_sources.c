/* job_sources.c - retargets the clips that a job takes from other models. */
#include "render/job/job_sources.h"

#include "anim/retarget/retarget_report.h"

#include "base/hash.h"

#include <string.h>

_Static_assert((int)RENDER_RENAMES_MAX == (int)NAME_RULES_MAX &&
                   (int)RENDER_RENAME_BYTES_MAX == (int)NAME_RULES_BYTES_MAX,
               "all rules that a request may have fit into a job");
_Static_assert((int)RENDER_ROLES == (int)ROLE_COUNT, "a job has room for every role");
_Static_assert((int)RENDER_UNMATCHED_SIZE >= (int)RETARGET_TEXT_SIZE, "a result has room for the report");

enum { PLAYED_MAX = 2 * RENDER_LAYERS_MAX > RENDER_CELLS_MAX ? 2 * RENDER_LAYERS_MAX : RENDER_CELLS_MAX };

/* A clip of the job and the source that has it. */
struct played_clip {
    uint32_t source;
    int32_t clip;
};

/* Lists each clip once where consecutive cells share it. */
static uint32_t list_played(const struct render_work *work, struct played_clip out[PLAYED_MAX])
{
    const struct render_job *job = &work->job;
    uint32_t count = 0;
    const uint32_t cell_count = job->cell_count + job->later_count;
    for (uint32_t i = 0; job->blend.layer_count == 0 && i < cell_count && i < RENDER_CELLS_MAX; i++) {
        const struct render_cell *cell = &work->cells[i];
        if (count == 0 || out[count - 1].source != cell->clip_source || out[count - 1].clip != cell->clip)
            out[count++] = (struct played_clip){cell->clip_source, cell->clip};
    }
    for (uint32_t i = 0; i < job->blend.layer_count && i < RENDER_LAYERS_MAX; i++) {
        const struct render_layer *layer = &job->blend.layers[i];
        out[count++] = (struct played_clip){layer->clip_source, layer->clip};
        if (layer->is_additive != 0)
            out[count++] = (struct played_clip){layer->reference_source, layer->reference_clip};
    }
    return count;
}

static bool is_clip(const struct model *model, int32_t clip) { return clip >= 0 && (uint32_t)clip < model->clip_count; }

static int name_source(const struct render_source *source, struct err *err)
{
    if (source->name[0] != '\0')
        err_prefix(err, "'%.*s'", RENDER_SOURCE_NAME_SIZE, source->name);
    return err->code;
}

/* Missing clips are refused later, with all other errors of the job. */
static int play(struct job_sources *sources, const struct render_job *job, const struct played_clip *played,
                uint32_t count, struct err *err)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t source = played[i].source;
        if (source > sources->count)
            return err_set(err, ERR_BAD_PARAMETER, "clip %u of the job is one of model %u of %u", i, source,
                           sources->count);
        if (source > 0 && is_clip(sources->models[source - 1], played[i].clip) &&
            retarget_clip(&sources->views[source - 1], (uint32_t)played[i].clip, err) < 0)
            return name_source(&job->sources[source - 1], err);
    }
    return 0;
}

static void report(const struct job_sources *sources, const struct played_clip *played, uint32_t count, struct buf *out)
{
    struct retarget_report reports[RENDER_SOURCES_MAX];
    int32_t own[PLAYED_MAX];
    uint32_t own_count = 0;
    for (uint32_t s = 0; s < sources->count; s++)
        retarget_report_init(&reports[s], &sources->views[s]);
    for (uint32_t i = 0; i < count; i++) {
        if (!is_clip(job_source(sources, played[i].source), played[i].clip))
            continue;
        if (played[i].source == 0)
            own[own_count++] = played[i].clip;
        else
            retarget_report_add(&reports[played[i].source - 1], played[i].clip);
    }
    if (sources->count > 0)
        retarget_report_put(reports, sources->count, sources->model, own, own_count, out);
    for (uint32_t s = 0; s < sources->count; s++)
        retarget_report_fini(&reports[s]);
}

/* Parses the job's rules, each of which ends with a NUL. */
static int read_rules(struct job_sources *sources, const struct render_work *work, struct name_map *names,
                      struct err *err)
{
    const char *text = work->renames, *end = text + work->job.rename_bytes;
    *names = (struct name_map){.rules = sources->rules};
    if (work->job.rename_bytes > RENDER_RENAME_BYTES_MAX || (end > text && end[-1] != '\0'))
        return err_set(err, ERR_BAD_PARAMETER, "the rules of the job have no end");
    for (; text < end; text += strlen(text) + 1) {
        if (names->count == RENDER_RENAMES_MAX)
            return err_set(err, ERR_BAD_PARAMETER, "the job has more than %d rules", RENDER_RENAMES_MAX);
        if (name_rule_parse(&sources->rules[names->count++], text, err) < 0)
            return err->code;
    }
    return 0;
}

/* False: a role names a node that the model does not have, or a required role is missing. */
static bool read_roles(const int32_t roles[RENDER_ROLES], const struct model *model, struct humanoid *humanoid)
{
    bool is_good = humanoid_is_enough(roles) || (humanoid_is_none(roles) && rest_face_is_alone(model));
    for (int role = 0; role < RENDER_ROLES; role++) {
        is_good = is_good && roles[role] >= -1 && roles[role] < (int64_t)model->node_count;
        humanoid->nodes[role] = roles[role];
    }
    return is_good;
}

static uint64_t hash_rules(const struct render_work *work)
{
    const struct render_job *job = &work->job;
    uint64_t h = hash64(HASH64_SEED, work->renames, job->rename_bytes);
    for (uint32_t s = 0; s < job->source_count; s++)
        h = hash64(hash64(h, &job->sources[s].is_by_rest, sizeof job->sources[s].is_by_rest), job->sources[s].roles,
                   sizeof job->sources[s].roles);
    h = hash64(h, job->roles, sizeof job->roles);
    h = hash64(h, &job->has_locked_feet, sizeof job->has_locked_feet);
    h = hash64(h, &job->clip_rest, sizeof job->clip_rest);
    return hash64(h, &job->clip_rest_frame, sizeof job->clip_rest_frame);
}

static int set_rest(struct job_sources *sources, const struct render_job *job, uint32_t s, struct err *err)
{
    struct rest_options options = {
        .clip_rest = {.kind = job->clip_rest, .frame = job->clip_rest_frame},
        .clip = {.has_locked_feet = job->has_locked_feet != 0, .max_steps = job->rest_steps}};
    if (job->sources[s].is_by_rest == 0)
        return 0;
    if (!read_roles(job->roles, sources->model, &options.model) ||
        !read_roles(job->sources[s].roles, sources->views[s].source, &options.source))
        return err_set(err, ERR_BAD_PARAMETER, "the job's humans are none");
    return retarget_set_rest(&sources->views[s], &options, err);
}

int job_sources_init(struct job_sources *sources, const struct render_work *work, const struct model *model,
                     const struct model *const *clips, struct buf *unmatched, struct err *err)
{
    const struct render_job *job = &work->job;
    struct played_clip played[PLAYED_MAX];
    struct name_map names;
    sources->model = model;
    sources->count = 0;
    if (job->source_count > RENDER_SOURCES_MAX)
        return err_set(err, ERR_BAD_PARAMETER, "a job cannot have clips of %u models", job->source_count);
    if (read_rules(sources, work, &names, err) < 0)
        return err->code;
    sources->rules_hash = job->source_count == 0 ? 0 : hash_rules(work);
    for (uint32_t s = 0; s < job->source_count; s++) {
        retarget_init(&sources->views[s], model, clips[s], &names);
        sources->models[s] = &sources->views[s].model;
        sources->count++;
        if (set_rest(sources, job, s, err) < 0)
            return err->code;
    }
    const uint32_t count = list_played(work, played);
    if (play(sources, job, played, count, err) < 0)
        return err->code;
    report(sources, played, count, unmatched);
    return 0;
}

void job_sources_fini(struct job_sources *sources)
{
    for (uint32_t s = 0; s < sources->count; s++)
        retarget_fini(&sources->views[s]);
    sources->count = 0;
}

const struct model *job_source(const struct job_sources *sources, uint32_t source)
{
    return source == 0 ? sources->model : sources->models[source - 1];
}

uint32_t job_movers(const struct job_sources *sources, const struct render_work *work, const struct model **out)
{
    struct played_clip played[PLAYED_MAX];
    const uint32_t played_count = list_played(work, played);
    uint32_t count = 0;
    bool has_own = false;
    for (uint32_t i = 0; i < played_count; i++)
        has_own = has_own || played[i].source == 0;
    if (has_own)
        out[count++] = sources->model;
    for (uint32_t s = 0; s < sources->count; s++)
        out[count++] = sources->models[s];
    return count;
}
