/* flex_findings.c - applies the rules to what was measured. */
#include "anim/flex/flex_internal.h"

#include "base/mem.h"

static const char *const NAMES[FLEX_RULE_COUNT] = {
#define RULE(symbol, name, severity, text) name,
#include "protocol/flex_rules.def"
#undef RULE
};
const char *flex_rule_name(enum flex_rule rule) { return NAMES[rule]; }

/* What a linear skin with weights that fall evenly over the zone loses by a twist of 90 degrees is a third of its
 * volume: the mean of 2 s (1 - s) over its share s. No zone should lose more than half. */
static const double VOLUME_MOST = 0.5;
static const double FLIPPED_MOST = 0.3;
static const double COLLAPSED_MOST = 0.3;
/* A zone smaller than this share of the model's size, to the third or second power, is not judged: nobody sees it. */
static const double SEEN = 0.02;

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

/* Reports the worst turn of the joint by one rule, where it is beyond the limit. */
static void judge_by(struct flex *flex, const struct flex_joint *joint, enum flex_rule rule, double limit)
{
    static const char *const TEXTS[] = {
        [FLEX_VOLUME] =
            "'%s' turned by %g degrees about its %c loses %.0f %% of the volume where it bends, more than %.0f %%",
        [FLEX_FLIPPED] =
            "'%s' turned by %g degrees about its %c turns %.0f %% of the surface over where it bends, more "
            "than %.0f %%",
        [FLEX_COLLAPSED] =
            "'%s' turned by %g degrees about its %c makes %.0f %% of the surface collapse where it bends, "
            "more than %.0f %%",
    };
    const struct flex_turn *worst = NULL;
    char name[SHORT_NAME_SIZE];
    for (uint32_t t = 0; t < joint->turn_count; t++) {
        const struct flex_turn *turn = &flex->report->turns[joint->turn_first + t];
        if (measure_of(turn, rule) > limit && (worst == NULL || measure_of(turn, rule) > measure_of(worst, rule)))
            worst = turn;
    }
    if (worst == NULL)
        return;
    struct flex_finding finding = {.rule = rule,
                                   .node = joint->node,
                                   .axis = (int32_t)worst->axis,
                                   .angle_deg = worst->angle_deg,
                                   .value = measure_of(worst, rule),
                                   .limit = limit,
                                   .mesh = -1,
                                   .other = -1};
    struct err text;
    err_set(&text, ERR_INTERNAL, TEXTS[rule], short_name(flex->model, flex->model->nodes[joint->node].name, name),
            worst->angle_deg, (char)('x' + (int)worst->axis), 100 * finding.value, 100 * limit);
    memcpy(finding.message, text.message, sizeof finding.message);
    flex_add_finding(flex, &finding);
}

void flex_judge(struct flex *flex, const struct flex_joint *joint)
{
    const double seen = SEEN * flex->report->size;
    if (joint->zone_volume > seen * seen * seen)
        judge_by(flex, joint, FLEX_VOLUME, VOLUME_MOST);
    if (joint->zone_area > seen * seen) {
        judge_by(flex, joint, FLEX_FLIPPED, FLIPPED_MOST);
        judge_by(flex, joint, FLEX_COLLAPSED, COLLAPSED_MOST);
    }
}
