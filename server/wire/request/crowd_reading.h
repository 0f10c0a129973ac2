/* crowd_reading.h - a binary crowd that is being parsed. Private to wire/request. Pure. */
#pragma once

#include "wire/request/crowd_request.h"

struct crowd_reading {
    const char *bytes;
    size_t size_bytes;
    struct crowd_request *crowd;
    size_t *bad_at;
    struct err *err;
};

/* A list of records: its offset, and its count in the header. It lies within the bytes. */
struct crowd_list {
    size_t at;
    uint32_t count;
};

/* Set the error and return its code: of malformed bytes, or of a wrong value of an item of a list. */
int crowd_bad_form(struct crowd_reading *reading, size_t at, const char *what);
int crowd_bad_value(struct crowd_reading *reading, const char *list, uint32_t index, const char *what);
/* Checks reserved bytes. */
int crowd_check_zeros(struct crowd_reading *reading, size_t at, size_t count);

/* Reads the given poses, with their nodes and numbers, into the crowd's lists, which have room for them. */
int crowd_read_poses(struct crowd_reading *reading, const struct crowd_list *poses, const struct crowd_list *nodes,
                     const struct crowd_list *numbers);
