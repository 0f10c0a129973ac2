/* threemf.c - import_threemf(): runs the steps from a package's bytes to the builder (threemf.h). */
#include "import/threemf/threemf.h"

#include "import/texture/texture_mix.h"

#include <stdlib.h>

static void fini(struct threemf *threemf)
{
    for (uint32_t i = 0; i < threemf->part_count; i++)
        free(threemf->parts[i].path);
    for (uint32_t i = 0; i < threemf->object_count; i++) {
        free(threemf->objects[i].points);
        free(threemf->objects[i].triangles);
    }
    for (uint32_t i = 0; i < threemf->group_count; i++)
        free(threemf->groups[i].path);
    free(threemf->parts);
    free(threemf->objects);
    free(threemf->groups);
    free(threemf->resources);
    free(threemf->uses);
    free(threemf->items);
    free(threemf->bases);
    free(threemf->colors);
    free(threemf->texcoords);
    free(threemf->shares);
    free(threemf->pindices);
    free(threemf->lists);
    free(threemf->finishes);
    threemf_materials_free(threemf->materials);
    zip_reader_free(threemf->zip);
}

static int read_all(struct threemf *threemf, struct err *err)
{
    struct import *import = threemf->import;
    threemf->zip = zip_reader_new(import->bytes, import->size_bytes, import->limits, err);
    if (threemf->zip == NULL || threemf_find_root(threemf, err) < 0)
        return err->code;
    /* A part's references add further parts behind it. */
    for (uint32_t part = 0; part < threemf->part_count; part++)
        if (threemf_read_part(threemf, part, err) < 0)
            return err->code;
    if (threemf_link(threemf, err) < 0 || threemf_make_nodes(threemf, err) < 0)
        return err->code;
    struct texture_mixer mixer; /* its end numbers the textures */
    texture_mixer_init(&mixer, import->builder, import->limits);
    texture_mixer_end(&mixer);
    return import->builder->is_failed ? import_full(import, err) : 0;
}

int import_threemf(struct import *import, struct err *err)
{
    struct threemf threemf = {.import = import, .materials = threemf_materials_new()};
    const int rc = read_all(&threemf, err);
    fini(&threemf);
    return rc;
}
