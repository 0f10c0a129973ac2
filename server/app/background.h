/* background.h - work threads give way to the loop. Linux: a thread has a nice value of its own. */
#pragma once

/* At the start of each piece of work; costs something only the first time in a thread. */
void background_thread(void);
