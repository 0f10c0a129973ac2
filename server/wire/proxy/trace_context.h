/* trace_context.h - parses the `traceparent` header, by which tracing follows a request through several servers (W3C
 * Trace Context, level 1: https://www.w3.org/TR/trace-context-1/). Pure; any thread. */
#pragma once

#include <stdbool.h>

enum { TRACEPARENT_SIZE = 56, TRACE_ID_SIZE = 33 };

/* Whether the header (or NULL) is well-formed. `out` then receives its value in version 00,
 * "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"; otherwise it is empty. */
bool trace_context_read(const char *traceparent, char out[TRACEPARENT_SIZE]);

/* Writes the trace id of a value from trace_context_read(): 32 hexadecimal digits. */
void trace_context_id(const char traceparent[TRACEPARENT_SIZE], char out[TRACE_ID_SIZE]);
