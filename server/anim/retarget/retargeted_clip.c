/* retargeted_clip.c - retargets one clip and compiles it. */
#include "anim/retarget/retargeted_clip.h"

#include "anim/bake/bake_check.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { COMPILED_BYTES_MAX = 64 << 20 };

static void copy_names(struct retargeted_clip *retargeted, const struct name_map *names)
{
    struct err err;
    size_t size_bytes = 0, at = 0;
    for (uint32_t i = 0; i < names->count; i++)
        size_bytes += names->rules[i].text_bytes + (size_t)1;
    retargeted->rules = mem_alloc(names->count * sizeof *retargeted->rules + 1);
    retargeted->rule_texts = mem_alloc(size_bytes + 1);
    for (uint32_t i = 0; i < names->count; i++) {
        char *text = retargeted->rule_texts + at;
        memcpy(text, names->rules[i].text, names->rules[i].text_bytes + (size_t)1);
        name_rule_parse(&retargeted->rules[i], text, &err); /* the original was parsed before */
        at += names->rules[i].text_bytes + (size_t)1;
    }
    retargeted->held_bytes += size_bytes + names->count * (sizeof *retargeted->rules + 1);
}

/* The numbers come from a file, even though from a checked model, so the result must pass the same checks as an
 * importer's. */
static bool is_sound(const struct model *retargeted)
{
    struct err err;
    return bake_check_compiled(retargeted, &err) == 0;
}

static void compile(struct retargeted_clip *retargeted)
{
    struct model *model = &retargeted->retarget.model;
    if (!clip_compile_one(model, retargeted->clip, COMPILED_BYTES_MAX, &retargeted->compiled))
        return;
    clip_sections_use(&retargeted->compiled, model);
    if (!is_sound(model)) {
        clip_sections_fini(&retargeted->compiled);
        clip_sections_use(&retargeted->compiled, model);
    }
    retargeted->held_bytes += retargeted->compiled.size_bytes;
}

int retargeted_clip_new(struct retargeted_clip **out, const struct model *model, const struct model *source,
                        const struct name_map *names, const struct rest_options *rest, uint32_t clip, struct err *err)
{
    struct retargeted_clip *retargeted = mem_zalloc(1, sizeof *retargeted);
    *out = NULL;
    retargeted->clip = clip;
    retargeted->ref_count = 1;
    copy_names(retargeted, names);
    const struct name_map copy = {.rules = retargeted->rules, .count = names->count};
    retarget_init(&retargeted->retarget, model, source, &copy);
    int rc = rest != NULL ? retarget_set_rest(&retargeted->retarget, rest, err) : 0;
    if (rc == 0)
        rc = retarget_clip(&retargeted->retarget, clip, err);
    if (rc < 0) {
        retargeted_clip_unref(retargeted);
        return rc;
    }
    retargeted->held_bytes += sizeof *retargeted + retarget_close(&retargeted->retarget);
    compile(retargeted);
    *out = retargeted;
    return 0;
}

struct retargeted_clip *retargeted_clip_ref(struct retargeted_clip *retargeted)
{
    atomic_fetch_add_explicit(&retargeted->ref_count, 1, memory_order_relaxed);
    return retargeted;
}

void retargeted_clip_unref(struct retargeted_clip *retargeted)
{
    if (retargeted == NULL || atomic_fetch_sub_explicit(&retargeted->ref_count, 1, memory_order_acq_rel) > 1)
        return;
    clip_sections_fini(&retargeted->compiled);
    retarget_fini(&retargeted->retarget);
    free(retargeted->rules);
    free(retargeted->rule_texts);
    free(retargeted);
}
