/* Applies the rule loop-jump: a looping clip must end as it begins, in its nodes and its morph weights. */
#include "clients/cli/check/check.h"

/* Puts both ends of the clip. It excludes root motion, which does not count as a jump. */
static void put_ends(struct text *query, const cJSON *clip)
{
    text_printf(query, "&t=0&t=%.17g&root_motion=extract&yaw=1", member_number(clip, "duration"));
}

/* Returns the greatest jump of a node, or 0 if the clip cannot be posed: check_clips() reports that. */
static double greatest_jump(const struct inspection *model, const cJSON *clip, const char *ends, uint32_t *node)
{
    struct text query = {0};
    struct posed_packet answer;
    text_printf(&query, "&clip=%.0f&wrap=clamp&format=bin%s", member_number(clip, "index"), ends);
    const int rc = connection_request_model(model->connection, "pose", model->source, query.at, NULL, &answer);
    text_free(&query);
    return rc < 0 ? 0 : node_motion_most(&answer, model->size * NODE_REACH, node);
}

void check_loop(const struct inspection *model, const cJSON *clip)
{
    const double size = model->size, jump_max = size * rules_number(model->rules, KEY_MAX_JUMP);
    const char *name = member_text(clip, "name");
    const cJSON *mesh = NULL;
    struct text ends = {0};
    uint32_t node = 0;
    if (model->rules->severities[RULE_LOOP_JUMP] == SEVERITY_OFF || !(size > 0) ||
        !rules_select(model->rules, KEY_LOOPS, name))
        return;
    put_ends(&ends, clip);
    const double jump = greatest_jump(model, clip, ends.at, &node);
    const double morph = jump > jump_max ? 0 : morph_motion_most(model, clip, ends.at, &mesh);
    text_free(&ends);
    if (jump > jump_max)
        findings_add(model, RULE_LOOP_JUMP, subject_of("clip", clip).text,
                     "clip %.0f '%s' jumps by %.2g of the model's size at its end, at node %u '%s'",
                     member_number(clip, "index"), name, jump / size, node,
                     node < model->node_count ? member_text(model->nodes[node], "name") : "");
    else if (morph > jump_max)
        findings_add(model, RULE_LOOP_JUMP, subject_of("clip", clip).text,
                     "clip %.0f '%s' jumps by %.2g of the model's size at its end, in the shape of mesh %.0f '%s'",
                     member_number(clip, "index"), name, morph / size, member_number(mesh, "index"),
                     member_text(mesh, "name"));
}
