/* check_contacts.c - foot-slide: what moves of a foot that stands.
 *
 * A point of a sole is in contact while it is low, and slow against the ground. The ground moves where a clip walks in
 * place: its speed is what most low points have in common. The ends of a contact, where a foot lands and leaves, do not
 * count. A foot may turn about any point of its sole: the slide is that of the point that moves least. */
#include "anim/check/check_feet.h"

#include "base/mem.h"

#include <stdlib.h>

static const double SLIDE = 0.005;     /* limit, share of the size */
static const double LOW = 0.006;       /* greatest height of a contact over the ground, likewise */
static const double FAST = 0.25;       /* least speed of a foot that does not stand, likewise a second */
static const double GROUND_SLOW = 0.1; /* a ground that moves more slowly stands */
static const double WINDOW = 0.01;     /* in which speeds are the same, likewise */
static const double GAP_S = 0.05;      /* a foot that is fast for a shorter time still stands */
static const double END_S = 0.05;      /* of a contact; does not count */
static const double LEAST_S = 0.08;    /* the rest of a contact */
static const double LEAST_SHARE = 0.4; /* of the frames in which a foot stands, in a clip that is judged */
static const double REACH = 0.5;       /* the sole goes on beyond both points, as a share of their distance */

struct contacts {
    const struct steps *steps;
    double speed[2]; /* of the ground, size a second */
};

struct slide {
    double most;
    uint32_t frame;
    int point;
};

static bool is_low(const struct steps *steps, uint32_t frame, int point)
{
    return steps->places[frame][point][2] <= steps->ground + LOW;
}

/* Computes the velocity of a point over the ground, size a second. */
static void velocity_of(const struct steps *steps, uint32_t frame, int point, double velocity[2])
{
    const uint32_t a = frame > 0 ? frame - 1 : 0, b = frame + 1 < steps->count ? frame + 1 : frame;
    for (int axis = 0; axis < 2; axis++)
        velocity[axis] = (steps->places[b][point][axis] - steps->places[a][point][axis]) / ((b - a) * steps->frame_s);
}

/* --- the ground --- */

static int compare_speeds(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Returns what most speeds have in common: the mean of the narrow window that holds the most of them. Sorts them. */
static double common_speed(double *speeds, uint32_t count)
{
    uint32_t best = 0, best_count = 0, first = 0;
    double sum = 0;
    qsort(speeds, count, sizeof *speeds, compare_speeds);
    for (uint32_t i = 0; i < count; i++) {
        while (speeds[i] - speeds[first] > WINDOW)
            first++;
        if (i - first + 1 > best_count) {
            best = first;
            best_count = i - first + 1;
        }
    }
    for (uint32_t i = best; i < best + best_count; i++)
        sum += speeds[i];
    return best_count > 0 ? sum / best_count : 0;
}

/* Finds the speed of the ground from all low points. */
static void find_speed(struct contacts *contacts)
{
    const struct steps *steps = contacts->steps;
    double *speeds[2];
    uint32_t count = 0;
    for (int axis = 0; axis < 2; axis++)
        speeds[axis] = mem_alloc(((size_t)steps->count * SOLE_POINTS + 1) * sizeof *speeds[axis]);
    for (uint32_t i = 0; i < steps->count; i++)
        for (int p = 0; p < SOLE_POINTS; p++) {
            double velocity[2];
            velocity_of(steps, i, p, velocity);
            for (int axis = 0; axis < 2; axis++)
                speeds[axis][count] = velocity[axis];
            count += is_low(steps, i, p);
        }
    for (int axis = 0; axis < 2; axis++)
        contacts->speed[axis] = count > 0 ? common_speed(speeds[axis], count) : 0;
    const double *speed = contacts->speed;
    if (sqrt(speed[0] * speed[0] + speed[1] * speed[1]) < GROUND_SLOW)
        contacts->speed[0] = contacts->speed[1] = 0;
    free(speeds[0]);
    free(speeds[1]);
}

/* --- contacts --- */

static bool is_in_contact(const struct contacts *contacts, uint32_t frame, int point)
{
    double v[2];
    if (!is_low(contacts->steps, frame, point))
        return false;
    velocity_of(contacts->steps, frame, point, v);
    const double x = v[0] - contacts->speed[0], y = v[1] - contacts->speed[1];
    return x * x + y * y < FAST * FAST;
}

/* Returns the last frame of a contact that begins at `first`. */
static uint32_t find_end(const struct contacts *contacts, uint32_t first, int point)
{
    const struct steps *steps = contacts->steps;
    uint32_t last = first;
    for (uint32_t i = first + 1; i < steps->count && is_low(steps, i, point) && (i - last) * steps->frame_s <= GAP_S;
         i++)
        last = is_in_contact(contacts, i, point) ? i : last;
    return last;
}

/* Computes how far a point has moved over the ground from one frame to another. */
static void moved_of(const struct contacts *contacts, uint32_t from, uint32_t to, int point, double moved[2])
{
    const struct steps *steps = contacts->steps;
    for (int axis = 0; axis < 2; axis++)
        moved[axis] = steps->places[to][point][axis] - steps->places[from][point][axis] -
                      contacts->speed[axis] * (to - from) * steps->frame_s;
}

/* Returns how far the sole slides from one frame to another: the least motion of the line through both its points,
 * where the other one stands, too. */
static double slide_of(const struct contacts *contacts, uint32_t from, uint32_t to, int point)
{
    const int other = point ^ 1;
    double a[2], b[2];
    moved_of(contacts, from, to, point, a);
    double share = 0;
    if (is_low(contacts->steps, from, other) && is_low(contacts->steps, to, other)) {
        moved_of(contacts, from, to, other, b);
        const double d[2] = {b[0] - a[0], b[1] - a[1]}, length = d[0] * d[0] + d[1] * d[1];
        share = length > 0 ? fmin(fmax(-(a[0] * d[0] + a[1] * d[1]) / length, -REACH), 1 + REACH) : 0;
        a[0] += share * d[0];
        a[1] += share * d[1];
    }
    return sqrt(a[0] * a[0] + a[1] * a[1]);
}

/* Finds the greatest slide of a point, and counts the frames in contact. */
static void find_slide(const struct contacts *contacts, int point, uint8_t *stands, struct slide *slide)
{
    const struct steps *steps = contacts->steps;
    const uint32_t ends = (uint32_t)ceil(END_S / steps->frame_s);
    for (uint32_t first = 0; first < steps->count; first++) {
        if (!is_in_contact(contacts, first, point))
            continue;
        const uint32_t last = find_end(contacts, first, point);
        memset(stands + first, 1, last - first + 1);
        for (uint32_t i = first + ends; i + ends <= last && (last - first - 2 * ends) * steps->frame_s >= LEAST_S;
             i++) {
            const double moved = slide_of(contacts, first + ends, i, point);
            if (moved > slide->most)
                *slide = (struct slide){moved, i, point};
        }
        first = last;
    }
}

static void add_slide(struct clip_check *check, const struct steps *steps, const struct slide *slide)
{
    char name[SHORT_NAME_SIZE];
    const uint32_t node = steps->soles->nodes[slide->point];
    const double time_s = check_time(check, slide->frame, steps->count);
    struct finding *finding = finding_add(check, MOTION_FOOT_SLIDE, (int32_t)node, time_s);
    if (finding == NULL)
        return;
    finding_name_joint(check, finding);
    finding_measure(finding, slide->most, SLIDE, "size");
    finding_say(check, finding, ": the foot of joint %u '%s' slides by %.2g of the model's size at %.3f s", node,
                short_name(check->model, check->model->nodes[node].name, name), slide->most, time_s);
}

void steps_check_slide(struct clip_check *check, const struct steps *steps)
{
    struct contacts contacts = {.steps = steps};
    struct slide slides[FEET] = {{0}};
    uint8_t *stands = mem_zalloc((size_t)steps->count + 1, 1);
    uint32_t standing = 0;
    find_speed(&contacts);
    for (int p = 0; p < SOLE_POINTS; p++)
        find_slide(&contacts, p, stands, &slides[p / 2]);
    for (uint32_t i = 0; i < steps->count; i++)
        standing += stands[i];
    for (int foot = 0; foot < FEET; foot++)
        if (slides[foot].most > SLIDE && standing >= LEAST_SHARE * steps->count)
            add_slide(check, steps, &slides[foot]);
    free(stands);
}
