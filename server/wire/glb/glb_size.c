#include "wire/glb/glb_size.h"

#include "wire/reply/reply_context.h"

/* Estimates the JSON of everything that the file lists. */
static uint64_t things_bytes(const struct model *model)
{
    enum { THING_BYTES = 200 };
    return THING_BYTES * ((uint64_t)model->node_count + model->primitive_count + model->material_count +
                          model->channel_count + model->skin_count);
}

/* Estimates a vertex by position, normal and texture coordinates, and an influence by joint and weight. */
static uint64_t mesh_bytes(const struct model *model)
{
    enum { VERTEX_BYTES = 32, INFLUENCE_BYTES = 8, INDEX_BYTES = 4 };
    return (uint64_t)model->position_count * VERTEX_BYTES + (uint64_t)model->influence_count * INFLUENCE_BYTES +
           (uint64_t)model->index_count * INDEX_BYTES;
}

uint64_t glb_bytes(const struct reply_context *context)
{
    enum { PIXEL_BYTES_A_BYTE = 2 }; /* pixel bytes per byte of a texture's PNG */
    const struct model *model = context->model;
    const uint64_t textures = context->request->has_no_textures ? 0 : model->pixel_byte_count / PIXEL_BYTES_A_BYTE;
    const uint64_t keys = (uint64_t)model->key_value_count + model->key_time_count;
    return things_bytes(model) + mesh_bytes(model) + textures + (context->has_all_clips ? keys * sizeof(float) : 0);
}
