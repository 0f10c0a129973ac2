/* eval_rays.c - checks the rays and targets of callers. */
#include "clients/eval/eval_hits.h"

#include <float.h>
#include <math.h>

static void to_scene(struct entity *entity, struct scene_pose *pose)
{
    *pose = (struct scene_pose){entity, entity->world_from_scene != NULL ? *entity->world_from_scene : DMAT4_IDENTITY};
    entity->world_from_scene = NULL;
}

int eval_take_poses(struct pe_evaluator *evaluator, const struct pe_model *model, const struct pe_entity *begin,
                    const struct pe_entity *end, struct eval_poses *out, struct pe_error *error)
{
    if (begin->model != model || (end != NULL && end->model != model))
        return eval_fail(error, PE_E_ARGUMENT, "the entity is of another model than what is hit");
    eval_empty_room(evaluator->taken.room);
    eval_empty_room(evaluator->end.room);
    int rc = eval_take(evaluator, begin, &evaluator->taken, &out->entities[0], error);
    if (rc == 0 && end != NULL)
        rc = eval_take(evaluator, end, &evaluator->end, &out->entities[1], error);
    if (rc < 0)
        return rc;
    to_scene(&out->entities[0], &out->begin);
    if (end != NULL)
        to_scene(&out->entities[1], &out->end);
    return 0;
}

/* Returns NULL, or the fault of a ray. */
static const char *fault_of(const struct pe_ray *ray, struct hit_ray *out)
{
    for (int i = 0; i < 3; i++)
        if (!(fabs(ray->origin[i]) <= (double)FLT_MAX) || !(fabs(ray->direction[i]) <= (double)FLT_MAX))
            return "origin and direction are not of numbers that a float can hold";
    return !(ray->most >= 0)                                       ? "most is no distance from 0"
           : !(ray->radius >= 0 && ray->radius <= (double)FLT_MAX) ? "radius is no distance from 0"
           : !(ray->at >= 0 && ray->at <= 1)                       ? "at is not in 0..1"
           : !hit_ray_finish(out)                                  ? "direction is 0"
                                                                   : NULL;
}

int eval_take_ray(const struct pe_ray *ray, uint32_t index, struct hit_ray *out, struct pe_error *error)
{
    *out = (struct hit_ray){.most = ray->most == 0 ? HUGE_VAL : ray->most,
                            .radius = ray->radius + 0, /* not -0 */
                            .at = ray->at + 0,
                            .mask = eval_mask(ray->mask),
                            .ignored = ray->has_ignored != 0 ? ray->ignored : (uint32_t)HIT_NONE};
    for (int i = 0; i < 3; i++) {
        out->origin[i] = ray->origin[i];
        out->direction[i] = ray->direction[i];
    }
    const char *fault = fault_of(ray, out);
    return fault != NULL ? eval_fail(error, PE_E_ARGUMENT, "ray %u: %s", index, fault) : 0;
}
