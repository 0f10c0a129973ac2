/* threemf_run.h - imports 3MF packages written in a test as posed-import does. */
#pragma once

#include "tests/fuzz/support/stored_zip.h"

#include "import/source/import.h"

#define THREEMF_CORE       "http://schemas.microsoft.com/3dmanufacturing/core/2015/02"
#define THREEMF_MATERIAL   "http://schemas.microsoft.com/3dmanufacturing/material/2015/02"
#define THREEMF_PRODUCTION "http://schemas.microsoft.com/3dmanufacturing/production/2015/06"

/* A model element with the three namespaces, further attributes and its content. */
#define THREEMF_MODEL(attributes, content)                                                                             \
    "<?xml version=\"1.0\"?>\n<model xmlns=\"" THREEMF_CORE "\" xmlns:m=\"" THREEMF_MATERIAL                           \
    "\" xmlns:p=\"" THREEMF_PRODUCTION "\" " attributes ">" content "</model>"
/* A mesh of one triangle with the given attributes beyond its corners. */
#define THREEMF_MESH(attributes)                                                                                       \
    "<mesh><vertices><vertex x=\"1\" y=\"2\" z=\"3\"/><vertex x=\"4\" y=\"2\" z=\"3\"/><vertex x=\"1\" y=\"7\" "       \
    "z=\"3.5\"/></vertices><triangles><triangle v1=\"0\" v2=\"1\" v3=\"2\" " attributes "/></triangles></mesh>"
#define THREEMF_RELATIONSHIPS(target)                                                                                  \
    "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\"><Relationship Id=\"a\" "    \
    "Type=\"http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel\" Target=\"" target "\"/></Relationships>"
#define THREEMF_BUILD(id) "<build><item objectid=\"" id "\"/></build>"

struct threemf_run {
    struct limits limits;
    struct source_files *files;
    struct bake_builder builder;
    struct err err;
    int rc; /* of import_threemf() and bake_finish() */
};

void threemf_run_init(struct threemf_run *run);
void threemf_run_fini(struct threemf_run *run);
void threemf_run_bytes(struct threemf_run *run, const void *bytes, size_t size_bytes);
/* Imports a package of these parts: names and texts alternate, then NULL. */
void threemf_run_parts(struct threemf_run *run, const char *const *names_and_texts);
/* Imports a package whose root is this model part. */
void threemf_run_model(struct threemf_run *run, const char *model);

bool threemf_run_warned(const struct threemf_run *run, const char *code);
