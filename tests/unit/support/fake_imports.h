/* fake_imports.h - an import pool without processes: what the cache submits stays there until the test says how it
 * ends. The real pool's functions pass on what is for this one (the linker's --wrap, see the Makefile). */
#pragma once

#include "daemon/importer/import_pool.h"
#include "tests/unit/support/temp_tree.h"

/* One at a time. The models are made of the files under this tree. */
struct import_pool *fake_imports(const struct temp_tree *root);
/* service_new() gets this pool, too, until fake_imports() is called again. */
void fake_imports_for_services(const struct temp_tree *root);

extern struct fake_imports {
    const struct temp_tree *root;
    struct import_job *jobs[16]; /* submitted, in this order; NULL: ended */
    uint32_t submitted;
    uint32_t dropped; /* jobs that were queued when nobody waited for them any more */
    bool is_full;     /* submits are refused */
    bool is_of_services;
} fake;

/* The last job begins; ends with a model of the file as it was then, or with an error. */
void fake_begin(void);
void fake_end_well(void);
void fake_end_badly(int code);
