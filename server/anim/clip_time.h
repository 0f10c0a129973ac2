/* clip_time.h - from the time a request names to a time inside a clip. Pure; any thread; seconds. */
#pragma once

enum wrap { WRAP_LOOP = 0, WRAP_CLAMP = 1, WRAP_MIRROR = 2 };

/* loop: time mod duration, also for negative time, in [0, duration): duration itself gives 0.
 * clamp: 0..duration. mirror: there and back with period 2*duration.
 * duration_s <= 0 always gives 0. `time_s` is finite. */
double clip_time_wrap(double time_s, double duration_s, enum wrap wrap);
