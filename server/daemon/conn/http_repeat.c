#include "daemon/conn/http_repeat.h"

#include "daemon/conn/http_send.h"
#include "daemon/conn/http_take.h"
#include "wire/encode/number.h"

bool http_answer_repeat(struct conn *conn)
{
    const struct http_request *http = &conn->parser.request;
    /* a prepared query does not answer requests whose tag is "*" */
    struct query_key key = {.has_time = true, .has_etag = true, .if_none_match = http->if_none_match};
    struct reply reply;
    if (!http->is_repeat || http->number_bytes == 0 || !conn->reuse.is_allowed ||
        conn->reuse.access_number != conn->group->access_number ||
        !number_parse_part(http->target + http->number_at, http->number_bytes, &key.time_s))
        return false;
    conn_begin_request(conn);
    if (!conn_answer_again(conn, &key, &reply))
        return false;
    if (http->request_id == NULL)
        http_make_id(conn);
    http_send_reply(conn, &reply);
    return true;
}

void http_note_repeatable(struct conn *conn, const struct query_key *key)
{
    /* tags that had to be rewritten are in memory of the group, which the next request of any connection overwrites */
    conn->reuse.is_allowed = key->if_none_match == conn->parser.request.if_none_match;
    conn->reuse.access_number = conn->group->access_number;
}
