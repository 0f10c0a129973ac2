#include "wire/http/http_repeat.h"

#include "wire/http/url_time.h"

#include <string.h>

enum {
    HEAD_MAX = 2048, /* a larger head is not kept */
    NUMBER_MAX = 40,
};

void http_repeat_note(struct http_repeat *again, const struct http_head *head)
{
    const size_t target_at = head->method.size_bytes + 1;
    struct url_time time;
    *again = (struct http_repeat){.is_set = head->bytes.size_bytes <= HEAD_MAX, .number_at = head->bytes.size_bytes};
    /* as it came: without a scheme and host that were cut off */
    const bool is_whole = memcmp(head->bytes.data + target_at, head->target.data, head->target.size_bytes) == 0;
    if (again->is_set && is_whole && url_find_time(head->target.data, head->target.size_bytes, &time)) {
        again->number_at = target_at + time.at;
        again->number_bytes = time.size_bytes;
    }
}

/* What a number may consist of, and no character that means anything to HTTP or in a URL. */
static bool is_number_char(char c) { return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == 'e'; }

/* The first `size_bytes` bytes at `at` of *buf give way to others. */
static void replace(struct buf *buf, size_t at, size_t size_bytes, const char *with, size_t with_bytes)
{
    if (with_bytes > size_bytes)
        buf_reserve(buf, with_bytes - size_bytes + 1);
    char *to = buf->data + at;
    if (with_bytes != size_bytes)
        memmove(to + with_bytes, to + size_bytes, buf->size_bytes - at - size_bytes);
    memcpy(to, with, with_bytes);
    buf->size_bytes += with_bytes - size_bytes;
}

size_t http_repeat_match(struct http_repeat *again, struct http_head *head, const char *bytes, size_t size_bytes)
{
    const char *former = head->bytes.data;
    const size_t at = again->number_at, behind = at + again->number_bytes, end_bytes = head->bytes.size_bytes - behind;
    size_t number = 0;
    if (size_bytes < at || memcmp(bytes, former, at) != 0)
        return 0;
    while (again->number_bytes > 0 && number < NUMBER_MAX && at + number < size_bytes &&
           is_number_char(bytes[at + number]))
        number++;
    const size_t target_bytes = head->target.size_bytes - again->number_bytes + number;
    if (size_bytes - at - number < end_bytes || memcmp(bytes + at + number, former + behind, end_bytes) != 0 ||
        target_bytes > head->limits->value[LIMIT_URL_BYTES])
        return 0;
    if (again->number_bytes > 0) {
        const size_t at_target = at - head->method.size_bytes - 1;
        replace(&head->bytes, at, again->number_bytes, bytes + at, number);
        replace(&head->target, at_target, again->number_bytes, bytes + at, number);
        head->target.data[head->target.size_bytes] = '\0';
        again->number_bytes = number;
    }
    return at + number + end_bytes;
}
