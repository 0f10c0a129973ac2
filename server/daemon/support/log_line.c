/* log_line.c - formats log lines. Pure. */
#include "daemon/support/log.h"

#include "base/utf8.h"
#include "wire/encode/number.h"

#include <string.h>
#include <time.h>

enum { PATH_MAX_LOGGED = 2048, LEVEL_BYTES = sizeof "info" - 1 };

static const char LEVEL_NAMES[][LEVEL_BYTES + 1] = {"info", "warn"};

/* ASCII characters without special meaning to readers of a line; a blank is one between quotes. A table, because
 * comparisons take three times as long. */
static const bool IS_PLAIN[256] = {['!'] = true, ['#' ... '['] = true, [']' ... '~'] = true};

enum { BLOCK_BYTES = 16 };

/* Compilers compare the bytes of a block at once. */
static bool is_block_plain(const char *text)
{
    unsigned char has_other = 0;
    for (size_t i = 0; i < BLOCK_BYTES; i++)
        has_other |= text[i] < '!' || text[i] > '~' || text[i] == '"' || text[i] == '\\';
    return has_other == 0;
}

/* A logfmt value needs no quotes when it is one printable ASCII word. */
static bool is_word(const char *text, size_t size_bytes)
{
    size_t i = 0;
    for (; i + BLOCK_BYTES <= size_bytes; i += BLOCK_BYTES)
        if (!is_block_plain(text + i))
            return false;
    if (size_bytes > BLOCK_BYTES) /* the rest, with bytes that were looked at */
        return is_block_plain(text + size_bytes - BLOCK_BYTES);
    for (; i < size_bytes; i++)
        if (!IS_PLAIN[(unsigned char)text[i]])
            return false;
    return size_bytes > 0;
}

/* Room for the names of a line, and for values that need no quotes. put_quoted() reserves it again. */
enum { LINE_ROOM = 12288, TEXTS = 5 };
_Static_assert(LINE_ROOM >= TEXTS * PATH_MAX_LOGGED + 1024, "method, path, id, model and message have room");

/* Append to a line with room. The sizes of names are constants, so a copy is a few instructions. */
static inline void add(struct buf *line, const char *text, size_t size_bytes)
{
    memcpy(line->data + line->size_bytes, text, size_bytes);
    line->size_bytes += size_bytes;
}

#define ADD(line, text) add(line, text, sizeof(text) - 1)

/* Appends a key, with what stands before and behind it. */
#define ADD_KEY(line, format, name)                                                                                    \
    do {                                                                                                               \
        if ((format) == LOG_JSON)                                                                                      \
            ADD(line, ",\"" name "\":");                                                                               \
        else                                                                                                           \
            ADD(line, " " name "=");                                                                                   \
    } while (0)

static void add_uint(struct buf *line, uint64_t number)
{
    char *to = line->data + line->size_bytes;
    line->size_bytes += (size_t)(number_put_uint(to, number) - to);
}

/* Appends a text quoted for both formats: with JSON's escapes, also for terminal control characters, and U+FFFD for
 * each byte that is not UTF-8. */
static void put_quoted(struct buf *out, const char *text, size_t size_bytes)
{
    buf_put_char(out, '"');
    for (size_t at = 0; at < size_bytes;) {
        size_t run = 0;
        while (at + run < size_bytes && (text[at + run] == ' ' || IS_PLAIN[(unsigned char)text[at + run]]))
            run++;
        buf_put(out, text + at, run);
        at += run;
        if (at == size_bytes)
            break;
        const size_t sequence = utf8_sequence(text + at, size_bytes - at);
        const char c = text[at];
        unsigned code;
        if (sequence == 0)
            buf_put_text(out, "\\ufffd");
        else if (sequence > 1 && utf8_is_obeyed(text + at, sequence, &code))
            buf_printf(out, "\\u%04x", code);
        else if (sequence > 1)
            buf_put(out, text + at, sequence);
        else if (c == '"' || c == '\\')
            buf_printf(out, "\\%c", c);
        else
            buf_printf(out, "\\u%04x", (unsigned)c);
        at += sequence == 0 ? 1 : sequence;
    }
    buf_put_char(out, '"');
    buf_reserve(out, LINE_ROOM);
}

static void add_bytes(struct buf *line, enum log_format format, const char *value, size_t size_bytes)
{
    const size_t size = size_bytes < PATH_MAX_LOGGED ? size_bytes : utf8_cut(value, size_bytes, PATH_MAX_LOGGED);
    if (format == LOG_JSON || !is_word(value, size))
        put_quoted(line, value, size);
    else
        add(line, value, size);
}

static void add_text(struct buf *line, enum log_format format, const char *value)
{
    add_bytes(line, format, value == NULL ? "-" : value, value == NULL ? 1 : strlen(value));
}

/* Appends a value that the server makes itself and that is a word. */
static void add_word(struct buf *line, enum log_format format, const char *word)
{
    if (format == LOG_JSON)
        ADD(line, "\"");
    if (word == NULL)
        ADD(line, "-");
    else
        add(line, word, strlen(word));
    if (format == LOG_JSON)
        ADD(line, "\"");
}

static void add_thousandths(struct buf *line, unsigned count)
{
    add(line, (char[]){'.', (char)('0' + count / 100), (char)('0' + count / 10 % 10), (char)('0' + count % 10)}, 4);
}

/* With three places, as %.3f has them, which takes several times as long. */
static void add_ms(struct buf *line, double ms)
{
    const uint64_t us = ms > 0 ? (uint64_t)(ms * 1000 + 0.5) : 0;
    add_uint(line, us / 1000);
    add_thousandths(line, (unsigned)(us % 1000));
}

/* Starts a line with room. */
static void put_start(struct buf *out, enum log_format format, int64_t time_ms, enum log_level level)
{
    static _Thread_local time_t stamped = -1;
    static _Thread_local char stamp[sizeof "2026-01-31T12:00:00"];
    const time_t seconds = (time_t)(time_ms / 1000);
    if (seconds != stamped) {
        struct tm utc = {0};
        gmtime_r(&seconds, &utc);
        strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%S", &utc);
        stamped = seconds;
    }
    buf_reserve(out, LINE_ROOM);
    if (format == LOG_JSON)
        ADD(out, "{\"time\":\"");
    add(out, stamp, sizeof stamp - 1);
    add_thousandths(out, (unsigned)(time_ms % 1000));
    if (format == LOG_JSON)
        ADD(out, "Z\",\"level\":\"");
    else
        ADD(out, "Z ");
    add(out, LEVEL_NAMES[level], LEVEL_BYTES);
    if (format == LOG_JSON)
        ADD(out, "\"");
}

void log_put_request(struct buf *out, enum log_format format, int64_t time_ms, const struct log_request *request)
{
    put_start(out, format, time_ms, request->status >= 500 ? LOG_WARN : LOG_INFO);
    ADD_KEY(out, format, "method");
    add_text(out, format, request->method);
    ADD_KEY(out, format, "path");
    add_text(out, format, request->path);
    ADD_KEY(out, format, "status");
    add_uint(out, (unsigned)request->status);
    ADD_KEY(out, format, "bytes");
    add_uint(out, request->body_bytes);
    ADD_KEY(out, format, "ms");
    add_ms(out, request->elapsed_ms);
    ADD_KEY(out, format, "id");
    add_text(out, format, request->id);
    ADD_KEY(out, format, "remote");
    add_word(out, format, request->remote);
    ADD_KEY(out, format, "code");
    add_word(out, format, request->code);
    ADD_KEY(out, format, "operation");
    add_word(out, format, request->operation);
    ADD_KEY(out, format, "model");
    add_text(out, format, request->model);
    ADD_KEY(out, format, "from");
    add_word(out, format, request->origin);
    ADD_KEY(out, format, "queue_ms");
    add_ms(out, request->queue_ms);
    ADD_KEY(out, format, "work_ms");
    add_ms(out, request->work_ms);
    if (request->trace != NULL && request->trace[0] != '\0') {
        ADD_KEY(out, format, "trace");
        add_word(out, format, request->trace);
    }
    if (request->message != NULL) {
        ADD_KEY(out, format, "message");
        add_bytes(out, format, request->message, request->message_bytes);
    }
    buf_put_text(out, format == LOG_JSON ? "}\n" : "\n");
}

/* Escapes a line of text for people, which may contain the name of a file or a worker's output. */
static void put_shown(struct buf *out, const char *text)
{
    const size_t size = strlen(text);
    for (size_t at = 0, sequence; at < size; at += sequence == 0 ? 1 : sequence) {
        unsigned code;
        sequence = utf8_sequence(text + at, size - at);
        if (sequence == 0)
            buf_put_char(out, '?');
        else if (utf8_is_obeyed(text + at, sequence, &code))
            buf_printf(out, "\\u%04x", code);
        else
            buf_put(out, text + at, sequence);
    }
}

void log_put_sentence(struct buf *out, enum log_format format, int64_t time_ms, enum log_level level,
                      const char *sentence)
{
    put_start(out, format, time_ms, level);
    if (format == LOG_JSON) {
        ADD_KEY(out, format, "message");
        add_text(out, format, sentence);
        buf_put_text(out, "}\n");
        return;
    }
    buf_put_char(out, ' ');
    put_shown(out, sentence);
    buf_put_char(out, '\n');
}
