#include "daemon/model/file_types.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

static const struct file_type {
    const char *ending, *companion_of;
} ROWS[] = {
#define X(ending, name, reader, companion_of, magic, clips, fidelity) {ending, companion_of},
#include "protocol/formats.def"
#undef X
};

static const struct file_type *find(const char *name)
{
    const char *slash = strrchr(name, '/');
    const char *dot = strrchr(slash != NULL ? slash : name, '.');
    if (dot == NULL)
        return NULL;
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++)
        if (strcasecmp(ROWS[i].ending, dot + 1) == 0)
            return &ROWS[i];
    return NULL;
}

bool file_type_is_known(const char *name) { return find(name) != NULL; }

const char *file_type_companion_of(const char *name)
{
    const struct file_type *row = find(name);
    return row != NULL && row->companion_of[0] != '\0' ? row->companion_of : NULL;
}
