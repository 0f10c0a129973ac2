/* clip_view.h - one clip of another file, ready to be played on a model: retargeted and compiled. What takes long is
 * done when it is made, so that it can be kept and shared.
 *
 * Pure; any thread. Immutable once it is made: who holds a reference reads it. References are counted atomically. */
#pragma once

#include "anim/compiled/clip_compile.h"
#include "anim/retarget/retarget.h"

#include <stdatomic.h>

struct clip_view {
    /* Its model is what to evaluate: it has channels of this clip alone and, unless the clip is none that can be
     * compiled, the compiled sections that an imported model has, by the rig of the model itself. Its names are a copy.
     * Both models are borrowed for as long as anybody reads it. */
    struct retarget retarget;
    uint32_t clip;       /* an index into the other file's clips */
    uint64_t held_bytes; /* of memory, beside both models */
    /* private */
    struct clip_sections compiled;
    struct name_rule *rules;
    char *rule_texts;
    atomic_uint_fast32_t ref_count;
};

/* names: as for retarget_init(); rest: NULL for a clip by name; both are borrowed for the call. Returns 0 with a new
 * reference, or what retarget_set_rest() and retarget_clip() return. */
int clip_view_new(struct clip_view **out, const struct model *model, const struct model *source,
                  const struct name_map *names, const struct rest_options *rest, uint32_t clip, struct err *err);

struct clip_view *clip_view_ref(struct clip_view *view);
void clip_view_unref(struct clip_view *view); /* NULL is fine */
