/* watches.h - all watches of models, of every connection; packets.h has what concerns one. Loop thread only. */
#pragma once

struct conn_shared;
struct watches;

/* None yet. shared: borrowed. */
struct watches *watches_new(struct conn_shared *shared);
/* After the last connection and the service. */
void watches_free(struct watches *watches);

/* Asks for models that nobody has looked at for LIMIT_WATCH_TIME_MS: now and then. */
void watches_tick(struct watches *watches);
/* Asks for those of which the cache told that they changed: in the next turn of the loop. */
void watches_turn(struct watches *watches);
