/* fake_imports.h - an import pool without processes. Jobs of the cache stay in it until the test decides how they end.
 * The real pool's functions forward calls for this pool (the linker's --wrap, see the Makefile). */
#pragma once

#include "daemon/importer/import_pool.h"
#include "tests/unit/support/temp_tree.h"

/* Makes the only such pool. Its models come from the files under this tree. */
struct import_pool *fake_imports(const struct temp_tree *root);
/* service_new() uses this pool, too, until fake_imports() is called again. */
void fake_imports_for_services(const struct temp_tree *root);

extern struct fake_imports {
    const struct temp_tree *root;
    struct import_job *jobs[16]; /* submitted, in this order; NULL: ended */
    uint32_t submitted;
    uint32_t dropped; /* number of queued jobs that nobody waited for any more */
    bool is_full;     /* submits are refused */
    bool is_of_services;
} fake;

/* Begins the last job. Ends it with a model of the file at that time, or with an error. */
void fake_begin(void);
void fake_end_well(void);
void fake_end_badly(int code);
