#include "wire/operations/reply_estimate.h"

#include "wire/operations/answers.h"
#include "wire/operations/reply_make.h"
#include "wire/reply/clip_sources.h"
#include "wire/reply/frame_reply.h"

bool reply_estimate(struct workspace *workspace, const struct model *model, const struct model *const *sources,
                    const struct request *request, const struct limits *limits, uint64_t *bytes, struct reply *reply)
{
    struct reply_context context;
    struct clip_sources clips;
    const struct frame_writer *writer = frame_writer_of(request);
    *bytes = UINT64_MAX;
    if (!op_has(request->op, OP_SELECTS))
        return true;
    clip_sources_init(&clips, sources, request);
    workspace->retargeted_clips.is_missing = false;
    bool is_good = context_start(&context, workspace, model, &clips, request, limits, reply) &&
                   (writer == NULL || frame_reply_start(&context, writer));
    if (is_good && writer != NULL)
        *bytes = frame_reply_bytes(&context);
    else if (is_good && OPERATIONS[request->op].bytes != NULL)
        *bytes = OPERATIONS[request->op].bytes(&context);
    clip_sources_fini(&clips);
    workspace_trim(workspace);
    if (!workspace->retargeted_clips.is_missing)
        return is_good;
    reply_fini(reply); /* clips of another file are not retargeted yet: not an error, but part of the work */
    reply_init(reply);
    return true;
}
