/* Reads a file with a pose, whatever it is: pose_file.h. */
#include "clients/cli/pose/pose_file.h"

#include "clients/cli/output/json.h"
#include "clients/cli/pose/pose_arrays.h"

#include "clients/c/posed.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const size_t FILE_BYTES_MAX = (size_t)64 << 20;

static int read_bytes(const char *file, struct text *out, struct text *problem)
{
    char chunk[65536];
    FILE *stream = strcmp(file, "-") == 0 ? stdin : fopen(file, "rbe");
    size_t got;
    text_put(out, "");
    while (stream != NULL && out->size_bytes <= FILE_BYTES_MAX && (got = fread(chunk, 1, sizeof chunk, stream)) > 0)
        text_put_bytes(out, chunk, got);
    const int failure = stream == NULL || ferror(stream) != 0 ? errno : 0;
    if (stream != NULL && stream != stdin)
        fclose(stream);
    if (failure != 0)
        text_printf(problem, "it cannot be read: %s", strerror(failure));
    else if (out->size_bytes == 0)
        text_put(problem, "it is empty");
    else if (out->size_bytes > FILE_BYTES_MAX)
        text_put(problem, "it is longer than 64 MiB");
    return problem->size_bytes == 0 ? 0 : -1;
}

/* Puts a layer with this pose, which is JSON. */
static void put_layer(const char *pose, const struct pose_words *words, struct text *layers)
{
    text_printf(layers, "{\"pose\":");
    text_put(layers, pose);
    if (words->weight != NULL)
        text_printf(layers, ",\"weight\":%.17g", strtod(words->weight, NULL));
    if (words->mode != NULL)
        text_printf(layers, ",\"mode\":\"%s\"", words->mode);
    text_put(layers, "}");
}

/* --- JSON --- */

/* Puts a list of layers without its brackets, as it stands in the file: no number is written anew. */
static int put_list(const char *text, const cJSON *list, struct text *layers, struct text *problem)
{
    const cJSON *layer;
    cJSON_ArrayForEach(layer, list)
    {
        if (!cJSON_IsObject(layer)) {
            text_put(problem, "it is a list of something else than layers");
            return -1;
        }
    }
    if (list->child == NULL) {
        text_put(problem, "it is an empty list");
        return -1;
    }
    const char *first = strchr(text, '[') + 1, *last = strrchr(text, ']');
    text_put_bytes(layers, first, (size_t)(last - first));
    return 0;
}

static int put_value(const char *text, const cJSON *json, const struct pose_words *words, struct text *layers,
                     struct text *problem)
{
    const bool is_layer = json_get(json, "pose") != NULL, is_list = cJSON_IsArray(json);
    if ((is_layer || is_list) && (words->weight != NULL || words->mode != NULL)) {
        text_printf(problem, "it has layers, which say their weight and mode themselves: --pose-%s is for a pose",
                    words->weight != NULL ? "weight" : "mode");
        return -1;
    }
    if (is_list)
        return put_list(text, json, layers, problem);
    if (is_layer)
        text_put(layers, text);
    else
        put_layer(text, words, layers);
    return 0;
}

/* Returns the text behind a byte order mark, over which cJSON passes, but not the request that takes the text. */
static const char *unmarked(const char *text) { return strncmp(text, "\xef\xbb\xbf", 3) == 0 ? text + 3 : text; }

static int put_json(const struct text *bytes, const struct pose_words *words, struct text *layers, struct text *problem)
{
    const char *end = bytes->at;
    size_t line = 1;
    cJSON *json = strlen(bytes->at) == bytes->size_bytes ? cJSON_ParseWithOpts(bytes->at, &end, 1) : NULL;
    int rc = -1;
    if (cJSON_IsObject(json) || cJSON_IsArray(json))
        rc = put_value(unmarked(bytes->at), json, words, layers, problem);
    else {
        for (const char *c = bytes->at; c < end; c++)
            line += *c == '\n';
        text_printf(problem,
                    json != NULL ? "it is JSON, but no pose, which is an object, and no list of layers"
                                 : "it is neither JSON (line %zu), nor binary frames, nor a .npz archive",
                    line);
    }
    cJSON_Delete(json);
    return rc;
}

/* --- arrays --- */

static int read_frames(const struct text *bytes, struct pose_motion *motion, struct text *problem)
{
    unsigned char *memory = must_alloc(bytes->size_bytes + POSED_ALIGN), *aligned = memory;
    while ((uintptr_t)aligned % POSED_ALIGN != 0)
        aligned++;
    memcpy(aligned, bytes->at, bytes->size_bytes);
    const int rc = pose_read_frames(aligned, bytes->size_bytes, motion, problem);
    free(memory);
    return rc;
}

static int read_archive(const struct text *bytes, struct pose_motion *motion, struct text *problem)
{
    struct npz npz = {0};
    int rc = npz_read(&npz, (const unsigned char *)bytes->at, bytes->size_bytes, problem);
    if (rc == 0)
        rc = pose_read_arrays(&npz, motion, problem);
    npz_free(&npz);
    return rc;
}

static int put_arrays(const struct text *bytes, bool is_archive, const struct pose_words *words, struct text *layers,
                      struct text *problem)
{
    struct pose_motion motion = {0};
    struct text pose = {0};
    int rc = is_archive ? read_archive(bytes, &motion, problem) : read_frames(bytes, &motion, problem);
    if (rc == 0)
        rc = pose_motion_put(&motion, &pose, problem);
    if (rc == 0)
        put_layer(pose.at, words, layers);
    pose_motion_free(&motion);
    text_free(&pose);
    return rc;
}

int pose_file_put(const char *file, const struct pose_words *words, struct text *layers, struct text *problem)
{
    struct text bytes = {0}, why = {0};
    int rc = read_bytes(file, &bytes, &why);
    if (rc == 0) {
        const bool is_archive = bytes.size_bytes > 2 && memcmp(bytes.at, "PK", 2) == 0;
        const bool is_frames = bytes.size_bytes > 4 && memcmp(bytes.at, "PSDF", 4) == 0;
        rc = is_archive || is_frames ? put_arrays(&bytes, is_archive, words, layers, &why)
                                     : put_json(&bytes, words, layers, &why);
    }
    if (rc < 0) {
        text_printf(problem, "--pose: '%s': ", strcmp(file, "-") == 0 ? "stdin" : file);
        text_put(problem, why.at);
    }
    text_free(&bytes);
    text_free(&why);
    return rc;
}
