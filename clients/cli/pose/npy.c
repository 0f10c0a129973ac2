/* Reads one .npy file: its head, a dictionary of Python, and its items. npz.h. */
#include "clients/cli/pose/npz.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAGIC_BYTES = 8, HEAD_MAX = 65536, TEXT_MAX = 4096 };
static const size_t ITEMS_MAX = (size_t)1 << 26;

/* --- the head --- */

/* The head's text, and how far it has been read. */
struct cursor {
    const char *at, *end;
};

static void skip_blanks(struct cursor *cursor)
{
    while (cursor->at < cursor->end && strchr(" \t\r\n", *cursor->at) != NULL)
        cursor->at++;
}

static bool take(struct cursor *cursor, const char *word)
{
    const size_t size = strlen(word);
    skip_blanks(cursor);
    if ((size_t)(cursor->end - cursor->at) < size || memcmp(cursor->at, word, size) != 0)
        return false;
    cursor->at += size;
    return true;
}

/* Takes a text in quotes. */
static bool take_text(struct cursor *cursor, char *out, size_t capacity)
{
    const char quote = take(cursor, "'") ? '\'' : take(cursor, "\"") ? '"' : '\0';
    size_t size = 0;
    while (quote != '\0' && cursor->at < cursor->end && *cursor->at != quote && size + 1 < capacity)
        out[size++] = *cursor->at++;
    out[size] = '\0';
    if (quote == '\0' || cursor->at >= cursor->end || *cursor->at != quote)
        return false;
    cursor->at++;
    return true;
}

static bool take_size(struct cursor *cursor, size_t *out)
{
    size_t digits = 0;
    *out = 0;
    skip_blanks(cursor);
    for (; cursor->at < cursor->end && *cursor->at >= '0' && *cursor->at <= '9'; cursor->at++, digits++) {
        *out = *out * 10 + (size_t)(*cursor->at - '0');
        if (*out > ITEMS_MAX)
            return false;
    }
    return digits > 0;
}

/* Takes "(3, 4)", "(3,)" or "()". */
static bool take_shape(struct cursor *cursor, struct npy *npy)
{
    if (!take(cursor, "("))
        return false;
    for (npy->item_count = 1; !take(cursor, ")");) {
        size_t *axis = &npy->axes[npy->axis_count];
        if (npy->axis_count == NPY_AXES_MAX || !take_size(cursor, axis))
            return false;
        if (*axis > 0 && npy->item_count > ITEMS_MAX / *axis)
            return false;
        npy->item_count *= *axis;
        npy->axis_count++;
        if (!take(cursor, ",")) {
            if (!take(cursor, ")"))
                return false;
            break;
        }
    }
    return true;
}

/* Takes "<f4": the order of the bytes, the kind, and the size. */
static bool read_type(const char *type, struct npy *npy)
{
    char *end;
    if (strchr("<>|=", type[0]) == NULL || type[0] == '\0' || type[1] == '\0' || strchr("fiubUS", type[1]) == NULL ||
        type[2] < '0' || type[2] > '9')
        return false;
    npy->is_big_endian = type[0] == '>';
    npy->kind = type[1];
    const unsigned long size = strtoul(type + 2, &end, 10);
    if (*end != '\0' || size > TEXT_MAX)
        return false;
    npy->item_bytes = npy->kind == 'U' ? 4 * size : size;
    const bool is_whole = size == 1 || size == 2 || size == 4 || size == 8;
    return npy_is_text(npy) ? true : npy->kind == 'f' ? is_whole && size >= 4 : npy->kind == 'b' ? size == 1 : is_whole;
}

/* Reads the dictionary. Its members may come in any order. */
static const char *read_members(struct cursor *cursor, struct npy *npy)
{
    char name[32], type[32];
    int seen = 0;
    if (!take(cursor, "{"))
        return "is no .npy file: it has no head";
    while (!take(cursor, "}")) {
        if (!take_text(cursor, name, sizeof name) || !take(cursor, ":"))
            return "is no .npy file: its head is damaged";
        if (strcmp(name, "descr") == 0) {
            if (!take_text(cursor, type, sizeof type) || !read_type(type, npy))
                return "has items that are neither numbers (float32, float64, integers) nor texts";
            seen |= 1;
        } else if (strcmp(name, "fortran_order") == 0) {
            npy->is_fortran_order = take(cursor, "True");
            if (!npy->is_fortran_order && !take(cursor, "False"))
                return "is no .npy file: its head is damaged";
            seen |= 2;
        } else if (strcmp(name, "shape") == 0 && (seen & 4) == 0) {
            if (!take_shape(cursor, npy))
                return "has a shape of too many axes or items, or none";
            seen |= 4;
        } else
            return "is no .npy file: its head is damaged";
        (void)take(cursor, ",");
    }
    return seen == 7 ? NULL : "is no .npy file: its head lacks descr, fortran_order or shape";
}

int npy_read_head(struct npy *npy, struct text *problem)
{
    const unsigned char *b = npy->bytes;
    if (npy->size_bytes < MAGIC_BYTES + 4 || memcmp(b, "\x93NUMPY", 6) != 0 || b[6] < 1 || b[6] > 3) {
        text_put(problem, "is no .npy file of version 1 to 3");
        return -1;
    }
    const size_t first = MAGIC_BYTES + (b[6] == 1 ? 2 : 4);
    const size_t head_bytes = b[8] | (size_t)b[9] << 8 | (b[6] == 1 ? 0 : (size_t)b[10] << 16 | (size_t)b[11] << 24);
    if (head_bytes > HEAD_MAX || head_bytes > npy->size_bytes - first) {
        text_put(problem, "is cut within its head");
        return -1;
    }
    struct cursor cursor = {(const char *)b + first, (const char *)b + first + head_bytes};
    const char *fault = read_members(&cursor, npy);
    if (fault != NULL) {
        text_put(problem, fault);
        return -1;
    }
    npy->items_offset = first + head_bytes;
    const size_t size_bytes = npy->size_bytes - npy->items_offset;
    if (npy->item_count * npy->item_bytes == size_bytes)
        return 0;
    text_put(problem, "has the shape ");
    npy_put_shape(npy, problem);
    text_printf(problem, ", which is %zu bytes, and has %zu", npy->item_count * npy->item_bytes, size_bytes);
    return -1;
}

/* --- items --- */

bool npy_is_text(const struct npy *npy) { return npy->kind == 'U' || npy->kind == 'S'; }
bool npy_is_number(const struct npy *npy) { return !npy_is_text(npy); }

void npy_put_shape(const struct npy *npy, struct text *out)
{
    text_put(out, "(");
    for (size_t i = 0; i < npy->axis_count; i++)
        text_printf(out, "%s%zu", i == 0 ? "" : ", ", npy->axes[i]);
    text_put(out, npy->axis_count == 1 ? ",)" : ")");
}

/* Returns the bytes of an item; in Fortran order the first axis is the one that changes fastest. */
static const unsigned char *item_at(const struct npy *npy, size_t index)
{
    size_t at = index;
    if (npy->is_fortran_order) {
        size_t stride = npy->item_count, rest = index;
        at = 0;
        for (size_t axis = npy->axis_count; axis-- > 0;) {
            stride /= npy->axes[axis];
            at += rest % npy->axes[axis] * stride;
            rest /= npy->axes[axis];
        }
    }
    return npy->bytes + npy->items_offset + at * npy->item_bytes;
}

static uint64_t whole_at(const struct npy *npy, const unsigned char *at, size_t size)
{
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++)
        value = value << 8 | at[npy->is_big_endian ? i : size - 1 - i];
    return value;
}

double npy_number(const struct npy *npy, size_t index)
{
    const uint64_t bits = whole_at(npy, item_at(npy, index), npy->item_bytes);
    if (npy->kind == 'f' && npy->item_bytes == 4) {
        const uint32_t half = (uint32_t)bits;
        float value;
        memcpy(&value, &half, sizeof value);
        return (double)value;
    }
    if (npy->kind == 'f') {
        double value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    if (npy->kind != 'i')
        return (double)bits;
    const unsigned unused = (unsigned)(64 - 8 * npy->item_bytes); /* bits above the number's sign */
    return (double)((int64_t)(bits << unused) >> unused);
}

/* Appends a code point of Unicode as UTF-8. */
static bool put_character(struct text *out, uint64_t code)
{
    char bytes[4];
    size_t size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
        return false;
    for (size_t i = size; i-- > 1; code >>= 6)
        bytes[i] = (char)(0x80 | (code & 0x3f));
    static const unsigned char FIRST[] = {0, 0, 0xc0, 0xe0, 0xf0};
    bytes[0] = (char)(FIRST[size] | code);
    text_put_bytes(out, bytes, size);
    return true;
}

bool npy_text(const struct npy *npy, size_t index, struct text *out)
{
    const unsigned char *at = item_at(npy, index);
    const size_t unit = npy->kind == 'U' ? 4 : 1;
    size_t count = npy->item_bytes / unit;
    text_put(out, "");
    while (count > 0 && whole_at(npy, at + (count - 1) * unit, unit) == 0) /* NumPy fills up with zeros */
        count--;
    for (size_t i = 0; i < count; i++) {
        const uint64_t code = whole_at(npy, at + i * unit, unit);
        if (code == 0 || (unit == 4 && !put_character(out, code)))
            return false;
        if (unit == 1)
            text_put_bytes(out, (const char *)at + i, 1);
    }
    return true;
}
