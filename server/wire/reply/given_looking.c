#include "wire/reply/given_looking.h"

#include "anim/retarget/rest_rig.h"
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

int given_look_find(struct given_look *out, const struct given_weights *weights, struct err *err)
{
    const struct model *model = weights->model;
    const struct request_look *asked = &weights->asked->look;
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
    }
    rest_rig_fini(&rig);
    if (out->kind == LOOK_NONE)
        return err->code;
    if (out->eyes[0] < 0 && out->eyes[1] < 0 && !given_looks_are_any(weights))
        return err_set(err, ERR_BAD_PARAMETER, "look: the model has neither eyes that turn nor expressions that look");
    if (out->gaze.kind == GAZE_EXPRESSION && out->kind == LOOK_ANGLES)
        *out = (struct given_look){0}; /* the expressions' weights say it all */
    else
        given_looks_find(out, weights);
    return 0;
}
