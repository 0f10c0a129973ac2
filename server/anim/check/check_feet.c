/* check_feet.c - follows the soles of a human through a clip, and applies the rules about feet.
 *
 * Places are shares of the model's size, along two axes of the ground and up. The ground is where the lower foot is at
 * one time of five at least: feet that fly, and one that breaks through, do not move it. */
#include "anim/check/check_feet.h"

#include "base/mem.h"

#include <stdlib.h>

enum { FRAMES_MOST = 18000 }; /* five minutes */
static const double LEAST_RATE = 24, GROUND_SHARE = 0.2;

/* Fills axes with two unit vectors of the ground and the one that is up. */
static void find_axes(const struct clip_check *check, double axes[3][3])
{
    const double *up = check->up, helper[3] = {fabs(up[0]) < 0.6, fabs(up[0]) >= 0.6, 0};
    cross3(up, helper, axes[0]);
    unit3(axes[0]);
    cross3(up, axes[0], axes[1]);
    memcpy(axes[2], up, sizeof axes[2]);
}

/* Takes the places of the soles in the evaluated pose. False: they are not finite. */
static bool take_places(const struct clip_check *check, const struct soles *soles, const double axes[3][3],
                        double places[SOLE_POINTS][3])
{
    bool is_finite = true;
    for (int p = 0; p < SOLE_POINTS; p++) {
        double place[3];
        dmat4_point(&check->pose.scene_from_node[soles->nodes[p]], soles->points[p], place);
        for (int i = 0; i < 3; i++) {
            places[p][i] = dot3(axes[i], place) / check->size;
            is_finite = is_finite && isfinite(places[p][i]);
        }
    }
    return is_finite;
}

/* Evaluates the clip. *is_known: the rules about feet can judge it. */
static int follow(struct clip_check *check, const struct soles *soles, struct steps *steps, bool *is_known)
{
    const struct node_list list = {soles->chain, soles->chain_count, soles->is_in_chain};
    double axes[3][3];
    find_axes(check, axes);
    *is_known = steps->count > 2 && 1 / steps->frame_s >= LEAST_RATE;
    for (uint32_t i = 0; i < steps->count && *is_known; i++) {
        if (check_evaluate_nodes(check, &list, check_time(check, i, steps->count)) < 0)
            return check->err->code;
        *is_known = take_places(check, soles, axes, steps->places[i]);
    }
    return 0;
}

static int compare_heights(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double steps_lowest(const struct steps *steps, uint32_t frame)
{
    double lowest = HUGE_VAL;
    for (int p = 0; p < SOLE_POINTS; p++)
        lowest = fmin(lowest, steps->places[frame][p][2]);
    return lowest;
}

static void find_ground(struct steps *steps)
{
    double *heights = mem_alloc(steps->count * sizeof *heights);
    for (uint32_t i = 0; i < steps->count; i++)
        heights[i] = steps_lowest(steps, i);
    qsort(heights, steps->count, sizeof *heights, compare_heights);
    steps->ground = heights[(uint32_t)(GROUND_SHARE * (steps->count - 1))];
    free(heights);
}

/* Chooses the frames. False: the budget allows for too few. */
static bool choose_frames(const struct clip_check *check, const struct soles *soles, struct steps *steps)
{
    const uint64_t left = check->options->steps - check->report->step_count;
    const double most = fmin(FRAMES_MOST, floor((double)left / 2 / (soles->chain_count + 1)));
    const double wanted = floor(fmin(check->duration_s * FRAME_RATE, FRAMES_MOST)) + 1;
    steps->count = (uint32_t)fmin(wanted, most);
    steps->frame_s = steps->count > 1 ? check->duration_s / (steps->count - 1) : HUGE_VAL;
    return steps->count > 1;
}

int check_feet(struct clip_check *check)
{
    struct steps steps = {0};
    bool is_known;
    if (!(check->size > 0) || check_find_rig(check) < 0)
        return check->err->code;
    const struct soles *soles = &check->report->rig->soles;
    if (!soles->is_known || !choose_frames(check, soles, &steps))
        return 0;
    steps.soles = soles;
    steps.level = soles->level / check->size;
    steps.places = mem_alloc(steps.count * sizeof *steps.places);
    const int rc = follow(check, soles, &steps, &is_known);
    if (rc == 0 && is_known) {
        find_ground(&steps);
        steps_check_slide(check, &steps);
        steps_check_floor(check, &steps);
        steps_check_flight(check, &steps);
    }
    free(steps.places);
    return rc;
}
