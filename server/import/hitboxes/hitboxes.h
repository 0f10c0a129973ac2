/* hitboxes.h - the hitbox file beside a model: hero.hitboxes.json of hero.glb (protocol/hits.md). One thread. */
#pragma once

#include "import/source/import.h"

/* Reads the file, if it exists and the model may open it, and adds its volumes to the builder. Runs after the format's
 * reader, which adds the nodes. An invalid file gives a warning (HITBOXES_WARNING of anim/hits), which names the file,
 * the volume, its joint and the field. Then the whole file is left out, and hit requests answer with that error.
 * Returns 0, or ERR_MODEL_LIMIT. */
int import_hitboxes(struct import *import, struct err *err);

/* Reads the file's bytes; messages call the file `name`. Adds nothing if it returns ERR_BAD_HITBOXES. */
int hitboxes_read(struct import *import, const char *name, const uint8_t *bytes, size_t size_bytes, struct err *err);
