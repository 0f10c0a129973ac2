/* thread_priority.h - work threads yield to event loops. Linux: each thread has a nice value and a time slice. */
#pragma once

/* At the start of a thread that works for loops. */
void thread_priority_background(void);

/* Once, in a thread that runs a loop: when something comes for it, it is not to wait until others that compute have
 * used up their slices. Nothing that it starts has the same. */
void thread_priority_prompt(void);
