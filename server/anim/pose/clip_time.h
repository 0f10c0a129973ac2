/* clip_time.h - converts the time of a request to a time inside a clip. Pure; any thread; seconds. protocol/time.md has
 * the rules in words, with worked examples. */
#pragma once

#include <stdint.h>

enum wrap { WRAP_LOOP = 0, WRAP_CLAMP = 1, WRAP_MIRROR = 2 };

/* loop: time mod duration, also for negative times, in [0, duration); duration itself gives 0. clamp: 0..duration.
 * mirror: forwards and backwards with period 2 * duration. duration_s <= 0 always gives 0. `time_s` is finite. */
double clip_time_wrap(double time_s, double duration_s, enum wrap wrap);

/* The part of a clip that is played, and how. The whole clip: {0, duration, 1, 0, wrap}. */
struct clip_span {
    double from_s, to_s; /* clip times; from_s <= to_s */
    double speed;        /* finite; negative plays backwards, 0 stands still */
    double phase;        /* 0..1: where the part starts at time 0, as a share of its length */
    enum wrap wrap;
};

/* clip_time = from + wrap(time * speed + phase * (to - from)), in from_s..to_s. With WRAP_LOOP it is below to_s unless
 * the two are equal. `time_s` is finite; a product that overflows counts as the largest double. */
double clip_time_in_span(const struct clip_span *span, double time_s);

/* A clip sampled `rate` times a second has poses at 0, 1/rate, 2/rate, .. and at its end. Returns how many these are,
 * UINT32_MAX for more than 10^8; and the time of one. */
uint32_t clip_time_count(double duration_s, double rate);
double clip_time_of(uint32_t sample, double duration_s, double rate);
