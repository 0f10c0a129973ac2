#include "base/file_formats.h"

#include <string.h>
#include <strings.h>

const struct file_format FILE_FORMATS[] = {
#define X(ending, name, reader, companion_of, magic, clips, fidelity)                                                  \
    {ending, name, READER_##reader, companion_of, magic, CLIPS_##clips, fidelity},
#include "protocol/formats.def"
#undef X
};
const size_t FILE_FORMAT_COUNT = sizeof FILE_FORMATS / sizeof *FILE_FORMATS;

const struct file_format *file_format_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash != NULL ? slash : path, '.');
    if (dot == NULL)
        return NULL;
    for (size_t i = 0; i < FILE_FORMAT_COUNT; i++)
        if (strcasecmp(FILE_FORMATS[i].ending, dot + 1) == 0)
            return &FILE_FORMATS[i];
    return NULL;
}
