/* assimp_failure.c - turns assimp's error texts into readable sentences. assimp writes them for its own developers:
 * they name classes and functions, and differ between readers. */
#include "import/assimp/assimp_mend.h"

#include "base/ascii.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The first row whose words occur in assimp's text counts. Case is ignored. */
static const struct meaning {
    const char *words, *sentence;
} MEANINGS[] = {
    {"End of file", "the file ends too early"},
    {"read limit", "the file ends too early"},
    {"unexpected end", "the file ends too early"},
    {"Unexpected EOF", "the file ends too early"},
    {"EOF", "the file ends too early"},
    {"truncated", "the file ends too early"},
    {"too small", "the file, or a part of it, is shorter than it says"},
    {"too short", "the file, or a part of it, is shorter than it says"},
    {"Cannot parse string", "a number is expected where there is something else"},
    {"not enough values", "a list has fewer numbers than it needs"},
    {"invalid primitive type", "a mesh of it has no faces"},
    {"no meshes", "it holds no mesh"},
    {"no mesh", "it holds no mesh"},
    {"no vertices", "it holds no vertices"},
    {"no valid", "it holds nothing that can be shown"},
    {"Failed to open", "a file that belongs to it is not there"},
    {"Unable to open", "a file that belongs to it is not there"},
    {"version", "it is of a version that is not read"},
    {"compressed", "it is compressed in a way that is not read"},
    {"compression", "it is compressed in a way that is not read"},
    {"out of range", "a number in it names something that is not there"},
    {"index", "a number in it names something that is not there"},
    {"resolving pointer", "a part of it refers to another part that is not there"},
    {"XML", "its XML is broken"},
    {"unknown", "it has something in it that is not read"},
    {"unsupported", "it has something in it that is not read"},
    {"not supported", "it has something in it that is not read"},
};

/* The remedies other than another file. */
static const struct way_out {
    const char *extension, *words;
} WAYS_OUT[] = {
    {"cob", "save it from trueSpace in binary form, or as Wavefront OBJ"},
    {"blend", "export it from Blender as glTF (.glb)"},
    {"ifc", "export it as IFC2x3 with its geometry, or as glTF"},
    {"ogex", "export it as glTF"},
    {"x", "export it as glTF, or save it as text"},
};

static const char *meaning_of(const char *why)
{
    for (size_t i = 0; i < sizeof MEANINGS / sizeof *MEANINGS; i++)
        if (strcasestr(why, MEANINGS[i].words) != NULL)
            return MEANINGS[i].sentence;
    return "its content does not follow the format, or is of a kind that is not read";
}

/* Returns ", line 12" if assimp's text has a line. */
static void find_line(const char *why, char out[32])
{
    const char *at = strcasestr(why, "line ");
    out[0] = '\0';
    if (at == NULL)
        return;
    at += strlen("line ");
    const unsigned long line = strtoul(at, NULL, 10);
    if (ascii_is_digit(*at) && line > 0)
        snprintf(out, 32, ", line %lu", line);
}

int assimp_failure(const char *extension, const char *format, const char *why, struct err *err)
{
    char line[32];
    if (strstr(why, "bad_alloc") != NULL || strstr(why, "bad allocation") != NULL)
        return err_set(err, ERR_IMPORT_MEMORY, "the importer ran out of memory");
    const char *way_out = NULL;
    for (size_t i = 0; i < sizeof WAYS_OUT / sizeof *WAYS_OUT; i++)
        if (strcmp(WAYS_OUT[i].extension, extension) == 0)
            way_out = WAYS_OUT[i].words;
    find_line(why, line);
    return err_set(err, ERR_BAD_MODEL, "this %s file cannot be read%s: %s%s%s", format, line, meaning_of(why),
                   way_out != NULL ? "; " : "", way_out != NULL ? way_out : "");
}
