#include "background.h"

#include <stdbool.h>
#include <sys/resource.h>
#include <unistd.h>

enum { NICE = 10 };

void background_thread(void)
{
    static _Thread_local bool is_done;
    if (is_done)
        return;
    is_done = true;
    setpriority(PRIO_PROCESS, (id_t)gettid(), NICE); /* a failure costs speed, not answers */
}
