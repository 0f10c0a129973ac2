#include "clients/cli/convert/glb_join.h"

#include "clients/cli/convert/glb_extras.h"

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD_BYTES = 12, CHUNK_HEAD_BYTES = 8, ALIGN_BYTES = 16, CHUNK_ALIGN_BYTES = 4 };
static const char MESHOPT[] = "EXT_meshopt_compression";

static uint32_t read_u32(const unsigned char *bytes)
{
    uint32_t value;
    memcpy(&value, bytes, sizeof value);
    return le32toh(value);
}

cJSON *glb_parse(const unsigned char *bytes, size_t size_bytes, const unsigned char **bin, size_t *bin_bytes)
{
    if (size_bytes < HEAD_BYTES + CHUNK_HEAD_BYTES || memcmp(bytes, "glTF", 4) != 0)
        return NULL;
    const uint32_t json_bytes = read_u32(bytes + HEAD_BYTES);
    if (json_bytes > size_bytes - HEAD_BYTES - CHUNK_HEAD_BYTES)
        return NULL;
    const size_t end = HEAD_BYTES + CHUNK_HEAD_BYTES + (size_t)json_bytes, left = size_bytes - end;
    const bool has_bin = left >= CHUNK_HEAD_BYTES && memcmp(bytes + end + 4, "BIN", 4) == 0 &&
                         read_u32(bytes + end) <= left - CHUNK_HEAD_BYTES;
    if (bin != NULL) {
        *bin = has_bin ? bytes + end + CHUNK_HEAD_BYTES : NULL;
        *bin_bytes = has_bin ? read_u32(bytes + end) : 0;
    }
    return cJSON_ParseWithLength((const char *)bytes + HEAD_BYTES + CHUNK_HEAD_BYTES, json_bytes);
}

/* --- a part --- */

struct part {
    struct glb_join *join;
    cJSON *json;
    const unsigned char *bin;
    size_t bin_bytes;
    int accessor_count;
    int *accessors; /* [accessor_count]: the indices in the joined file; -1: not copied yet */
    struct text *problem;
};

static int refuse(const struct part *part, const char *why)
{
    text_printf(part->problem, "the parts of the file cannot be joined: %s", why);
    return -1;
}

static cJSON *member(cJSON *object, const char *name) { return cJSON_GetObjectItemCaseSensitive(object, name); }

/* Returns the joined file's array of that name. Makes it if it is missing. */
static cJSON *array_of(const struct part *part, const char *name)
{
    cJSON *found = member(part->join->json, name);
    return found != NULL ? found : cJSON_AddArrayToObject(part->join->json, name);
}

static void add_to(cJSON *object, const char *name, double value)
{
    cJSON *number = member(object, name);
    if (number == NULL)
        cJSON_AddNumberToObject(object, name, value);
    else
        cJSON_SetNumberValue(number, value);
}

/* Appends the bytes of a view, or of its compressed form, to the joined ones. */
static int move_bytes(const struct part *part, cJSON *place)
{
    struct glb_join *join = part->join;
    const double at = member(place, "byteOffset") == NULL ? 0 : member_number(place, "byteOffset");
    const double size = member_number(place, "byteLength");
    if (!(at >= 0 && size >= 0 && at + size <= (double)part->bin_bytes) || member_number(place, "buffer") != 0)
        return refuse(part, "a buffer view is outside of its buffer");
    const size_t begin = (join->bin_bytes + ALIGN_BYTES - 1) / ALIGN_BYTES * ALIGN_BYTES;
    join->bin = must_grow(join->bin, begin + (size_t)size);
    memset(join->bin + join->bin_bytes, 0, begin - join->bin_bytes);
    memcpy(join->bin + begin, part->bin + (size_t)at, (size_t)size);
    join->bin_bytes = begin + (size_t)size;
    add_to(place, "byteOffset", (double)begin);
    return 0;
}

/* Makes buffer 1, if the first part has nothing compressed. */
static void make_fallback(const struct part *part)
{
    cJSON *buffers = array_of(part, "buffers");
    const cJSON *theirs = cJSON_GetArrayItem(member(part->json, "buffers"), 1);
    if (cJSON_GetArraySize(buffers) == 0)
        cJSON_AddItemToArray(buffers, cJSON_CreateObject());
    if (cJSON_GetArraySize(buffers) == 1)
        cJSON_AddItemToArray(buffers, cJSON_Duplicate(theirs, true));
}

/* Places the fallback of a compressed view in buffer 1, which has no bytes. */
static void move_fallback(struct glb_join *join, cJSON *view)
{
    const double begin = (double)(((uint64_t)join->fallback_bytes + ALIGN_BYTES - 1) / ALIGN_BYTES * ALIGN_BYTES);
    add_to(view, "byteOffset", begin);
    join->fallback_bytes = begin + member_number(view, "byteLength");
}

/* Returns the view's index in the joined file, or -1. */
static int take_view(const struct part *part, int index)
{
    cJSON *views = array_of(part, "bufferViews");
    cJSON *view = cJSON_Duplicate(cJSON_GetArrayItem(member(part->json, "bufferViews"), index), true);
    if (view == NULL)
        return refuse(part, "an accessor has no buffer view");
    cJSON *compressed = member(member(view, "extensions"), MESHOPT);
    cJSON_AddItemToArray(views, view);
    if (compressed != NULL)
        make_fallback(part);
    if ((compressed == NULL ? move_bytes(part, view) : move_bytes(part, compressed)) < 0)
        return -1;
    if (compressed != NULL)
        move_fallback(part->join, view);
    return cJSON_GetArraySize(views) - 1;
}

/* *index: an accessor of the part; becomes that of the joined file. */
static int take_accessor(const struct part *part, cJSON *index)
{
    const double at = cJSON_IsNumber(index) ? index->valuedouble : -1;
    if (!(at >= 0 && at < part->accessor_count))
        return refuse(part, "a sampler has no accessor");
    int *place = &part->accessors[(int)at];
    if (*place < 0) {
        cJSON *accessors = array_of(part, "accessors");
        cJSON *accessor = cJSON_Duplicate(cJSON_GetArrayItem(member(part->json, "accessors"), (int)at), true);
        cJSON *view = member(accessor, "bufferView");
        cJSON_AddItemToArray(accessors, accessor);
        const int moved = view == NULL ? 0 : take_view(part, (int)view->valuedouble);
        if (moved < 0)
            return -1;
        if (view != NULL)
            cJSON_SetNumberValue(view, moved);
        *place = cJSON_GetArraySize(accessors) - 1;
    }
    cJSON_SetNumberValue(index, *place);
    return 0;
}

static int take_clips(const struct part *part)
{
    const cJSON *clip;
    cJSON_ArrayForEach(clip, json_get(part->json, "animations"))
    {
        cJSON *taken = cJSON_Duplicate(clip, true), *sampler;
        cJSON_AddItemToArray(array_of(part, "animations"), taken);
        cJSON_ArrayForEach(sampler, member(taken, "samplers"))
        {
            if (take_accessor(part, member(sampler, "input")) < 0 || take_accessor(part, member(sampler, "output")) < 0)
                return -1;
        }
    }
    return 0;
}

/* Returns whether everything that the clips move is the same. Textures of materials and the compression of meshes do
 * not count. */
static bool has_same_nodes(const struct part *part)
{
    static const char *const SAME[] = {"scene", "scenes", "nodes", "skins", "cameras", "extensions"};
    bool is_same =
        cJSON_GetArraySize(member(part->json, "meshes")) == cJSON_GetArraySize(member(part->join->json, "meshes"));
    for (size_t i = 0; i < sizeof SAME / sizeof *SAME && is_same; i++) {
        const cJSON *ours = member(part->join->json, SAME[i]), *theirs = member(part->json, SAME[i]);
        is_same = (ours == NULL && theirs == NULL) || cJSON_Compare(ours, theirs, true);
    }
    return is_same;
}

static void join_lists(const struct part *part)
{
    static const char *const LISTS[] = {"extensionsUsed", "extensionsRequired"};
    for (size_t i = 0; i < sizeof LISTS / sizeof *LISTS; i++)
        if (member(part->json, LISTS[i]) != NULL)
            glb_add_missing(array_of(part, LISTS[i]), member(part->json, LISTS[i]));
}

static int add_more(struct part *part)
{
    part->accessor_count = cJSON_GetArraySize(member(part->json, "accessors"));
    part->accessors = must_alloc(((size_t)part->accessor_count + 1) * sizeof *part->accessors);
    for (int i = 0; i < part->accessor_count; i++)
        part->accessors[i] = -1;
    if (!has_same_nodes(part))
        return refuse(part, "their nodes differ");
    if (take_clips(part) < 0)
        return -1;
    join_lists(part);
    glb_extras_join(part->join->json, part->json);
    return 0;
}

int glb_join_add(struct glb_join *join, const unsigned char *bytes, size_t size_bytes, struct text *problem)
{
    struct part part = {.join = join, .problem = problem};
    part.json = glb_parse(bytes, size_bytes, &part.bin, &part.bin_bytes);
    if (part.json == NULL)
        return refuse(&part, "the server's answer is no GLB file");
    int rc = 0;
    if (join->part_count++ > 0) {
        rc = add_more(&part);
        cJSON_Delete(part.json);
        free(part.accessors);
        return rc;
    }
    join->json = part.json;
    join->bin = must_grow(NULL, part.bin_bytes + 1);
    if (part.bin_bytes > 0)
        memcpy(join->bin, part.bin, part.bin_bytes);
    join->bin_bytes = part.bin_bytes;
    const cJSON *fallback = cJSON_GetArrayItem(member(join->json, "buffers"), 1);
    join->fallback_bytes = fallback == NULL ? 0 : member_number(fallback, "byteLength");
    return rc;
}

/* --- the file --- */

static void put_u32(struct text *out, size_t value)
{
    const uint32_t little = htole32((uint32_t)value);
    text_put_bytes(out, (const char *)&little, sizeof little);
}

static void put_chunk(struct text *out, const char type[4], const void *bytes, size_t size_bytes, char padding)
{
    const size_t padded = (size_bytes + CHUNK_ALIGN_BYTES - 1) / CHUNK_ALIGN_BYTES * CHUNK_ALIGN_BYTES;
    put_u32(out, padded);
    text_put_bytes(out, type, 4);
    text_put_bytes(out, bytes, size_bytes);
    for (size_t i = size_bytes; i < padded; i++)
        text_put_bytes(out, &padding, 1);
}

int glb_join_put(const struct glb_join *join, struct text *out, struct text *problem)
{
    cJSON *buffers = member(join->json, "buffers");
    if (buffers == NULL && join->bin_bytes > 0) {
        buffers = cJSON_AddArrayToObject(join->json, "buffers");
        cJSON_AddItemToArray(buffers, cJSON_CreateObject());
    }
    if (join->bin_bytes > 0)
        add_to(cJSON_GetArrayItem(buffers, 0), "byteLength", (double)join->bin_bytes);
    if (join->fallback_bytes > 0)
        add_to(cJSON_GetArrayItem(buffers, 1), "byteLength", join->fallback_bytes);
    char *json = cJSON_PrintUnformatted(join->json);
    struct text chunks = {0};
    put_chunk(&chunks, "JSON", json, strlen(json), ' ');
    if (join->bin_bytes > 0)
        put_chunk(&chunks, "BIN", join->bin, join->bin_bytes, '\0');
    const bool fits = chunks.size_bytes <= UINT32_MAX - HEAD_BYTES; /* 4.4.2: a length of 32 bits */
    if (!fits)
        text_put(problem, "the joined file would be larger than a GLB file can be, 4 GiB");
    text_put(out, "glTF");
    put_u32(out, 2);
    put_u32(out, HEAD_BYTES + chunks.size_bytes);
    text_put_bytes(out, chunks.at, chunks.size_bytes);
    text_free(&chunks);
    free(json);
    return fits ? 0 : -1;
}

void glb_join_free(struct glb_join *join)
{
    cJSON_Delete(join->json);
    free(join->bin);
    *join = (struct glb_join){0};
}
