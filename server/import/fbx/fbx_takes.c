/* fbx_takes.c - writes wider takes into a copy of a file, binary or text. */
#include "import/fbx/fbx_takes.h"

#include "import/fbx/fbx_record.h"

#include "base/buf.h"
#include "base/bytes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int64_t WIDENED_TICKS = (int64_t)(FBX_WIDENED_S * FBX_TICKS_PER_S);
/* Beyond this a time would overflow; nobody means it. */
static const int64_t TICKS_MAX = INT64_MAX / 4;

static bool is_sane(int64_t ticks) { return ticks > -TICKS_MAX && ticks < TICKS_MAX; }

/* --- binary --- */

static void put_long(uint8_t *at, uint64_t value)
{
    for (int i = 0; i < 8; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

/* The P records of an AnimationStack. */
static bool widen_stack(const struct fbx_file *file, const struct fbx_record *stack, uint8_t *copy)
{
    struct fbx_record list, p;
    const uint8_t *start = NULL, *stop = NULL;
    for (uint64_t at = stack->children_at; fbx_next_record(file, &at, stack->end, &list);)
        for (uint64_t in = list.children_at;
             fbx_is_named(&list, "Properties70") && fbx_next_record(file, &in, list.end, &p);)
            if (fbx_starts_with(&p, "LocalStart"))
                start = fbx_long(&p, 4);
            else if (fbx_starts_with(&p, "LocalStop"))
                stop = fbx_long(&p, 4);
    if (stop == NULL || !is_sane((int64_t)get_u64(stop)) || (start != NULL && !is_sane((int64_t)get_u64(start))))
        return false;
    put_long(copy + (stop - file->bytes), get_u64(stop) + (uint64_t)WIDENED_TICKS);
    if (start != NULL)
        put_long(copy + (start - file->bytes), get_u64(start) - (uint64_t)WIDENED_TICKS);
    return true;
}

static bool widen_binary(const struct fbx_file *file, uint8_t *copy)
{
    struct fbx_record record, object;
    bool is_any = false;
    for (uint64_t at = FBX_HEADER_BYTES; fbx_next_record(file, &at, file->size_bytes, &record);)
        for (uint64_t in = record.children_at;
             fbx_is_named(&record, "Objects") && fbx_next_record(file, &in, record.end, &object);)
            if (fbx_is_named(&object, "AnimationStack"))
                is_any |= widen_stack(file, &object, copy);
    return is_any;
}

/* --- text --- */

/* The number behind the last comma of `P: "name", "KTime", "Time", "",number`, from `from` up to `to`. */
static const char *find_time(const char *from, const char *to, const char *name, int64_t *ticks)
{
    const char *p = memmem(from, (size_t)(to - from), name, strlen(name));
    const char *end = p == NULL ? NULL : memchr(p, '\n', (size_t)(to - p));
    if (end == NULL)
        return NULL;
    const char *comma = memrchr(p, ',', (size_t)(end - p));
    if (comma == NULL)
        return NULL;
    const char *number = comma + 1;
    while (*number == ' ') /* up to the newline at most */
        number++;
    if (*number != '-' && (*number < '0' || *number > '9'))
        return NULL;
    *ticks = strtoll(number, NULL, 10);
    return is_sane(*ticks) ? number : NULL;
}

static const char *put_changed(struct buf *out, const char *from, const char *number, int64_t ticks)
{
    char text[32];
    snprintf(text, sizeof text, "%lld", (long long)ticks);
    buf_put(out, from, (size_t)(number - from));
    buf_put_text(out, text);
    return number + strcspn(number, "\r\n");
}

static bool widen_text(const char *text, size_t size_bytes, struct buf *out)
{
    static const char STACK[] = "AnimationStack:";
    const char *at = text, *end = text + size_bytes;
    bool is_any = false;
    for (;;) {
        const char *stack = memmem(at, (size_t)(end - at), STACK, sizeof STACK - 1);
        if (stack == NULL)
            break;
        /* Its properties have no list inside, so that the first brace closes them. */
        const char *close = memchr(stack, '}', (size_t)(end - stack));
        int64_t start = 0, stop = 0;
        const char *stop_at = close == NULL ? NULL : find_time(stack, close, "\"LocalStop\"", &stop);
        const char *start_at = stop_at == NULL ? NULL : find_time(stack, stop_at, "\"LocalStart\"", &start);
        if (start_at != NULL)
            at = put_changed(out, at, start_at, start - WIDENED_TICKS);
        if (stop_at != NULL)
            at = put_changed(out, at, stop_at, stop + WIDENED_TICKS);
        is_any |= stop_at != NULL;
        const char *next = stop_at != NULL ? stop_at : stack + sizeof STACK - 1;
        if (next > at) {
            buf_put(out, at, (size_t)(next - at));
            at = next;
        }
    }
    buf_put(out, at, (size_t)(end - at));
    return is_any;
}

static bool copy_text(const uint8_t *bytes, size_t size_bytes, uint8_t **out, size_t *out_bytes)
{
    struct buf text;
    buf_init(&text, 0);
    if (widen_text((const char *)bytes, size_bytes, &text))
        buf_put_char(&text, 0);
    else
        buf_fini(&text);
    *out = buf_failed(&text) || text.data == NULL ? NULL : malloc(text.size_bytes);
    if (*out != NULL) {
        memcpy(*out, text.data, text.size_bytes);
        *out_bytes = text.size_bytes - 1;
    }
    buf_fini(&text);
    return *out != NULL;
}

bool fbx_widen_takes(const uint8_t *bytes, size_t size_bytes, uint8_t **out, size_t *out_bytes)
{
    if (!fbx_is_binary(bytes, size_bytes))
        return copy_text(bytes, size_bytes, out, out_bytes);
    struct fbx_file file;
    uint8_t *copy = fbx_file_open(&file, bytes, size_bytes) ? malloc(size_bytes + 1) : NULL;
    *out = NULL;
    if (copy == NULL)
        return false;
    memcpy(copy, bytes, size_bytes);
    copy[size_bytes] = 0;
    if (!widen_binary(&file, copy)) {
        free(copy);
        return false;
    }
    *out = copy;
    *out_bytes = size_bytes;
    return true;
}

void fbx_take_of(double duration_s, double *begin_s, double *length_s)
{
    const bool is_begin = duration_s > 1.5 * FBX_WIDENED_S, is_end = duration_s > 0.5 * FBX_WIDENED_S;
    *begin_s = is_begin ? FBX_WIDENED_S : 0;
    *length_s = fmax(0, duration_s - *begin_s - (is_end ? FBX_WIDENED_S : 0));
}
