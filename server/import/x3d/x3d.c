#include "import/x3d/x3d.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- the head of the file --- */

static void read_head(struct x3d *x3d)
{
    const struct xml *xml = &x3d->xml;
    struct model_info *info = x3d->import->info;
    info->flags |= MODEL_HAS_UP | MODEL_HAS_UNIT; /* 19775-1, 4.3.6: y is up, lengths are metres */
    const uint32_t head = x3d_child(xml, 0, "head");
    for (uint32_t e = xml_child(xml, head, NULL); e != XML_NONE; e = xml_next(xml, e, NULL)) {
        const char *name = xml_get(xml, e, "name"), *content = xml_get(xml, e, "content");
        const char *category = xml_get(xml, e, "category"), *factor = xml_get(xml, e, "conversionFactor");
        if (xml_is(xml, e, "meta") && name != NULL && content != NULL && strcmp(name, "generator") == 0)
            info->generator = bake_textz(x3d->import->builder, content);
        if (xml_is(xml, e, "unit") && category != NULL && factor != NULL && strcmp(category, "length") == 0) {
            const float unit_m = (float)strtod(factor, NULL);
            if (unit_m > 0 && isnormal(unit_m))
                info->unit_m = unit_m;
        }
    }
}

static int read_all(struct x3d *x3d, struct err *err)
{
    struct import *import = x3d->import;
    struct xml *xml = &x3d->xml;
    if (x3d_xml_parse(xml, import->bytes, import->size_bytes, err) < 0)
        return err->code;
    if (!xml_is(xml, 0, "X3D"))
        return err_set(err, ERR_BAD_MODEL, "line %u: the file's element is <%.60s>, not <X3D>", xml->elements[0].line,
                       xml_tag(xml, 0));
    const uint32_t scene = x3d_child(xml, 0, "Scene");
    if (scene == XML_NONE)
        return err_set(err, ERR_BAD_MODEL, "the file has no <Scene>");
    x3d->mesh_of = mem_alloc(xml->element_count * sizeof *x3d->mesh_of);
    x3d->materials_of = mem_alloc(xml->element_count * sizeof *x3d->materials_of);
    memset(x3d->mesh_of, 0xff, xml->element_count * sizeof *x3d->mesh_of); /* -1 */
    memset(x3d->materials_of, 0xff, xml->element_count * sizeof *x3d->materials_of);
    read_head(x3d);
    if (x3d_scene(x3d, scene, err) < 0)
        return err->code;
    return import->builder->is_failed ? import_full(import, err) : 0;
}

int import_x3d(struct import *import, struct err *err)
{
    struct x3d x3d = {.import = import, .plain_material = -1};
    const int rc = read_all(&x3d, err);
    xml_fini(&x3d.xml);
    free(x3d.mesh_of);
    free(x3d.materials_of);
    return rc;
}
