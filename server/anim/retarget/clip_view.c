/* clip_view.c - retargets one clip and compiles it. */
#include "anim/retarget/clip_view.h"

#include "anim/bake/bake_check.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { COMPILED_BYTES_MAX = 64 << 20 };

static void copy_names(struct clip_view *view, const struct name_map *names)
{
    struct err err;
    size_t size_bytes = 0, at = 0;
    for (uint32_t i = 0; i < names->count; i++)
        size_bytes += names->rules[i].text_bytes + (size_t)1;
    view->rules = mem_alloc(names->count * sizeof *view->rules + 1);
    view->rule_texts = mem_alloc(size_bytes + 1);
    for (uint32_t i = 0; i < names->count; i++) {
        char *text = view->rule_texts + at;
        memcpy(text, names->rules[i].text, names->rules[i].text_bytes + (size_t)1);
        name_rule_parse(&view->rules[i], text, &err); /* the original was parsed before */
        at += names->rules[i].text_bytes + (size_t)1;
    }
    view->held_bytes += size_bytes + names->count * (sizeof *view->rules + 1);
}

/* The numbers come from a file, even though from a checked model, so the result must pass the same checks as an
 * importer's. */
static bool is_sound(const struct model *view)
{
    struct err err;
    return bake_check_compiled(view, &err) == 0;
}

static void compile(struct clip_view *view)
{
    struct model *model = &view->retarget.model;
    if (!clip_compile_one(model, view->clip, COMPILED_BYTES_MAX, &view->compiled))
        return;
    clip_sections_use(&view->compiled, model);
    if (!is_sound(model)) {
        clip_sections_fini(&view->compiled);
        clip_sections_use(&view->compiled, model);
    }
    view->held_bytes += view->compiled.size_bytes;
}

int clip_view_new(struct clip_view **out, const struct model *model, const struct model *source,
                  const struct name_map *names, const struct rest_options *rest, uint32_t clip, struct err *err)
{
    struct clip_view *view = mem_zalloc(1, sizeof *view);
    *out = NULL;
    view->clip = clip;
    view->ref_count = 1;
    copy_names(view, names);
    const struct name_map copy = {.rules = view->rules, .count = names->count};
    retarget_init(&view->retarget, model, source, &copy);
    int rc = rest != NULL ? retarget_set_rest(&view->retarget, rest, err) : 0;
    if (rc == 0)
        rc = retarget_clip(&view->retarget, clip, err);
    if (rc < 0) {
        clip_view_unref(view);
        return rc;
    }
    view->held_bytes += sizeof *view + retarget_close(&view->retarget);
    compile(view);
    *out = view;
    return 0;
}

struct clip_view *clip_view_ref(struct clip_view *view)
{
    atomic_fetch_add_explicit(&view->ref_count, 1, memory_order_relaxed);
    return view;
}

void clip_view_unref(struct clip_view *view)
{
    if (view == NULL || atomic_fetch_sub_explicit(&view->ref_count, 1, memory_order_acq_rel) > 1)
        return;
    clip_sections_fini(&view->compiled);
    retarget_fini(&view->retarget);
    free(view->rules);
    free(view->rule_texts);
    free(view);
}
