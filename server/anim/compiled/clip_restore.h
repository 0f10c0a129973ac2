/* clip_restore.h - makes the frames of compiled clips again, where what compiling decided is known: which clips, with
 * which frames, in which precision. That takes no measuring, and gives the bits of clip_compile.h. Pure; any thread. */
#pragma once

#include "anim/compiled/clip_sections.h"
#include "base/err.h"

/* `view`: a model that passed bake_check() with its rig and without compiled clips. `decided`: its compiled_clips and
 * frame_times, with any contents. limit_bytes: of all frames, 0 = none; a small file can have many clips, each of which
 * has its own set of all nodes. Returns 0; ERR_BAD_BAKE when a clip is not what its keys give; or ERR_NO_MEMORY, also
 * beyond the limit. After an error *sections is empty. Otherwise the caller gives them to the model, which
 * bake_check_compiled() must check, and calls clip_sections_fini() at last. */
int clip_restore(const struct model *view, const struct model *decided, uint64_t limit_bytes,
                 struct clip_sections *sections, struct err *err);
