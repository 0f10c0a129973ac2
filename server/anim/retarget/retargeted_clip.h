/* retargeted_clip.h - one clip of another file, retargeted to a model and compiled. All the slow work is done when it
 * is made, so that it can be cached and shared.
 *
 * Pure; any thread. Immutable: whoever holds a reference may read it. References are counted atomically. */
#pragma once

#include "anim/compiled/clip_compile.h"
#include "anim/retarget/retarget.h"

#include <stdatomic.h>

struct retargeted_clip {
    /* retarget.model is the model to evaluate. It has channels for this clip only and, if the clip can be compiled, the
     * same compiled sections as an imported model, based on the rig of the model itself. Names are copied. Both models
     * are borrowed for the lifetime of the retargeted clip. */
    struct retarget retarget;
    uint32_t clip;       /* index into the other file's clips */
    uint64_t held_bytes; /* memory that it holds, without both models */
    /* private */
    struct clip_sections compiled;
    struct name_rule *rules;
    char *rule_texts;
    atomic_uint_fast32_t ref_count;
};

/* names: as for retarget_init(). rest: NULL for retargeting by name. Both are borrowed for the call. Returns 0 with a
 * new reference, or what retarget_set_rest() and retarget_clip() return. */
int retargeted_clip_new(struct retargeted_clip **out, const struct model *model, const struct model *source,
                        const struct name_map *names, const struct rest_options *rest, uint32_t clip, struct err *err);

struct retargeted_clip *retargeted_clip_ref(struct retargeted_clip *retargeted);
void retargeted_clip_unref(struct retargeted_clip *retargeted); /* NULL is fine */
