/* fbx_document.c - what the file says about itself (SceneInfo), and what of its surfaces the model does not have. */
#include "import/fbx/fbx_primitive.h"

#include "import/text/document_facts.h"

#include <stdio.h>

int fbx_read_document(struct fbx *fbx, struct err *err)
{
    static const char *const FACTS[] = {"Title", "Subject", "Author", "Keywords", "Revision", "Comment"};
    const struct fbx_file *file = &fbx->scene.file;
    const uint32_t header = fbx_child(file, FBX_TOP, "FBXHeaderExtension");
    const uint32_t info = header == FBX_NONE ? FBX_NONE : fbx_child(file, header, "SceneInfo");
    const uint32_t data = info == FBX_NONE ? FBX_NONE : fbx_child(file, info, "MetaData");
    struct buf facts;
    if (data == FBX_NONE)
        return 0;
    buf_init(&facts, 0);
    for (size_t i = 0; i < sizeof FACTS / sizeof *FACTS; i++) {
        const struct fbx_span text = fbx_child_text(file, data, FACTS[i]);
        document_fact_add(&facts, FACTS[i], (const char *)text.bytes, text.size_bytes);
    }
    const int rc = document_facts_put(fbx->import, &facts, "SceneInfo", err);
    buf_fini(&facts);
    return rc;
}

static void drop(const struct fbx_mesh_reader *reader, const char *what)
{
    const struct bake_builder *builder = reader->fbx->builder;
    const struct str name = builder->nodes[reader->node].name;
    char where[80];
    snprintf(where, sizeof where, "node '%.*s'", name.offset == STR_NONE ? 0 : (int)name.size_bytes,
             name.offset == STR_NONE ? "" : builder->text + name.offset);
    import_drop(reader->fbx->import, "attribute", what, where);
}

void fbx_drop_layers(const struct fbx_mesh_reader *reader)
{
    const struct fbx_surface *surface = &reader->surface;
    for (uint32_t i = 0; i < surface->uv_count; i++) {
        const struct fbx_layer_element *uvs = &surface->uvs[i];
        char what[64];
        if (uvs == reader->corners.uvs[0] || uvs == reader->corners.uvs[1])
            continue;
        snprintf(what, sizeof what, "UV layer '%.*s'", (int)(uvs->name.size_bytes < 40 ? uvs->name.size_bytes : 40),
                 (const char *)uvs->name.bytes);
        drop(reader, what);
    }
    if (surface->has_more_colors)
        drop(reader, "further colours of vertices");
    if (surface->tangents.value_count > 0 && !reader->corners.is_tangent_wanted)
        drop(reader, "tangents, which no texture of the material needs");
}
