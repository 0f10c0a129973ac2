/* http_again.h - a request whose head is the former one's, byte for byte but for the number that is its time.
 *
 * Clients that play a clip send such heads one after the other. What was found out about the former one holds: it was
 * accepted, its lines were cut and understood. Private to http.c. Pure. */
#pragma once

#include "wire/http/http_head.h"

/* Zeroed: there is no former head. */
struct http_repeat {
    bool is_set;
    size_t number_at, number_bytes; /* in the head's bytes; 0 bytes: nothing may differ */
};

/* The head that is whole and has no body behind it. */
void http_repeat_note(struct http_repeat *again, const struct http_head *head);

/* How many bytes at `bytes` are the head again; *head is then that of them. 0: they are not, or not all there. */
size_t http_repeat_match(struct http_repeat *again, struct http_head *head, const char *bytes, size_t size_bytes);
