#include "import/assimp/assimp_mend.h"

#include "base/ascii.h"
#include "base/mem.h"

#include <stdio.h>
#include <string.h>
#include <zlib.h>

enum { SMD_BLANK = '\x1f' };

/* Copies a text and inserts into it. */
struct mending {
    const char *begin, *end, *copied;
    char *out;
    size_t size, capacity;
};

static void put(struct mending *mending, const char *text, size_t size)
{
    mending->out = mem_grow(mending->out, &mending->capacity, mending->size + size + 1, 1);
    memcpy(mending->out + mending->size, text, size);
    mending->size += size;
}

/* Copies up to `at`, then `text` in place of the next `replaced` bytes. */
static void replace(struct mending *mending, const char *at, size_t replaced, const char *text)
{
    put(mending, mending->copied, (size_t)(at - mending->copied));
    put(mending, text, strlen(text));
    mending->copied = at + replaced;
}

static bool finish(struct mending *mending, uint8_t **out, size_t *out_bytes)
{
    if (mending->copied == mending->begin)
        return false;
    put(mending, mending->copied, (size_t)(mending->end - mending->copied));
    mending->out[mending->size] = '\0';
    *out = (uint8_t *)mending->out;
    *out_bytes = mending->size;
    return true;
}

static struct mending start(const uint8_t *bytes, size_t size_bytes)
{
    const char *text = (const char *)bytes;
    return (struct mending){.begin = text, .end = text + size_bytes, .copied = text};
}

static const char *pass_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || (*at >= '\t' && *at <= '\r')))
        at++;
    return at;
}

/* --- IFC --- */

/* ISO 10303-21: "#12=" begins an instance. */
static bool first_instance(const char *at, const char *end, char out[24])
{
    for (; at < end && (at = memchr(at, '#', (size_t)(end - at))) != NULL; at++) {
        size_t length = 1;
        while (at + length < end && length < 20 && ascii_is_digit(at[length]))
            length++;
        const char *after = pass_blanks(at + length, end);
        if (length > 1 && after < end && *after == '=') {
            snprintf(out, 24, "%.*s", (int)length, at);
            return true;
        }
    }
    return false;
}

/* IfcRoot begins with an identity of 22 characters, and its owner history follows: ('0YvctVUKr0kugbFTf53O9L',$,... */
bool assimp_mend_ifc(const uint8_t *bytes, size_t size_bytes, uint8_t **out, size_t *out_bytes)
{
    enum { IDENTITY_LENGTH = 22 };
    struct mending mending = start(bytes, size_bytes);
    char instance[24];
    if (!first_instance(mending.begin, mending.end, instance))
        return false;
    for (const char *at = mending.begin; (at = memchr(at, '(', (size_t)(mending.end - at))) != NULL;) {
        at = pass_blanks(at + 1, mending.end);
        if (mending.end - at < IDENTITY_LENGTH + 4 || at[0] != '\'' || at[IDENTITY_LENGTH + 1] != '\'')
            continue;
        const char *comma = pass_blanks(at + IDENTITY_LENGTH + 2, mending.end);
        const char *owner = comma < mending.end && *comma == ',' ? pass_blanks(comma + 1, mending.end) : mending.end;
        if (owner < mending.end && *owner == '$')
            replace(&mending, owner, 1, instance);
    }
    return finish(&mending, out, out_bytes);
}

/* --- OpenGEX --- */

/* VertexArray (attrib = "color") {float[3] ... */
bool assimp_mend_ogex(const uint8_t *bytes, size_t size_bytes, uint8_t **out, size_t *out_bytes)
{
    static const char COLOR[] = "\"color\"";
    struct mending mending = start(bytes, size_bytes);
    const char *end = mending.end;
    for (const char *at = mending.begin; (at = memmem(at, (size_t)(end - at), COLOR, sizeof COLOR - 1)) != NULL;
         at += sizeof COLOR - 1)
        replace(&mending, at, sizeof COLOR - 1, "\"unread\"");
    return finish(&mending, out, out_bytes);
}

/* --- DirectX --- */

/* "1,0": the digits before the comma are a whole number. */
static bool is_whole(const char *begin, const char *comma)
{
    const char *at = comma;
    while (at > begin && ascii_is_digit(at[-1]))
        at--;
    return at < comma && (at == begin || at[-1] != '.');
}

/* Moves behind strings and comments. */
static const char *pass_words(const char *at, const char *end)
{
    while (at < end && (*at == '"' || *at == '#' || (*at == '/' && at[1] == '/'))) {
        const char *last = memchr(at + 1, *at == '"' ? '"' : '\n', (size_t)(end - at - 1));
        at = last == NULL ? end : last + 1;
    }
    return at;
}

static bool is_between_digits(const char *at) { return ascii_is_digit(at[-1]) && ascii_is_digit(at[1]); }

/* "0;0,5;0,25;": a program wrote the decimal comma of its user's language. Then no number has a point, and a comma can
 * stand alone between semicolons, which those of "3;0,1,2;" do not. */
static bool has_decimal_commas(const char *at, const char *end)
{
    bool is_found = false;
    uint32_t commas = 0;
    for (; (at = pass_words(at, end)) < end; at++) {
        if (*at == '.' && (ascii_is_digit(at[-1]) || ascii_is_digit(at[1])))
            return false;
        commas += *at == ',' && is_between_digits(at);
        if (*at != ';')
            continue;
        is_found |= commas == 1;
        commas = 0;
    }
    return is_found;
}

/* "xof 0303txt 0032" begins a text. */
bool assimp_mend_x(const uint8_t *bytes, size_t size_bytes, uint8_t **out, size_t *out_bytes)
{
    enum { HEAD_BYTES = 16 };
    struct mending mending = start(bytes, size_bytes);
    const char *first = mending.begin + HEAD_BYTES;
    if (size_bytes < HEAD_BYTES || memcmp(bytes, "xof ", 4) != 0 || memcmp(bytes + 8, "txt", 3) != 0 ||
        has_decimal_commas(first, mending.end))
        return false;
    for (const char *at = first; (at = pass_words(at, mending.end)) < mending.end; at++)
        if (*at == ',' && is_between_digits(at) && is_whole(mending.begin, at))
            replace(&mending, at + 1, 0, " ");
    return finish(&mending, out, out_bytes);
}

/* --- SMD --- */

enum { SMD_TRIANGLE_ROWS = 4 }; /* a material and three vertices */

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

static bool is_row(const char *text, const char *end, const char *word)
{
    return (size_t)(end - text) == strlen(word) && memcmp(text, word, strlen(word)) == 0;
}

static void mend_material(struct mending *mending, const char *text, const char *end)
{
    for (const char *at = text; at < end; at++)
        if (is_blank(*at))
            replace(mending, at, 1, (const char[]){SMD_BLANK, '\0'});
}

/* Leaves out a comment behind numbers; names are in quotation marks. */
static void mend_numbers(struct mending *mending, const char *text, const char *end)
{
    const char *comment = memmem(text, (size_t)(end - text), "//", 2);
    if (comment != NULL && memchr(text, '"', (size_t)(end - text)) == NULL)
        replace(mending, comment, (size_t)(end - comment), "");
}

bool assimp_mend_smd(const uint8_t *bytes, size_t size_bytes, uint8_t **out, size_t *out_bytes)
{
    struct mending mending = start(bytes, size_bytes);
    const char *next;
    int row = -1; /* of a triangle; -1: in another section */
    for (const char *line = mending.begin; line < mending.end; line = next) {
        const char *text = line, *end = memchr(line, '\n', (size_t)(mending.end - line));
        next = end == NULL ? mending.end : end + 1;
        end = end == NULL ? mending.end : end;
        while (text < end && is_blank(*text))
            text++;
        while (end > text && is_blank(end[-1]))
            end--;
        const bool is_comment = (end - text > 1 && text[0] == '/' && text[1] == '/') ||
                                (end > text && row != 0 && (*text == '#' || *text == ';'));
        const size_t left_out = (size_t)((is_comment ? end : text) - line);
        if (left_out > 0)
            replace(&mending, line, left_out, "");
        if (is_comment || text == end)
            continue;
        if (is_row(text, end, "triangles") || is_row(text, end, "end"))
            row = *text == 't' ? 0 : -1;
        else if (row == 0)
            mend_material(&mending, text, end);
        else
            mend_numbers(&mending, text, end);
        row = row < 0 || is_row(text, end, "triangles") ? row : (row + 1) % SMD_TRIANGLE_ROWS;
    }
    return finish(&mending, out, out_bytes);
}

void assimp_mend_smd_name(char *name, size_t size_bytes)
{
    for (size_t i = 0; i < size_bytes; i++)
        name[i] = name[i] == SMD_BLANK ? ' ' : name[i];
}

/* --- Blender --- */

/* Since 2.80 scenes are made of collections, which assimp sees sometimes; since 4.0 meshes are kept in another way. */
enum { BLEND_HEAD_BYTES = 20, BLEND_VERSION_NEW = 280, BLEND_VERSION_UNKNOWN = 400 };

/* The first bytes of gzip's content. */
static size_t unpack_head(const uint8_t *bytes, size_t size_bytes, uint8_t out[BLEND_HEAD_BYTES])
{
    z_stream stream = {.next_in = (uint8_t *)(uintptr_t)bytes,
                       .avail_in = size_bytes < 65536 ? (unsigned)size_bytes : 65536,
                       .next_out = out,
                       .avail_out = BLEND_HEAD_BYTES};
    if (inflateInit2(&stream, MAX_WBITS + 16) != Z_OK)
        return 0;
    inflate(&stream, Z_SYNC_FLUSH);
    const size_t size = BLEND_HEAD_BYTES - stream.avail_out;
    inflateEnd(&stream);
    return size;
}

/* "BLENDER-v279": the size of pointers, the byte order, the version in hundreds; since 5.0 "BLENDER17-01v0500". Returns
 * the version, 279, or 0. */
static unsigned blend_version(const uint8_t *head, size_t size_bytes)
{
    unsigned version = 0;
    size_t at = 7;
    while (at < size_bytes && at < 14 && head[at] != 'v' && head[at] != 'V')
        at++;
    for (at++; at < size_bytes && at < BLEND_HEAD_BYTES && ascii_is_digit((char)head[at]); at++)
        version = version * 10 + (head[at] - '0' + 0u);
    return version;
}

int assimp_check_blend(const uint8_t *bytes, size_t size_bytes, bool is_read, struct err *err)
{
    static const uint8_t ZSTD[] = {0x28, 0xb5, 0x2f, 0xfd}, GZIP[] = {0x1f, 0x8b};
    uint8_t head[BLEND_HEAD_BYTES] = {0};
    size_t size = size_bytes < sizeof head ? size_bytes : sizeof head;
    if (size_bytes >= sizeof ZSTD && memcmp(bytes, ZSTD, sizeof ZSTD) == 0)
        return err_set(err, ERR_UNSUPPORTED_FILE,
                       "a compressed file of Blender 3.0 or newer is not read: export it from Blender as glTF (.glb)");
    if (size_bytes >= sizeof GZIP && memcmp(bytes, GZIP, sizeof GZIP) == 0)
        size = unpack_head(bytes, size_bytes, head);
    else
        memcpy(head, bytes, size);
    if (size < 12 || memcmp(head, "BLENDER", 7) != 0)
        return err_set(err, ERR_BAD_MODEL, "the file does not begin as files of Blender do");
    const unsigned version = blend_version(head, size);
    if (version < (is_read ? BLEND_VERSION_UNKNOWN : BLEND_VERSION_NEW))
        return 0;
    char number[16];
    snprintf(number, sizeof number, version < 300 ? "%u.%02u" : "%u.%u", version / 100 % 100, version % 100);
    return err_set(
        err, ERR_UNSUPPORTED_FILE,
        "this file of Blender %s is not read, as those of 2.79 and older are: export it from Blender as glTF (.glb)",
        number);
}
