/* view.h - the views of a picture: protocol/pictures/views.def as values. Pure; any thread. */
#pragma once

#include <stdbool.h>

enum view {
#define X(symbol, word, takes_joint, text) symbol,
#include "protocol/pictures/views.def"
#undef X
    VIEW_COUNT
};

/* The most times that VIEW_ONION shows, and how many it shows when the request gives none. */
enum { VIEW_ONION_MAX = 64, VIEW_ONION_TIMES = 5 };

struct view_info {
    const char *word; /* the value of view= */
    bool takes_joint;
    const char *text;
};

extern const struct view_info VIEW_INFO[VIEW_COUNT];

enum { VIEW_LIST_SIZE = 160 };

/* Lists the views that take a joint: "weights or skeleton". Returns `out`. */
const char *view_list_joint(char out[VIEW_LIST_SIZE]);
