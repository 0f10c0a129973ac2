#include "wire/bodies/body_dualquat.h"

#include "anim/pose/dualquat.h"

#include <string.h>

#define NO_JOINT UINT32_MAX

/* In answer->signs. Places of joints count within their skin. */
struct plan {
    uint32_t *order;  /* [model->joint_count]: of each skin its joints, whoever is above before who is below */
    uint32_t *above;  /* [model->joint_count]: the nearest joint of the skin above, or NO_JOINT */
    uint32_t *next;   /* [model->joint_count], scratch: another joint with the same node */
    uint32_t *here;   /* [model->node_count], scratch: a joint with this node */
    uint32_t *near;   /* [model->node_count], scratch: the nearest at this node or above */
    uint32_t *is_set; /* [model->skin_count] */
};

static struct plan plan_of(const struct reply_context *context)
{
    const struct model *model = context->model;
    uint32_t *at = (uint32_t *)(void *)context->answer->signs.data;
    struct plan plan = {.order = at};
    plan.above = plan.order + model->joint_count;
    plan.next = plan.above + model->joint_count;
    plan.here = plan.next + model->joint_count;
    plan.near = plan.here + model->node_count;
    plan.is_set = plan.near + model->node_count;
    return plan;
}

static void plan_skin(const struct model *model, const struct plan *plan, uint32_t skin)
{
    const uint32_t first = model->skins[skin].joint_first, count = model->skins[skin].joint_count;
    uint32_t placed = 0;
    memset(plan->here, 0xff, model->node_count * sizeof *plan->here);
    for (uint32_t j = count; j-- > 0;) {
        const uint32_t node = model->joints[first + j].node;
        plan->next[first + j] = plan->here[node];
        plan->here[node] = j;
    }
    for (uint32_t i = 0; i < model->order_count; i++) {
        const uint32_t node = model->node_order[i];
        const int32_t parent = model->nodes[node].parent;
        plan->near[node] = parent < 0 ? NO_JOINT : plan->near[parent];
        for (uint32_t j = plan->here[node]; j != NO_JOINT; j = plan->next[first + j]) {
            plan->above[first + j] = plan->near[node];
            plan->near[node] = j;
            plan->order[first + placed++] = j;
        }
    }
    plan->is_set[skin] = 1;
}

bool dualquats_start(struct reply_context *context, const uint32_t *skins, uint32_t count)
{
    const struct model *model = context->model;
    const size_t items = 3 * (size_t)model->joint_count + 2 * (size_t)model->node_count + model->skin_count;
    uint32_t *memory = workspace_array(&context->answer->signs, items, sizeof *memory);
    if (memory == NULL) {
        context_fail_memory(context);
        return false;
    }
    const struct plan plan = plan_of(context);
    memset(plan.is_set, 0, model->skin_count * sizeof *plan.is_set);
    for (uint32_t s = 0; s < count; s++)
        if (!plan.is_set[skins[s]])
            plan_skin(model, &plan, skins[s]);
    return true;
}

static int refuse(const struct model *model, uint32_t skin, uint32_t joint, struct err *err)
{
    const uint32_t node = model->joints[model->skins[skin].joint_first + joint].node;
    const struct str name = model->nodes[node].name;
    const bool has_name = name.offset != STR_NONE && name.size_bytes > 0;
    return err_prefix(err, "joint %u of skin %u (node %u '%.*s')", joint, skin, node,
                      has_name ? (int)(name.size_bytes < 100 ? name.size_bytes : 100) : 0,
                      has_name ? model->text + name.offset : "");
}

int dualquats_of_palette(struct reply_context *context, uint32_t skin, const struct mat4 *palette, float *out,
                         struct err *err)
{
    const struct plan plan = plan_of(context);
    const uint32_t first = context->model->skins[skin].joint_first, count = context->model->skins[skin].joint_count;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t j = plan.order[first + i], above = plan.above[first + j];
        const struct dmat4 matrix = dmat4_from_mat4(&palette[j]);
        struct dualquat q;
        if (dualquat_from_matrix(&matrix, &q, err) < 0)
            return refuse(context->model, skin, j, err);
        if (above != NO_JOINT) {
            double real[4];
            for (int k = 0; k < 4; k++)
                real[k] = (double)out[DUALQUAT_FLOATS * (size_t)above + (size_t)k];
            dualquat_align_sign(&q, real);
        }
        for (int k = 0; k < 4; k++) {
            out[DUALQUAT_FLOATS * (size_t)j + (size_t)k] = (float)q.real[k];
            out[DUALQUAT_FLOATS * (size_t)j + 4 + (size_t)k] = (float)q.dual[k];
        }
    }
    return 0;
}
