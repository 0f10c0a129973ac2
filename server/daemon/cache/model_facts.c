#include "daemon/cache/model_facts.h"

#include "base/mem.h"
#include "daemon/model/root.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

enum { FACTS_MAX = 65536 };

struct fact {
    char *path;
    struct stamp stamp;
    struct model_facts facts;
    UT_hash_handle hh; /* in the order in which they came */
};

struct fact_table {
    struct fact *by_path;
};

struct model_facts model_facts_of(const struct model *model)
{
    struct model_facts facts = {.clip_count = model->clip_count, .warning_count = model->warning_count};
    for (uint32_t i = 0; i < model->skin_count; i++)
        if ((model->skins[i].flags & SKIN_RIGID) == 0)
            facts.joint_count += model->skins[i].joint_count;
    return facts;
}

struct fact_table *fact_table_new(void) { return mem_zalloc(1, sizeof(struct fact_table)); }

static void forget(struct fact_table *table, struct fact *fact)
{
    HASH_DEL(table->by_path, fact);
    free(fact->path);
    free(fact);
}

void fact_table_free(struct fact_table *table)
{
    if (table == NULL)
        return;
    while (table->by_path != NULL)
        forget(table, table->by_path);
    free(table);
}

void fact_table_note(struct fact_table *table, const char *path, const struct stamp *stamp,
                     const struct model_facts *facts)
{
    struct fact *fact;
    HASH_FIND_STR(table->by_path, path, fact);
    if (fact != NULL)
        forget(table, fact); /* it is the latest now */
    else if (HASH_COUNT(table->by_path) >= FACTS_MAX)
        forget(table, table->by_path);
    fact = mem_zalloc(1, sizeof *fact);
    *fact = (struct fact){.path = mem_strdup(path), .stamp = *stamp, .facts = *facts};
    HASH_ADD_KEYPTR(hh, table->by_path, fact->path, strlen(fact->path), fact);
}

const struct model_facts *fact_table_find(const struct fact_table *table, const char *path, const struct stamp *stamp)
{
    const struct fact *fact;
    HASH_FIND_STR(table->by_path, path, fact);
    return fact != NULL && stamp_equal(&fact->stamp, stamp) ? &fact->facts : NULL;
}
