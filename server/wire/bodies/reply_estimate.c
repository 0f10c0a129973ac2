#include "wire/bodies/reply_estimate.h"

#include "wire/bodies/reply_make.h"
#include "wire/reply/clip_sources.h"
#include "wire/reply/frame_reply.h"

/* A PNG of a texture beside its pixels, about; the JSON part of a GLB file for each thing that it lists; a row of
 * /v1/bounds; a key as text. */
enum { PIXEL_BYTES_A_BYTE = 2, THING_BYTES = 200, BOUNDS_FRAME_BYTES = 160, KEY_NUMBER_BYTES = 11 };

static uint64_t things_bytes(const struct model *model)
{
    return THING_BYTES * ((uint64_t)model->node_count + model->primitive_count + model->material_count +
                          model->channel_count + model->skin_count);
}

/* Of the vertices: positions, normals, texture coordinates; four influences each; morph targets; indices. */
static uint64_t mesh_bytes(const struct model *model)
{
    enum { VERTEX_BYTES = 32, INFLUENCE_BYTES = 8, DELTA_BYTES = 12, INDEX_BYTES = 4 };
    return (uint64_t)model->position_count * VERTEX_BYTES + (uint64_t)model->influence_count * INFLUENCE_BYTES +
           (uint64_t)model->index_count * INDEX_BYTES;
}

static uint64_t glb_bytes(const struct model *model, const struct request *request)
{
    const uint64_t textures = request->has_no_textures ? 0 : model->pixel_byte_count / PIXEL_BYTES_A_BYTE;
    const uint64_t clips = request->op == OP_EXPORT ? (uint64_t)model->key_value_count * sizeof(float) +
                                                          (uint64_t)model->key_time_count * sizeof(float)
                                                    : 0;
    return things_bytes(model) + mesh_bytes(model) + clips + textures;
}

static uint64_t other_bytes(const struct reply_context *context)
{
    const struct request *request = context->request;
    const uint64_t frames = request->time_count > 0 ? request->time_count : 1;
    switch (request->op) {
    case OP_EXPORT:
    case OP_MESH:
        return glb_bytes(context->model, request);
    case OP_BOUNDS:
        return BOUNDS_FRAME_BYTES * frames * (1 + (request->is_per_joint ? context->model->joint_count : 0));
    case OP_KEYS:
        return (uint64_t)context->model->key_value_count * KEY_NUMBER_BYTES;
    default:
        return UINT64_MAX;
    }
}

bool reply_estimate(struct workspace *workspace, const struct model *model, const struct model *const *sources,
                    const struct request *request, const struct limits *limits, uint64_t *bytes, struct reply *reply)
{
    struct reply_context context;
    struct clip_sources clips;
    const struct frame_writer *writer = frame_writer_of(request);
    *bytes = UINT64_MAX;
    if (request->op == OP_COMPARE)
        return true;
    clip_sources_init(&clips, sources, request);
    workspace->views.is_missing = false;
    bool is_good = context_start(&context, workspace, model, &clips, request, limits, reply) &&
                   (writer == NULL || frame_reply_start(&context, writer));
    if (is_good)
        *bytes = writer != NULL ? frame_reply_bytes(&context) : other_bytes(&context);
    clip_sources_fini(&clips);
    workspace_trim(workspace);
    if (!workspace->views.is_missing)
        return is_good;
    reply_fini(reply); /* clips of another file have yet to be made ready: no error, and part of the work */
    reply_init(reply);
    return true;
}
