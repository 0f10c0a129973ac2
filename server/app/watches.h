/* watches.h - all watches of models, of every connection; packets.h has what concerns one. Loop thread only. */
#pragma once

struct conn_shared;
struct watches;

struct watches *watches_new(struct conn_shared *shared);
/* After the last connection and the service. */
void watches_free(struct watches *watches);

/* Asks for models that changed, or that nobody has looked at for LIMIT_WATCH_TIME_MS: now and then, and when the cache
 * told of a change. */
void watches_tick(struct watches *watches);
