/* areas.h - what a difference is about, and the order in which reports tell differences. Pure. */
#pragma once

#include <cjson/cJSON.h>

/* In the order of reports. */
enum area { AREA_MOTION, AREA_SKELETON, AREA_SHAPE, AREA_MATERIALS, AREA_TEXTURES, AREA_NAMES, AREA_OTHER, AREA_COUNT };

const char *area_name(enum area area);  /* "motion" */
const char *area_title(enum area area); /* "Motion" */
/* Returns the area of a difference of /v1/compare; AREA_OTHER for a kind that only a newer server knows. */
enum area area_of(const cJSON *difference);
/* Returns the place of a kind of difference in reports, within its area; a large number for an unknown kind. */
int area_rank(const char *kind);
