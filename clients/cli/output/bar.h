/* bar.h - the one line of stderr that shows how far something is. Whoever paints it holds a lock of its own, or is the
 * only one. */
#pragma once

/* Repaints the line: "WHAT [####----] STATE", cut to the width of the terminal. share: 0 to 1. */
void bar_paint(const char *what, double share, const char *state);
/* Removes it. */
void bar_clear(void);

struct text;
/* "1 h 02 min", "3 min 07 s", "12 s" */
void bar_put_duration(struct text *out, double s);
