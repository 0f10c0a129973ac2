/* hitboxes.h - the hitbox file beside a model: hero.hitboxes.json of hero.glb (protocol/hits.md). One thread. */
#pragma once

#include "import/source/import.h"

/* Reads the file, if there is one that the model may open, and adds what it says to the builder. A file that is not as
 * it must be is a warning (HITBOXES_WARNING of anim/hits) that names the file, the volume, its joint and the field, and
 * all of it is left out: answers about hits are that error then. After the reader, which has added the nodes. Returns
 * 0, or ERR_MODEL_LIMIT. */
int import_hitboxes(struct import *import, struct err *err);

/* The same of the file's bytes; name: what messages call it. Adds nothing when it returns ERR_BAD_HITBOXES. */
int hitboxes_read(struct import *import, const char *name, const uint8_t *bytes, size_t size_bytes, struct err *err);
