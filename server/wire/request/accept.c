#include "wire/request/accept.h"

#include "base/ascii.h"
#include "wire/encode/frames.h"
#include "wire/encode/glb.h"
#include "wire/http/url.h"

#include <string.h>

/* Returns a weight in thousandths: "0", "0.5", "1.000". A malformed weight is 0: not accepted. */
static int weight_of(const char *text, size_t size_bytes)
{
    if (size_bytes == 0 || size_bytes > 5 || (text[0] != '0' && text[0] != '1') || (size_bytes > 1 && text[1] != '.'))
        return 0;
    int weight = (text[0] - '0') * 1000;
    int unit = 100;
    for (size_t i = 2; i < size_bytes; i++, unit /= 10) {
        if (!ascii_is_digit(text[i]))
            return 0;
        weight += (text[i] - '0') * unit;
    }
    return weight > 1000 ? 0 : weight;
}

/* Cuts spaces off both ends of text[*size_bytes]. */
static const char *trim(const char *text, size_t *size_bytes)
{
    while (*size_bytes > 0 && (text[0] == ' ' || text[0] == '\t')) {
        text++;
        --*size_bytes;
    }
    while (*size_bytes > 0 && (text[*size_bytes - 1] == ' ' || text[*size_bytes - 1] == '\t'))
        --*size_bytes;
    return text;
}

/* Returns the weight among the parameters after the type: ";a=b;q=0.5". */
static int item_weight(const char *text, size_t size_bytes)
{
    int weight = 1000;
    while (size_bytes > 0) {
        const char *semicolon = memchr(text, ';', size_bytes);
        size_t part_bytes = semicolon == NULL ? size_bytes : (size_t)(semicolon - text);
        const size_t step = semicolon == NULL ? size_bytes : part_bytes + 1;
        const char *part = trim(text, &part_bytes);
        if (part_bytes >= 2 && (part[0] == 'q' || part[0] == 'Q') && part[1] == '=')
            weight = weight_of(part + 2, part_bytes - 2);
        text += step;
        size_bytes -= step;
    }
    return weight;
}

enum { TYPE_FRAMES, TYPE_GLB, TYPE_JSON, TYPE_APPLICATION, TYPE_ANY, TYPE_COUNT };
static const char *const TYPES[TYPE_COUNT] = {
    [TYPE_FRAMES] = FRAMES_CONTENT_TYPE,
    [TYPE_GLB] = GLB_CONTENT_TYPE,
    [TYPE_JSON] = "application/json",
    [TYPE_APPLICATION] = "application/*",
    [TYPE_ANY] = "*/*",
};

/* Parses a list of names with weights: sets weights[i] for names[i], and leaves weights of missing names unchanged. */
static void weigh(const char *list, const char *const *names, int count, int *weights)
{
    const char *item;
    size_t item_bytes;
    while (url_next_entry(&list, &item, &item_bytes)) {
        const char *semicolon = memchr(item, ';', item_bytes);
        size_t name_bytes = semicolon == NULL ? item_bytes : (size_t)(semicolon - item);
        const size_t rest_at = name_bytes;
        const char *name = trim(item, &name_bytes);
        for (int i = 0; i < count; i++)
            if (url_is_word(name, name_bytes, names[i]))
                weights[i] = item_weight(item + rest_at, item_bytes - rest_at);
    }
}

enum format accept_format(const char *accept, bool has_glb)
{
    int weights[TYPE_COUNT] = {-1, -1, -1, -1, -1}; /* -1: absent from the header */
    weigh(accept, TYPES, TYPE_COUNT, weights);
    int json = weights[TYPE_JSON];
    if (json < 0)
        json = weights[TYPE_APPLICATION] >= 0 ? weights[TYPE_APPLICATION] : weights[TYPE_ANY];
    const int glb = has_glb ? weights[TYPE_GLB] : -1;
    if (glb > 0 && glb >= json && glb > weights[TYPE_FRAMES])
        return FORMAT_GLB;
    return weights[TYPE_FRAMES] > 0 && weights[TYPE_FRAMES] >= json ? FORMAT_BIN : FORMAT_JSON;
}

/* Prometheus lists OpenMetrics once per version: the largest weight counts. */
enum format accept_metrics_format(const char *accept)
{
    const char *item;
    size_t item_bytes;
    int openmetrics = 0, plain = 0;
    while (url_next_entry(&accept, &item, &item_bytes)) {
        const char *semicolon = memchr(item, ';', item_bytes);
        size_t name_bytes = semicolon == NULL ? item_bytes : (size_t)(semicolon - item);
        const int weight = item_weight(item + name_bytes, item_bytes - name_bytes);
        const char *name = trim(item, &name_bytes);
        if (url_is_word(name, name_bytes, "application/openmetrics-text") && weight > openmetrics)
            openmetrics = weight;
        if (url_is_word(name, name_bytes, "text/plain"))
            plain = weight;
    }
    return openmetrics > 0 && openmetrics >= plain ? FORMAT_OPENMETRICS : FORMAT_METRICS;
}

enum { NAME_ZSTD, NAME_GZIP, NAME_X_GZIP, NAME_IDENTITY, NAME_ANY, NAME_COUNT };

enum coding accept_coding(const char *accept_encoding)
{
    static const char *const NAMES[NAME_COUNT] = {[NAME_ZSTD] = "zstd",
                                                  [NAME_GZIP] = "gzip",
                                                  [NAME_X_GZIP] = "x-gzip",
                                                  [NAME_IDENTITY] = "identity",
                                                  [NAME_ANY] = "*"};
    int weights[NAME_COUNT] = {-1, -1, -1, -1, -1};
    if (accept_encoding == NULL)
        return CODING_NONE;
    weigh(accept_encoding, NAMES, NAME_COUNT, weights);
    const int any = weights[NAME_ANY] < 0 ? 0 : weights[NAME_ANY];
    const int gzip = weights[NAME_GZIP] >= 0     ? weights[NAME_GZIP]
                     : weights[NAME_X_GZIP] >= 0 ? weights[NAME_X_GZIP]
                                                 : any;
    const int zstd = weights[NAME_ZSTD] < 0 ? 0 : weights[NAME_ZSTD];
    const int best = zstd >= gzip ? zstd : gzip;
    if (best == 0 || best < weights[NAME_IDENTITY])
        return CODING_NONE;
    return zstd >= gzip ? CODING_ZSTD : CODING_GZIP;
}
