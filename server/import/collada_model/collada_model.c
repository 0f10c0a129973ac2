/* collada_model.c - import_collada() runs the steps from a file's bytes to the builder (collada_model.h). */
#include "import/collada_model/collada_model.h"

#include <stdlib.h>
#include <string.h>

static void model_fini(struct collada_model *model)
{
    collada_fini(&model->collada);
    free(model->parent_from_node);
    free(model->depths);
    free(model->by_element);
    free(model->materials);
    free(model->morphed);
    free(model->skin_hashes);
}

/* Refuses a file without meshes, nodes and animations. */
static int check_content(const struct collada_model *model, struct err *err)
{
    if (model->builder->primitive_count == 0 && model->builder->clip_count == 0 && model->collada.node_count <= 1)
        return err_set(err, ERR_BAD_MODEL, "the file holds no mesh, no skeleton and no animation");
    return 0;
}

static int read_all(struct collada_model *model, const char *name, const uint8_t *bytes, size_t size_bytes,
                    struct err *err)
{
    struct import *import = model->import;
    if (collada_read(&model->collada, name, bytes, size_bytes, import->limits, import->builder, err) < 0)
        return err->code;
    collada_read_asset(model);
    if (collada_read_copyright(model, err) < 0 || collada_read_facts(model, err) < 0 ||
        collada_read_nodes(model, err) < 0 || collada_read_materials(model, err) < 0 ||
        collada_read_instances(model, err) < 0 || collada_read_cameras(model, err) < 0 ||
        collada_add_clips(model, err) < 0 || check_content(model, err) < 0)
        return err->code;
    return model->builder->is_failed ? import_full(import, err) : 0;
}

static bool is_archive(const struct import *import)
{
    const struct file_format *format = file_format_of(import->path);
    return format != NULL && strcmp(format->extension, "zae") == 0;
}

int import_collada(struct import *import, struct err *err)
{
    struct collada_archive archive = {.folder = ""};
    struct collada_model model = {.import = import, .builder = import->builder, .default_material = -1};
    int rc = 0;
    if (is_archive(import)) {
        model.archive = &archive;
        rc = collada_archive_open(&archive, import, err);
    }
    if (rc == 0)
        rc = model.archive != NULL
                 ? read_all(&model, archive.document_name, archive.document, archive.document_bytes, err)
                 : read_all(&model, import_file_name(import), import->bytes, import->size_bytes, err);
    model_fini(&model);
    if (model.archive != NULL)
        collada_archive_fini(&archive);
    return rc;
}
