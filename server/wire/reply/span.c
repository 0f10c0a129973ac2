/* answer_span.c - which part of the clip a request means: its from, to, fps, speed and phase as clip times. */
#include "wire/bodies/reply_make.h"

#include <math.h>

/* The last key of a file that counts in frames or in floats may lie just before the time that its author typed. */
#define END_TOLERANCE_S 1e-4

/* One end of the part, in seconds. */
static int find_end(const char *name, double given, const struct request_span *asked, double duration_s, double *out,
                    struct err *err)
{
    const double time_s = asked->has_fps ? given / asked->fps : given;
    *out = fmin(time_s, duration_s);
    if (time_s <= duration_s + END_TOLERANCE_S)
        return 0;
    if (asked->has_fps)
        return err_set(err, ERR_BAD_PARAMETER,
                       "parameter '%s' is frame %.15g, which is %.9g s; the clip ends at %.9g s, frame %.9g", name,
                       given, time_s, duration_s, duration_s * asked->fps);
    return err_set(err, ERR_BAD_PARAMETER, "parameter '%s' is %.15g s; the clip ends at %.9g s", name, given,
                   duration_s);
}

bool span_is_given(const struct request *request)
{
    const struct request_span *asked = &request->span;
    return asked->has_from || asked->has_to || asked->has_speed || asked->has_phase;
}

int span_resolve(const struct request *request, double duration_s, struct clip_span *span, struct err *err)
{
    const struct request_span *asked = &request->span;
    *span = (struct clip_span){
        .to_s = duration_s,
        .speed = asked->has_speed ? asked->speed : 1,
        .phase = asked->has_phase ? asked->phase : 0,
        .wrap = request->wrap,
    };
    int rc = 0;
    if (asked->has_from)
        rc = find_end("from", asked->from, asked, duration_s, &span->from_s, err);
    if (rc == 0 && asked->has_to)
        rc = find_end("to", asked->to, asked, duration_s, &span->to_s, err);
    return rc;
}
