/* answer_picture.h - what is told of a picture beside its pixels: when it was taken and from where. Pure; any thread.
 * Documents: protocol/http.md, "Overlays". */
#pragma once

#include "wire/encode/reply.h"
#include "wire/request/request.h"

/* What a picture shows. */
struct picture_shown {
    double time_s; /* as t= says it */
    double clip_time_s;
    const double *view_from_scene; /* [16], column-major */
    const double *clip_from_view;  /* likewise */
};

/* Adds the header lines X-Posed-Time and X-Posed-Camera. */
void reply_put_shown(const struct picture_shown *shown, struct reply *reply);

/* Makes the body the JSON of format=json. */
void body_put_picture(const struct request *request, const struct picture_shown *shown, struct reply *reply);
