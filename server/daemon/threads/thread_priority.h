/* thread_priority.h - makes work threads yield to event loops. On Linux each thread has a nice value and a time
 * slice. */
#pragma once

/* Lowers the priority of a work thread; call it at its start. */
void thread_priority_background(void);

/* Lets a loop's thread run at once when an event arrives, instead of waiting until computing threads have used up their
 * slices. Call it once in that thread. Its children do not inherit this. */
void thread_priority_prompt(void);
