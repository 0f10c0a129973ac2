#include "base/file_formats.h"

#include <string.h>
#include <strings.h>

const struct file_format FILE_FORMATS[] = {
#define X(extension, name, reader, companion_of, magic, clips, fidelity)                                               \
    {extension, name, READER_##reader, companion_of, magic, CLIPS_##clips, fidelity},
#include "protocol/formats.def"
#undef X
};
const size_t FILE_FORMAT_COUNT = sizeof FILE_FORMATS / sizeof *FILE_FORMATS;

static const struct file_format ENVIRONMENT = {"hdr", "Radiance HDR", READER_RADIANCE, "", "", CLIPS_NONE, ""};

static const struct refused_format {
    const char *extension, *name, *instead;
} REFUSED_FORMATS[] = {
#define X(extension, name, instead) {extension, name, instead},
#include "protocol/formats_refused.def"
#undef X
};

/* Returns what follows the last dot of the last component of a path, or NULL. */
static const char *extension_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash != NULL ? slash : path, '.');
    return dot == NULL ? NULL : dot + 1;
}

const struct file_format *file_format_of(const char *path)
{
    const char *extension = extension_of(path);
    for (size_t i = 0; extension != NULL && i < FILE_FORMAT_COUNT; i++)
        if (strcasecmp(FILE_FORMATS[i].extension, extension) == 0)
            return &FILE_FORMATS[i];
    return NULL;
}

const struct file_format *file_format_of_environment(const char *path)
{
    const char *extension = extension_of(path);
    return extension != NULL && strcasecmp(ENVIRONMENT.extension, extension) == 0 ? &ENVIRONMENT : NULL;
}

int file_format_unknown(const char *path, struct err *err)
{
    const char *extension = extension_of(path);
    for (size_t i = 0; extension != NULL && i < sizeof REFUSED_FORMATS / sizeof *REFUSED_FORMATS; i++)
        if (strcasecmp(REFUSED_FORMATS[i].extension, extension) == 0)
            return err_set(err, ERR_UNKNOWN_FORMAT, "files of %s (.%s) are not read: export %s instead",
                           REFUSED_FORMATS[i].name, REFUSED_FORMATS[i].extension, REFUSED_FORMATS[i].instead);
    return err_set(
        err, ERR_UNKNOWN_FORMAT,
        "no importer knows this file's extension; /v1/formats and 'posectl formats' list those that are read");
}
