#include "wire/crowd/crowd_poses.h"

#include "base/mem.h"

#include <stdlib.h>

/* A pose for a model, or why there is none. */
struct crowd_pose_made {
    struct crowd_pose_made *next;
    const struct model *model;
    struct given_pose given;
    struct err err;
};

void crowd_poses_init(struct crowd_poses *poses, const struct crowd_request *crowd, const struct limits *limits)
{
    *poses = (struct crowd_poses){.crowd = crowd, .numbers_most = limits->value[LIMIT_GIVEN_VALUES]};
    if (crowd->pose_count > 0)
        poses->first = mem_zalloc(crowd->pose_count, sizeof(struct crowd_pose_made *));
}

void crowd_poses_fini(struct crowd_poses *poses)
{
    for (uint32_t p = 0; p < poses->crowd->pose_count; p++)
        while (poses->first[p] != NULL) {
            struct crowd_pose_made *made = poses->first[p];
            poses->first[p] = made->next;
            given_pose_fini(&made->given);
            free(made);
        }
    free(poses->first);
    poses->first = NULL;
}

static int make(const struct crowd_pose *asked, const struct model *model, struct given_pose *given, struct err *err)
{
    uint32_t first = 0;
    if (asked->nodes[asked->node_count - 1].node >= model->node_count)
        return err_set(err, ERR_JOINT_NOT_FOUND, "there is no node %u; there are %u",
                       asked->nodes[asked->node_count - 1].node, model->node_count);
    given->nodes = mem_alloc(asked->node_count * sizeof *given->nodes);
    given->times_s = mem_zalloc(1, sizeof *given->times_s);
    given->values = mem_alloc(asked->number_count * sizeof *given->values);
    given->frame_count = 1;
    given->frame_values = asked->number_count;
    for (uint32_t n = 0; n < asked->node_count; n++) {
        given->nodes[given->node_count++] =
            (struct given_node){.node = asked->nodes[n].node, .parts = asked->nodes[n].parts, .first = first};
        first += given_part_values(asked->nodes[n].parts);
    }
    for (uint32_t i = 0; i < asked->number_count; i++)
        given->values[i] = (double)asked->numbers[i];
    return given_pose_finish(given, model, err);
}

/* NULL: the request has ended. */
static struct crowd_pose_made *add(struct crowd_poses *poses, const struct model *model, uint32_t pose)
{
    const struct crowd_pose *asked = &poses->crowd->poses[pose];
    poses->numbers += asked->number_count;
    if (poses->numbers > poses->numbers_most) {
        err_set(&poses->ended, ERR_TOO_MANY_FRAMES,
                "the given poses of all models have more than %llu numbers; ask for fewer",
                (unsigned long long)poses->numbers_most);
        return NULL;
    }
    struct crowd_pose_made *made = mem_zalloc(1, sizeof *made);
    made->model = model;
    made->next = poses->first[pose];
    poses->first[pose] = made;
    if (make(asked, model, &made->given, &made->err) < 0)
        err_prefix(&made->err, "given pose %u", pose);
    return made;
}

const struct given_pose *crowd_poses_find(struct crowd_poses *poses, const struct model *model, uint32_t pose,
                                          struct err *err)
{
    struct crowd_pose_made *made = poses->first[pose];
    while (made != NULL && made->model != model)
        made = made->next;
    if (made == NULL)
        made = add(poses, model, pose);
    if (made == NULL || made->err.code != 0)
        *err = made == NULL ? poses->ended : made->err;
    return made == NULL || made->err.code != 0 ? NULL : &made->given;
}
