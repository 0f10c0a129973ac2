/* stream_clock.h - computes when the frames of a stream are due, and the time that each shows (protocol/tcp.md,
 * Streams).
 *
 * Pure: the caller passes the time, in nanoseconds that never go back. Not thread-safe.
 *
 * Ticks count 0, 1, ... With `rate` frames a second, tick k is due (k - base_tick) / rate after base_ns and shows
 * base_s + speed * ((k - base_tick) / rate). With rate 0 no tick is due by itself, and the position moves with the
 * clock. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct stream_clock {
    double rate, speed;
    double base_s; /* the position of base_tick */
    uint64_t base_tick, base_ns;
    uint64_t next; /* the first tick that is neither sent nor skipped */
    bool is_paused;
    bool is_owed; /* paused, and the frame of the position is still to be sent */
};

/* Starts the stream with tick 0 at position_s. rate: frames a second, or 0; speed: of the position, per second. */
void stream_clock_start(struct stream_clock *clock, double rate, double position_s, double speed, bool is_paused,
                        uint64_t now_ns);

/* Finds the latest due tick. False: none is due. With rate 0 one always is. */
bool stream_clock_due(const struct stream_clock *clock, uint64_t now_ns, uint64_t *tick);
/* Returns the position of a tick. */
double stream_clock_position(const struct stream_clock *clock, uint64_t tick, uint64_t now_ns);
/* Notes that the tick was sent or skipped. */
void stream_clock_pass(struct stream_clock *clock, uint64_t tick);
/* Returns when the next tick is due; UINT64_MAX: no tick is due by itself. */
uint64_t stream_clock_next_ns(const struct stream_clock *clock);

/* A change; NULL members keep their values. */
struct stream_change {
    bool pauses, resumes;
    const double *position_s, *speed, *rate;
};
void stream_clock_change(struct stream_clock *clock, const struct stream_change *change, uint64_t now_ns);
