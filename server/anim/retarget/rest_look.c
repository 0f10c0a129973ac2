#include "anim/retarget/rest_look.h"

#include "anim/humanoid/humanoid.h"
#include "anim/retarget/rest_rig.h"

static void find_eyes(struct given_look *out, const struct rest_rig *rig)
{
    for (int i = 0; i < 2; i++) {
        const int32_t eye = rig->humanoid.nodes[ROLE_LEFT_EYE + i];
        const bool is_turned = out->gaze.kind == GAZE_BONE && eye >= 0;
        out->eyes[i] = is_turned ? eye : -1;
        out->eye[i] = rest_rig_eye(rig, is_turned ? (uint32_t)eye : out->head, i == 1);
    }
}

int rest_look_find(struct given_look *out, const struct model *model, struct err *err)
{
    struct humanoid humanoid;
    struct rest_rig rig;
    *out = (struct given_look){0};
    if (model->gaze_count == 0 || !humanoid_of_model(model, &humanoid) || humanoid.nodes[ROLE_HEAD] < 0)
        return err_set(err, ERR_BAD_PARAMETER, "look: the model does not say how it looks somewhere, as VRM files do");
    const int rc = rest_rig_init(&rig, model, &humanoid, err);
    if (rc == 0) {
        out->gaze = model->gazes[0];
        out->head = (uint32_t)humanoid.nodes[ROLE_HEAD];
        out->scene_from_head = rig.scene_from_node[out->head];
        find_eyes(out, &rig);
    }
    rest_rig_fini(&rig);
    return rc;
}
