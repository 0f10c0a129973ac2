/* document_facts.h - what a file says about itself, such as its title and author, for files that are made of the
 * model: they have it in asset.extras. Single-threaded. */
#pragma once

#include "import/source/import.h"

/* Adds "name":"text" to `facts`, a buf without a limit. Empty text is no fact. The names are not those of
 * protocol/glb.md that posed itself writes there. */
void document_fact_add(struct buf *facts, const char *name, const char *text, size_t size_bytes);

/* Gives the facts to the model, and clears `facts`. `where` names them in messages. Returns 0 or ERR_MODEL_LIMIT. */
int document_facts_put(struct import *import, struct buf *facts, const char *where, struct err *err);
