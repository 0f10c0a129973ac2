/* list_reply.h - the answer to GET /v1/models: one page of models or of folders. Private to the service. */
#pragma once

#include "daemon/cache/cache.h"
#include "daemon/model/listing.h"
#include "wire/encode/reply.h"
#include "wire/request/request.h"

/* Fills the empty *reply with the listed models and their state in the cache. */
void list_reply_put(struct reply *reply, const struct cache *cache, const struct listing *listing,
                    const struct request *request);
