#include "shared_renderer.h"

#include "check.h"

/* What LeakSanitizer is told: Mesa never frees a few bytes of each context. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:libOSMesa.so\nleak:libEGL\nleak:_dri.so\n"; }

struct renderer *shared_renderer(void)
{
    static struct renderer *shared;
    struct err err = {0};
    if (shared != NULL)
        return shared;
    const int rc = renderer_new("auto", 64 << 20, &shared, &err);
    if (rc == ERR_UNAVAILABLE)
        skip();
    if (rc < 0)
        fail_msg("%s", err.message);
    return shared;
}
