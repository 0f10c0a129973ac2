/* export_merge.c - adds clips of other files: the parts that move nodes of the model, and their names. */
#include "anim/retarget/retarget_report.h"
#include "wire/export/export_internal.h"
#include "wire/reply/reply_json.h"

#include <stdlib.h>

enum { NAMES_TOLD = 8 /* in a message */ };

/* --- strict=1 --- */

/* False: the reply is an error that names the unmatched parts. */
static bool refuse_misses(struct export *e, uint32_t source, const struct retarget_report *report)
{
    const struct request *request = e->context->request;
    const struct model *model = report->retarget->source;
    char names[NAMES_TOLD * (SHORT_NAME_SIZE + 4) + 8] = "";
    struct err err;
    if (report->miss_count == 0)
        return true;
    for (uint32_t i = 0; i < report->miss_count && i < NAMES_TOLD; i++) {
        char name[SHORT_NAME_SIZE];
        const size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s'%s'", i == 0 ? "" : ", ",
                 short_name(model, model->nodes[report->misses[i].node].name, name));
    }
    err_set(&err, ERR_CLIP_NO_MATCH, "'%s' on '%s': strict, and nodes with keys have no partner (%u): %s%s",
            request->sources[source].path, request->model, report->miss_count, names,
            report->miss_count > NAMES_TOLD ? ", .." : "");
    return context_fail(e->context, &err);
}

static bool refuse_idle_rules(struct export *e)
{
    const struct clip_sources *clips = e->other_files;
    struct err err;
    for (uint32_t i = 0; i < e->context->request->retarget.renames.count; i++)
        if (clip_sources_rule_is_idle(clips, i)) {
            err_set(&err, ERR_BAD_PARAMETER,
                    "parameter 'rename_joints': strict, and rule '%.200s' renames no node of the clips' files",
                    e->context->request->retarget.renames.rules[i].text);
            return context_fail(e->context, &err);
        }
    return true;
}

static bool check_strict(struct export *e)
{
    const struct clip_sources *clips = e->other_files;
    bool is_good = !e->context->request->export.is_strict || refuse_idle_rules(e);
    for (uint32_t s = 0; is_good && e->context->request->export.is_strict && s < clips->count; s++) {
        struct retarget_report report;
        retarget_report_init(&report, &clips->own[s]);
        for (uint32_t c = 0; c < clips->own[s].source->clip_count; c++)
            retarget_report_add(&report, (int32_t)c);
        is_good = refuse_misses(e, s, &report);
        retarget_report_fini(&report);
    }
    return is_good;
}

/* --- the clips --- */

/* Makes the channels of all clips of a file before any clip is copied. Retargeting by rest pose can reallocate the keys
 * for each clip, and shared copies are recognised by their address. Errors become the reply's, except for a clip that
 * moves nothing here: *no_match receives the first of these, because the other clips may still match. */
static bool make_clips(struct export *e, struct retarget *view, const char *path, struct err *no_match)
{
    struct err err;
    for (uint32_t c = 0; c < view->source->clip_count; c++) {
        if (retarget_clip(view, c, &err) == 0)
            continue;
        if (err.code != ERR_CLIP_NO_MATCH) {
            err_prefix(&err, "'%s' on '%s'", path, e->context->request->model);
            return context_fail(e->context, &err);
        }
        *no_match = no_match->code == 0 ? err : *no_match;
    }
    return export_is_affordable(e, view->steps);
}

bool export_make_other_clips(struct export *e)
{
    const struct clip_sources *clips = e->other_files;
    e->clips.no_matches = export_array(e, clips->count, sizeof *e->clips.no_matches);
    bool is_good = e->clips.no_matches != NULL && (clips->count == 0 || check_strict(e));
    for (uint32_t s = 0; s < clips->count && is_good; s++) {
        const char *path = e->context->request->sources[s].path;
        struct err err;
        err_set(&err, ERR_CLIP_NOT_FOUND, "the clip file '%s' has no clips", path);
        is_good = clips->own[s].source->clip_count > 0 ? make_clips(e, &clips->own[s], path, &e->clips.no_matches[s])
                                                       : context_fail(e->context, &err);
    }
    return is_good;
}

/* Takes all clips of a file that move something here. A file without such a clip is an error. */
static bool take_file(struct export *e, uint32_t source)
{
    const struct request *request = e->context->request;
    struct retarget *view = &e->other_files->own[source];
    const char *path = request->sources[source].path;
    const uint32_t count = view->source->clip_count, before = e->clips.count;
    struct err err = e->clips.no_matches[source];
    for (uint32_t c = 0; c < count; c++) {
        char name[SHORT_NAME_SIZE];
        if (view->model.clips[c].channel_count == 0 && view->source->clips[c].channel_count > 0) {
            export_warn(e, "clip_left_out", "'%s': clip %u '%s' moves no node of the model", path, c,
                        short_name(view->source, view->source->clips[c].name, name));
            continue;
        }
        struct export_clip *clip = &e->clips.clips[e->clips.count];
        const uint32_t taken = e->clips.count;
        if (!export_take_clip(e, &view->model, c))
            return false;
        if (e->clips.count > taken) {
            clip->origin = view->source;
            clip->file = source + 1;
        }
        context_check_stop(e->context);
        if (buf_failed(e->out))
            return context_fail_too_large(e->context);
    }
    if (e->clips.count > before || err.code == 0)
        return true;
    err_prefix(&err, "'%s' on '%s'", path, request->model);
    return context_fail(e->context, &err);
}

/* --- names --- */

static struct str name_of(const struct export_clip *clip) { return clip->origin->clips[clip->index].name; }

static void put_clip_name_text(struct buf *out, const struct export_clip *clip)
{
    const struct str name = name_of(clip);
    if (name.offset != STR_NONE && name.size_bytes > 0)
        buf_put(out, clip->origin->text + name.offset, name.size_bytes);
    else
        buf_printf(out, "%u", clip->index);
}

/* "anims/run.fbx": "run" */
static void put_file_name(struct buf *out, const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash == NULL ? path : slash + 1, *dot = strrchr(base, '.');
    buf_put(out, base, dot == NULL || dot == base ? strlen(base) : (size_t)(dot - base));
}

static void put_by_pattern(struct buf *out, const char *pattern, const char *path, const struct export_clip *clip)
{
    while (*pattern != '\0') {
        const bool is_file = strncmp(pattern, "{file}", 6) == 0, is_clip = strncmp(pattern, "{clip}", 6) == 0;
        if (is_file)
            put_file_name(out, path);
        else if (is_clip)
            put_clip_name_text(out, clip);
        else
            buf_put_char(out, *pattern);
        pattern += is_file || is_clip ? 6 : 1;
    }
}

/* A name in the file: text in e->clips.names. */
struct named {
    const struct export *e;
    uint32_t clip;
};

static int by_name(const void *a, const void *b)
{
    const struct named *one = a, *other = b;
    const struct export_clip *x = &one->e->clips.clips[one->clip], *y = &other->e->clips.clips[other->clip];
    const char *text = one->e->clips.names.data;
    const uint32_t size_bytes = x->name.size_bytes < y->name.size_bytes ? x->name.size_bytes : y->name.size_bytes;
    int order = size_bytes == 0 ? 0 : memcmp(text + x->name.offset, text + y->name.offset, size_bytes);
    if (order == 0)
        order = (x->name.size_bytes > y->name.size_bytes) - (x->name.size_bytes < y->name.size_bytes);
    return order != 0 ? order : (one->clip > other->clip) - (one->clip < other->clip);
}

/* Sorts all clips by name. */
static struct named *sort_names(struct export *e)
{
    struct named *order = export_array(e, e->clips.count, sizeof *order);
    for (uint32_t i = 0; order != NULL && i < e->clips.count; i++)
        order[i] = (struct named){e, i};
    if (order != NULL)
        qsort(order, e->clips.count, sizeof *order, by_name);
    return order;
}

static bool have_one_name(const struct export *e, const struct named *one, const struct named *other)
{
    const struct str x = e->clips.clips[one->clip].name, y = e->clips.clips[other->clip].name;
    return x.size_bytes == y.size_bytes &&
           memcmp(e->clips.names.data + x.offset, e->clips.names.data + y.offset, x.size_bytes) == 0;
}

/* Names clips of other files, and that of layers, by the pattern, or, if it is NULL, by their own names; the model's
 * clips keep theirs.
 * False: too long. */
static bool put_names(struct export *e, const char *pattern, const uint32_t *counts)
{
    const struct request *request = e->context->request;
    struct buf *names = &e->clips.names;
    buf_clear(names);
    e->clips.has_names = true;
    for (uint32_t i = 0; i < e->clips.count; i++) {
        struct export_clip *clip = &e->clips.clips[i];
        const char *path = clip->file > 0       ? request->sources[clip->file - 1].path
                           : e->blended != NULL ? request->model
                                                : NULL;
        const uint32_t begin = (uint32_t)names->size_bytes;
        if (path == NULL || (pattern == NULL && counts == NULL))
            put_clip_name_text(names, clip);
        else
            put_by_pattern(names,
                           pattern != NULL           ? pattern
                           : counts[clip->file] == 1 ? "{file}"
                                                     : "{file}_{clip}",
                           path, clip);
        clip->name = (struct str){.offset = begin, .size_bytes = (uint32_t)names->size_bytes - begin};
    }
    return !buf_failed(names) || context_fail_too_large(e->context);
}

/* Without a pattern clips keep distinct names; otherwise they are named after their files. */
static bool name_clips(struct export *e)
{
    const char *pattern = e->context->request->export.clip_names;
    uint32_t *counts = export_array(e, (size_t)e->context->request->source_count + 1, sizeof *counts);
    for (uint32_t i = 0; counts != NULL && i < e->clips.count; i++)
        counts[e->clips.clips[i].file]++;
    if (counts == NULL || !put_names(e, pattern, NULL))
        return false;
    const struct named *order = sort_names(e);
    bool has_twins = false;
    for (uint32_t i = 1; order != NULL && i < e->clips.count; i++)
        has_twins = has_twins || have_one_name(e, &order[i - 1], &order[i]);
    if (order == NULL || (has_twins && pattern == NULL && !put_names(e, NULL, counts)))
        return false;
    order = has_twins ? sort_names(e) : order;
    uint32_t number = 1; /* of equal names the second becomes name_2 */
    for (uint32_t i = 1; has_twins && order != NULL && i < e->clips.count; i++) {
        number = have_one_name(e, &order[i - 1], &order[i]) ? number + 1 : 1;
        e->clips.clips[order[i].clip].number = number;
    }
    return order != NULL;
}

/* --- the whole step --- */

/* Records the model's own clips, so that the header reports joints that no clip moves. */
static bool keep_own_clips(struct export *e)
{
    int32_t *own = context_array(e->context, &e->context->workspace->moved, e->clips.count, sizeof *own);
    for (uint32_t i = 0; own != NULL && i < e->clips.count; i++)
        own[i] = (int32_t)e->clips.clips[i].index;
    e->context->own_clips = own;
    e->context->own_clip_count = e->clips.count;
    return own != NULL;
}

bool export_take_other_files(struct export *e)
{
    const uint32_t count = e->other_files->count;
    const char *pattern = e->context->request->export.clip_names;
    if (count == 0)
        return e->blended == NULL || pattern == NULL || put_names(e, pattern, NULL);
    if (!keep_own_clips(e))
        return false;
    for (uint32_t s = 0; s < count; s++)
        if (!take_file(e, s))
            return false;
    return name_clips(e);
}

uint64_t export_other_clip_count(const struct export *e)
{
    const struct clip_sources *clips = e->other_files;
    uint64_t count = 0;
    for (uint32_t s = 0; s < clips->count; s++)
        count += clips->own[s].source->clip_count;
    return count;
}

void export_put_clip_name(struct export *e, const struct export_clip *clip)
{
    if (!e->clips.has_names) {
        glb_put_name(e->out, clip->origin, name_of(clip));
        return;
    }
    struct buf text;
    buf_init(&text, 0);
    buf_put(&text, e->clips.names.data + clip->name.offset, clip->name.size_bytes);
    if (clip->number > 1)
        buf_printf(&text, "_%u", clip->number);
    buf_put_text(e->out, "\"name\":");
    json_put_string(e->out, text.size_bytes == 0 ? "" : text.data, text.size_bytes);
    buf_put_char(e->out, ',');
    buf_fini(&text);
}

void export_put_clip_files(struct export *e)
{
    for (uint32_t s = 0; s < e->context->clips->count && !buf_failed(e->out); s++) {
        buf_put_text(e->out, s == 0 ? ",\"clip_files\":[" : ",");
        clip_sources_put_file(e->context, s);
    }
    if (e->context->clips->count > 0)
        buf_put_char(e->out, ']');
}
