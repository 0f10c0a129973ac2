/* check_loop.c - loop-jump: whether a clip of loops ends as it begins. A jump of a node is looked for first, then one
 * of a shape, then a joint that is turned, then one that turns at another speed. */
#include "anim/check/check_loop.h"
#include "anim/check/check_internal.h"
#include "anim/pose/root_motion.h"
#include "base/mem.h"

#include <stdlib.h>

/* --- which joint --- */

/* Returns how far a node's own transform moves the tip of a chain through it from where the clip starts, while the rest
 * of the chain stays as it was there. */
static double own_motion(const struct clip_check *check, const struct trs *first, uint32_t node, uint32_t tip)
{
    const int32_t parent = check->model->nodes[node].parent;
    const struct dmat4 above = parent < 0 ? DMAT4_IDENTITY : check->first[parent];
    struct dmat4 node_from_scene;
    if (!dmat4_invert(&check->first[node], &node_from_scene))
        return 0;
    const struct dmat4 node_from_tip = dmat4_mul(&node_from_scene, &check->first[tip]);
    const struct dmat4 was = dmat4_from_trs(&first[node]), is = dmat4_from_trs(&check->pose.local[node]);
    const struct dmat4 scene_was = dmat4_mul(&above, &was), scene_is = dmat4_mul(&above, &is);
    const struct dmat4 a = dmat4_mul(&scene_was, &node_from_tip), b = dmat4_mul(&scene_is, &node_from_tip);
    return node_motion(&a, &b, check->size * NODE_REACH);
}

/* Returns the joint of the chain to `tip` whose own transform moves the tip farthest. */
static uint32_t find_culprit(const struct clip_check *check, const struct trs *first, uint32_t tip)
{
    double most = 0;
    uint32_t culprit = tip;
    for (int32_t n = (int32_t)tip; n >= 0; n = check->model->nodes[n].parent) {
        const double moved = own_motion(check, first, (uint32_t)n, tip);
        if (moved > most) {
            most = moved;
            culprit = (uint32_t)n;
        }
    }
    return culprit;
}

/* --- jumps --- */

struct jump {
    double distance;        /* scene units */
    uint32_t node, culprit; /* what jumps, and the joint that moves it */
};

/* Finds the greatest jump of a node from the end to the start, apart from the motion of the root and its turn. */
static int find_jump(struct clip_check *check, struct jump *jump)
{
    const size_t count = check->model->node_count;
    uint8_t *moved = mem_zalloc(count + 1, 1);
    struct trs *first = mem_alloc((count + 1) * sizeof *first);
    struct root_motion motion;
    struct root_step step;
    int rc = check_evaluate(check, 0);
    const bool has_root = rc == 0 && check_start_motion(check, -1, true, moved, &motion);
    *jump = (struct jump){0};
    if (rc == 0)
        memcpy(first, check->pose.local, count * sizeof *first);
    if (rc == 0)
        rc = check_evaluate(check, check->duration_s);
    if (rc == 0 && has_root)
        root_motion_remove(&motion, &check->pose, check->model, &step);
    if (rc == 0) {
        jump->distance = node_motion_most(check, &jump->node);
        jump->culprit = jump->distance > 0 ? find_culprit(check, first, jump->node) : jump->node;
    }
    free(first);
    free(moved);
    return rc;
}

static void add_jump(struct clip_check *check, const struct jump *jump)
{
    char name[SHORT_NAME_SIZE], other[SHORT_NAME_SIZE];
    const struct model *model = check->model;
    struct finding *finding = finding_add(check, MOTION_LOOP_JUMP, (int32_t)jump->culprit, check->duration_s);
    if (finding == NULL)
        return;
    short_name(model, model->nodes[jump->node].name, name);
    finding_measure(finding, jump->distance / check->size, check->options->max_jump, "size");
    if (jump->culprit == jump->node)
        finding_say(check, finding, " jumps by %.2g of the model's size at its end, at node %u '%s'", finding->value,
                    jump->node, name);
    else
        finding_say(check, finding,
                    " jumps by %.2g of the model's size at its end, at node %u '%s', which joint %u '%s' moves",
                    finding->value, jump->node, name, jump->culprit,
                    short_name(model, model->nodes[jump->culprit].name, other));
}

static void add_morph(struct clip_check *check, double distance, int32_t mesh)
{
    char name[SHORT_NAME_SIZE];
    struct finding *finding = finding_add(check, MOTION_LOOP_JUMP, -1, check->duration_s);
    if (finding == NULL)
        return;
    finding->mesh = mesh;
    finding_measure(finding, distance / check->size, check->options->max_jump, "size");
    finding_say(check, finding, " jumps by %.2g of the model's size at its end, in the shape of mesh %d '%s'",
                finding->value, mesh, short_name(check->model, check->model->meshes[mesh].name, name));
}

bool check_must_loop(const struct model *model, int32_t clip, enum check_loop loop)
{
    static const char *const WORDS[] = {"idle", "walk", "run", "loop", "cycle"};
    return loop == CHECK_LOOP_YES ||
           (loop == CHECK_LOOP_AUTO && check_is_named(model, clip, WORDS, sizeof WORDS / sizeof *WORDS));
}

int check_loop(struct clip_check *check)
{
    const double limit = check->size * check->options->max_jump, ends_s[] = {0, check->duration_s};
    struct jump jump;
    double morph = 0;
    int32_t mesh = -1;
    if (!(check->size > 0) || !check_must_loop(check->model, check->clip, check->options->loop))
        return 0;
    if (find_jump(check, &jump) < 0 ||
        (jump.distance <= limit && morph_motion_most(check, ends_s, 2, &morph, &mesh) < 0))
        return check->err->code;
    if (jump.distance > limit)
        add_jump(check, &jump);
    else if (morph > limit)
        add_morph(check, morph, mesh);
    else
        return check_loop_turns(check);
    return 0;
}
