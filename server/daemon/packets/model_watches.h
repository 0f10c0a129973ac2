/* watches.h - all watches of models, of every connection; packets.h has what concerns one. Loop thread only. */
#pragma once

struct conn_group;
struct model_watches;

/* None yet. shared: borrowed. */
struct model_watches *model_watches_new(struct conn_group *shared);
/* After the last connection and the service. */
void model_watches_free(struct model_watches *watches);

/* Asks for models that nobody has looked at for LIMIT_WATCH_TIME_MS: now and then. */
void model_watches_tick(struct model_watches *watches);
/* Asks for those of which the cache told that they changed: in the next turn of the loop. */
void model_watches_turn(struct model_watches *watches);
