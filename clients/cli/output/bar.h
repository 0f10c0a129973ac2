/* bar.h - paints the one line of stderr that shows progress. Only one thread at a time may paint: the caller holds a
 * lock of its own, or is the only painter. */
#pragma once

/* Repaints the line: "WHAT [####----] STATE", cut to the width of the terminal. share: 0 to 1. */
void bar_paint(const char *what, double share, const char *state);
/* Removes the line. */
void bar_clear(void);

struct text;
/* Puts a duration: "1 h 02 min", "3 min 07 s", "12 s". */
void bar_put_duration(struct text *out, double s);
