#include "daemon/conn/http_repeat.h"

#include "wire/encode/number.h"

bool http_find_repeat(const struct conn *conn, struct query_key *key)
{
    const struct http_request *http = &conn->parser.request;
    const struct http_reuse *reuse = &conn->reuse;
    if (http->number_bytes == 0 || !reuse->is_allowed || reuse->access_number != conn->group->access_number)
        return false;
    /* a prepared query does not answer requests whose tag is "*" */
    *key = (struct query_key){.has_time = true, .has_etag = true, .if_none_match = http->if_none_match};
    return number_parse_part(http->target + http->number_at, http->number_bytes, &key->time_s);
}

void http_note_repeatable(struct conn *conn, const struct query_key *key)
{
    /* tags that had to be rewritten are in memory of the group, which the next request of any connection overwrites */
    conn->reuse.is_allowed = key->if_none_match == conn->parser.request.if_none_match;
    conn->reuse.access_number = conn->group->access_number;
}
