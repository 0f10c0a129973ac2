/* model_facts.h - keeps a few numbers about each model that was in memory, for listings after the model has left it.
 *
 * The numbers belong to the file with a certain stamp at its last read; later changes of companions count at the next
 * read. The table is bounded and forgets the oldest entries first. Loop thread only. */
#pragma once

#include "anim/model/model.h"
#include "worker/import_files.h"

#include <stdint.h>

struct model_facts {
    uint32_t clip_count;
    uint32_t joint_count; /* of all skins of the file, without rigid skins */
    uint32_t warning_count;
};

struct model_facts model_facts_of(const struct model *model);

struct fact_table;

struct fact_table *fact_table_new(void);
void fact_table_free(struct fact_table *table); /* NULL is fine */
void fact_table_note(struct fact_table *table, const char *path, const struct stamp *stamp,
                     const struct model_facts *facts);
/* Returns the numbers of the file at `path` with this stamp, or NULL if it has none. Valid until the next
 * fact_table_note(). */
const struct model_facts *fact_table_find(const struct fact_table *table, const char *path, const struct stamp *stamp);
