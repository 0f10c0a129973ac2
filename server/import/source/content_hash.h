/* content_hash.h - the identity of a model's content: what answers are made from, not where it lay. Pure; any thread.
 */
#pragma once

#include "anim/bake/bake.h"

#include <stdint.h>

/* SHA-256 over all that was imported: of each section of model_sections.def, in its order, the id (u32), the number of
 * elements (u64) and the elements, with the content hash itself as zeros. Call it after bake_finish() and before
 * source_files_record(): paths and stamps of files are not content, so a copy elsewhere is the same; a texture that is
 * missing, undecodable or over a limit leaves other elements behind, so it is not. */
void content_hash(const struct bake_builder *builder, uint8_t out[32]);
