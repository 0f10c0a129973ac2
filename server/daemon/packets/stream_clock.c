#include "daemon/packets/stream_clock.h"

#include <stddef.h>

#define NS_PER_S 1e9
#define NEVER_NS 9e18 /* below 2^63, so that sums fit */

void stream_clock_start(struct stream_clock *clock, double rate, double position_s, double speed, bool is_paused,
                        uint64_t now_ns)
{
    *clock = (struct stream_clock){
        .rate = rate, .speed = speed, .base_s = position_s, .base_ns = now_ns, .is_paused = is_paused};
}

/* UINT64_MAX: never, at a rate of one frame in several centuries. */
static uint64_t due_ns(const struct stream_clock *clock, uint64_t tick)
{
    const double wait_ns = (double)(tick - clock->base_tick) / clock->rate * NS_PER_S;
    return wait_ns < NEVER_NS ? clock->base_ns + (uint64_t)wait_ns : UINT64_MAX;
}

bool stream_clock_due(const struct stream_clock *clock, uint64_t now_ns, uint64_t *tick)
{
    *tick = clock->next;
    if (clock->is_paused)
        return clock->is_owed;
    if (clock->rate == 0)
        return true;
    if (now_ns < due_ns(clock, clock->next))
        return false;
    const uint64_t late = (uint64_t)((double)(now_ns - clock->base_ns) / NS_PER_S * clock->rate);
    if (clock->base_tick + late > *tick)
        *tick = clock->base_tick + late;
    return true;
}

double stream_clock_position(const struct stream_clock *clock, uint64_t tick, uint64_t now_ns)
{
    if (clock->is_paused)
        return clock->base_s;
    if (clock->rate == 0)
        return clock->base_s + clock->speed * ((double)(now_ns - clock->base_ns) / NS_PER_S);
    return clock->base_s + clock->speed * ((double)(tick - clock->base_tick) / clock->rate);
}

void stream_clock_pass(struct stream_clock *clock, uint64_t tick)
{
    clock->next = tick + 1;
    clock->is_owed = false;
}

uint64_t stream_clock_next_ns(const struct stream_clock *clock)
{
    if (clock->is_paused || clock->rate == 0)
        return UINT64_MAX;
    return due_ns(clock, clock->next);
}

void stream_clock_change(struct stream_clock *clock, const struct stream_change *change, uint64_t now_ns)
{
    const bool was_paused = clock->is_paused;
    const bool begins_anew = was_paused || change->position_s != NULL || change->rate != NULL || clock->rate == 0;
    const double position_s = stream_clock_position(clock, clock->next, now_ns);
    const uint64_t due = begins_anew ? now_ns : due_ns(clock, clock->next);
    const uint64_t next_ns = due == UINT64_MAX ? now_ns : due; /* the beat is lost and restarts */
    clock->base_s = change->position_s != NULL ? *change->position_s : position_s;
    clock->speed = change->speed != NULL ? *change->speed : clock->speed;
    clock->rate = change->rate != NULL ? *change->rate : clock->rate;
    clock->is_paused = change->pauses || (was_paused && !change->resumes);
    clock->is_owed = clock->is_paused && (change->position_s != NULL || clock->is_owed);
    clock->base_tick = clock->next;
    clock->base_ns = next_ns;
}
