/* http_host.h - what may stand in Host and before the path of an absolute request target. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* A name, an IPv4 address or an IPv6 address in brackets, and perhaps a colon and a port, which is digits up to 65535
 * or nothing. The empty text is none. */
bool http_host_is_good(const char *text, size_t size_bytes);
