#include "wire/reply/given_looking.h"

#include "anim/humanoid/expression.h"
#include "anim/retarget/rest_rig.h"
#include "base/mem.h"
#include "wire/reply/select.h"

#include <string.h>

static void find_eyes(struct given_look *out, const struct rest_rig *rig)
{
    for (int i = 0; i < 2; i++) {
        const int32_t eye = rig->humanoid.nodes[ROLE_LEFT_EYE + i];
        const bool is_turned = out->gaze.kind == GAZE_BONE && eye >= 0;
        out->eyes[i] = is_turned ? eye : -1;
        out->eye[i] = rest_rig_eye(rig, is_turned ? (uint32_t)eye : out->head, i == 1);
    }
}

/* Lists what the expressions of the gaze do to morph weights. */
static void find_binds(struct given_look *out, const struct model *model)
{
    for (int pass = 0; pass < 2; pass++) {
        if (pass == 1)
            out->binds = mem_alloc((out->bind_count + (size_t)1) * sizeof *out->binds);
        out->bind_count = 0;
        for (uint32_t look = 0; look < GAZE_LOOKS && out->gaze.kind == GAZE_EXPRESSION; look++) {
            const int32_t found = expression_find(model, GAZE_LOOK_WORDS[look], strlen(GAZE_LOOK_WORDS[look]));
            for (uint32_t b = 0; found >= 0 && b < model->expressions[found].bind_count; b++) {
                const struct expression_bind *bind = &model->expression_binds[model->expressions[found].bind_first + b];
                if (bind->kind != BIND_MORPH)
                    continue;
                if (pass == 1)
                    out->binds[out->bind_count] = (struct look_bind){
                        model->nodes[bind->target].weight_first + bind->index, bind->target, look, bind->weight};
                out->bind_count++;
            }
        }
    }
}

int given_look_find(struct given_look *out, const struct model *model, const struct request_look *asked,
                    struct err *err)
{
    struct humanoid humanoid;
    struct rest_rig rig;
    *out = (struct given_look){0};
    if (model->gaze_count == 0 || !select_humanoid(model, &humanoid) || humanoid.nodes[ROLE_HEAD] < 0)
        return err_set(err, ERR_BAD_PARAMETER, "look: the model does not say how it looks somewhere, as VRM files do");
    if (rest_rig_init(&rig, model, &humanoid, err) == 0) {
        out->kind = asked->kind;
        memcpy(out->target, asked->target, sizeof out->target);
        out->gaze = model->gazes[0];
        out->head = (uint32_t)humanoid.nodes[ROLE_HEAD];
        out->scene_from_head = rig.scene_from_node[out->head];
        find_eyes(out, &rig);
        find_binds(out, model);
    }
    rest_rig_fini(&rig);
    if (out->kind != LOOK_NONE && out->eyes[0] < 0 && out->eyes[1] < 0 && out->bind_count == 0)
        return err_set(err, ERR_BAD_PARAMETER, "look: the model has neither eyes that turn nor expressions that look");
    return out->kind != LOOK_NONE ? 0 : err->code;
}
