/* gltf_meshopt.c - decodes buffer views compressed with EXT_meshopt_compression, or with the part of
 * KHR_meshopt_compression that both share. Rules: EXT_meshopt_compression (Khronos vendor extension), "Specifying
 * compressed views" and "JSON schema updates". */
#include "import/gltf/gltf_buffer.h"

#include "base/mem.h"

#include <meshoptimizer.h>
#include <stdbool.h>
#include <stdlib.h>

enum meshopt_mode { MODE_ATTRIBUTES, MODE_TRIANGLES, MODE_INDICES, MODE_COUNT };
static const char *const MODES[MODE_COUNT] = {"ATTRIBUTES", "TRIANGLES", "INDICES"};

enum meshopt_filter { FILTER_NONE, FILTER_OCTAHEDRAL, FILTER_QUATERNION, FILTER_EXPONENTIAL, FILTER_COUNT };
static const char *const FILTERS[FILTER_COUNT] = {"NONE", "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL"};

struct meshopt_layout {
    enum meshopt_mode mode;
    enum meshopt_filter filter;
    size_t count, stride;
};

/* The extension's two names; the second adds a filter and a stream version. */
static const char EXT[] = "EXT_meshopt_compression", KHR[] = "KHR_meshopt_compression";

static const char *name_of(const cJSON *view)
{
    return json_member(json_member(view, "extensions"), EXT) != NULL ? EXT : KHR;
}

const cJSON *gltf_meshopt_of(const cJSON *view) { return json_member(json_member(view, "extensions"), name_of(view)); }

/* The additions of the newer extension are not read. */
static enum err_code unread_code(const cJSON *view)
{
    return name_of(view) == KHR ? ERR_UNSUPPORTED_EXTENSION : ERR_BAD_MODEL;
}

/* A stream begins with its type, in the high half of a byte, and its version. Only attribute streams have a version
 * that the other extension does not have. */
static int check_version(const cJSON *view, const struct meshopt_layout *layout, const uint8_t *bytes,
                         uint64_t size_bytes, struct err *err)
{
    const unsigned start = size_bytes > 0 ? bytes[0] : 0, version = start & 0x0f;
    if (name_of(view) == EXT || layout->mode != MODE_ATTRIBUTES || (start & 0xf0) != 0xa0 || version == 0)
        return 0;
    return err_set(err, ERR_UNSUPPORTED_EXTENSION, "%s: streams of version %u are not read here", KHR, version);
}

/* Refuses layouts on which libmeshoptimizer would fail an assertion. */
static bool is_legal(const struct meshopt_layout *layout)
{
    if (layout->count == 0)
        return false;
    if (layout->mode != MODE_ATTRIBUTES)
        return layout->filter == FILTER_NONE && (layout->stride == 2 || layout->stride == 4) &&
               (layout->mode == MODE_INDICES || layout->count % 3 == 0);
    if (layout->stride == 0 || layout->stride > 256 || layout->stride % 4 != 0)
        return false;
    switch (layout->filter) {
    case FILTER_OCTAHEDRAL:
        return layout->stride == 4 || layout->stride == 8;
    case FILTER_QUATERNION:
        return layout->stride == 8;
    default:
        return true;
    }
}

static int read_layout(const cJSON *view, uint64_t decoded_max, struct meshopt_layout *layout, struct err *err)
{
    const cJSON *json = gltf_meshopt_of(view);
    const char *mode = json_text(json, "mode"), *filter = json_text(json, "filter");
    const int mode_found = json_word(mode, MODES, MODE_COUNT);
    const int filter_found = filter == NULL ? FILTER_NONE : json_word(filter, FILTERS, FILTER_COUNT);
    if (mode_found < 0 || filter_found < 0)
        return err_set(err, unread_code(view), "%s has no %s '%.40s' here", name_of(view),
                       mode_found < 0 ? "mode" : "filter", mode_found < 0 ? mode : filter);
    const uint64_t count = json_count(json, "count", 0), stride = json_count(json, "byteStride", 0);
    const uint64_t view_bytes = json_count(view, "byteLength", 0);
    uint64_t size_bytes;
    if (__builtin_mul_overflow(count, stride, &size_bytes) || size_bytes != view_bytes)
        return err_set(err, ERR_BAD_MODEL, "%s has %llu rows of %llu bytes, but the view %llu bytes", name_of(view),
                       (unsigned long long)count, (unsigned long long)stride, (unsigned long long)view_bytes);
    *layout = (struct meshopt_layout){(enum meshopt_mode)mode_found, (enum meshopt_filter)filter_found, (size_t)count,
                                      (size_t)stride};
    if (!is_legal(layout))
        return err_set(err, ERR_BAD_MODEL, "%s cannot be %llu rows of %llu bytes, %s, filter %s", name_of(view),
                       (unsigned long long)count, (unsigned long long)stride, mode, FILTERS[filter_found]);
    if (size_bytes > decoded_max)
        return err_set(err, ERR_MODEL_LIMIT, "%llu more bytes decompressed, of %llu that are left; see --max-file",
                       (unsigned long long)size_bytes, (unsigned long long)decoded_max);
    return 0;
}

static int decode(const struct meshopt_layout *layout, const uint8_t *bytes, size_t size_bytes, uint8_t *out)
{
    switch (layout->mode) {
    case MODE_TRIANGLES:
        return meshopt_decodeIndexBuffer(out, layout->count, layout->stride, bytes, size_bytes);
    case MODE_INDICES:
        return meshopt_decodeIndexSequence(out, layout->count, layout->stride, bytes, size_bytes);
    default:
        return meshopt_decodeVertexBuffer(out, layout->count, layout->stride, bytes, size_bytes);
    }
}

static void apply_filter(const struct meshopt_layout *layout, uint8_t *bytes)
{
    switch (layout->filter) {
    case FILTER_OCTAHEDRAL:
        meshopt_decodeFilterOct(bytes, layout->count, layout->stride);
        break;
    case FILTER_QUATERNION:
        meshopt_decodeFilterQuat(bytes, layout->count, layout->stride);
        break;
    case FILTER_EXPONENTIAL:
        meshopt_decodeFilterExp(bytes, layout->count, layout->stride);
        break;
    default:
        break;
    }
}

int gltf_meshopt_decode(const cJSON *view, const uint8_t *bytes, uint64_t size_bytes, uint64_t decoded_max,
                        uint8_t **out, struct err *err)
{
    struct meshopt_layout layout = {0};
    if (read_layout(view, decoded_max, &layout, err) < 0 || check_version(view, &layout, bytes, size_bytes, err) < 0)
        return err->code;
    uint8_t *decoded = mem_zalloc(layout.count, layout.stride);
    if (decode(&layout, bytes, (size_t)size_bytes, decoded) != 0) {
        free(decoded);
        return err_set(err, ERR_BAD_MODEL, "the %llu bytes of %s are broken", (unsigned long long)size_bytes,
                       name_of(view));
    }
    apply_filter(&layout, decoded);
    *out = decoded;
    return 0;
}
