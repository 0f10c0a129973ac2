/* flex_findings.c - applies the rules to what was measured. */
#include "anim/flex/flex_internal.h"

#include "base/mem.h"

static const char *const NAMES[FLEX_RULE_COUNT] = {
#define RULE(symbol, name, severity, text) name,
#include "protocol/rules/flex_rules.def"
#undef RULE
};
const char *flex_rule_name(enum flex_rule rule) { return NAMES[rule]; }

/* The limits, all of the mean of a turn and its opposite, as shares of the bend zone. */
static const struct {
    double limit;
    const char *effect;
} RULES[] = {
    /* A linear skin whose weights fall evenly loses a third of its volume by a twist of 90 degrees (the mean of
     * 2 s (1 - s) over its share s) and a sixth by a bend. One whose weights are half and half everywhere loses a half
     * by the twist: the candy wrapper. */
    [FLEX_VOLUME] = {0.45, "of the volume where it bends is lost"},
    /* The inner side of a bend folds: up to a half of a zone that is short for its width, by a right angle. */
    [FLEX_FLIPPED] = {0.5, "of the surface where it bends turns over"},
    /* Even at a sharp fold few triangles are seen from the edge. */
    [FLEX_COLLAPSED] = {0.25, "of the surface where it bends collapses"},
};
/* A zone smaller than this share of the model's size, to the third or second power, or of fewer triangles, is not
 * judged: nobody sees it, or its few triangles are too coarse to bend at all. */
static const double SEEN = 0.03;
enum { LEAST_TRIANGLES = 16 };

void flex_add_finding(struct flex *flex, const struct flex_finding *finding)
{
    struct flex_report *report = flex->report;
    if (report->finding_count >= FLEX_FINDINGS_MOST) {
        report->left_out++;
        return;
    }
    report->findings =
        mem_grow(report->findings, &report->finding_capacity, report->finding_count + 1, sizeof *report->findings);
    report->findings[report->finding_count++] = *finding;
}

static double measure_of(const struct flex_turn *turn, enum flex_rule rule)
{
    return rule == FLEX_VOLUME ? turn->volume_lost : rule == FLEX_FLIPPED ? turn->flipped_share : turn->collapsed_share;
}

/* Returns the mean of a turn and its opposite, which is the next one. */
static double mean_of(const struct flex_turn *turn, enum flex_rule rule)
{
    return (measure_of(&turn[0], rule) + measure_of(&turn[1], rule)) / 2;
}

/* Reports the worst turns of the joint by one rule, where they are beyond the limit. */
static void judge_by(struct flex *flex, const struct flex_joint *joint, enum flex_rule rule)
{
    const struct flex_turn *worst = NULL;
    char name[SHORT_NAME_SIZE];
    for (uint32_t t = 0; t < joint->turn_count; t += 2) {
        const struct flex_turn *turn = &flex->report->turns[joint->turn_first + t];
        if (mean_of(turn, rule) > RULES[rule].limit && (worst == NULL || mean_of(turn, rule) > mean_of(worst, rule)))
            worst = turn;
    }
    if (worst == NULL)
        return;
    struct flex_finding finding = {.rule = rule,
                                   .node = joint->node,
                                   .axis = (int32_t)worst->axis,
                                   .angle_deg = fabs(worst->angle_deg),
                                   .value = mean_of(worst, rule),
                                   .limit = RULES[rule].limit,
                                   .mesh = -1,
                                   .other = -1};
    struct err text;
    err_set(&text, ERR_INTERNAL, "'%s' turned by %g degrees about its %c: %.0f %% %s, more than %.0f %%",
            short_name(flex->model, flex->model->nodes[joint->node].name, name), finding.angle_deg,
            (char)('x' + (int)worst->axis), 100 * finding.value, RULES[rule].effect, 100 * finding.limit);
    memcpy(finding.message, text.message, sizeof finding.message);
    flex_add_finding(flex, &finding);
}

void flex_judge(struct flex *flex, const struct flex_joint *joint)
{
    const double seen = SEEN * flex->report->size;
    if (joint->zone_triangles < LEAST_TRIANGLES)
        return;
    if (joint->zone_volume > seen * seen * seen)
        judge_by(flex, joint, FLEX_VOLUME);
    if (joint->zone_area > seen * seen) {
        judge_by(flex, joint, FLEX_FLIPPED);
        judge_by(flex, joint, FLEX_COLLAPSED);
    }
}
