#include "daemon/conn/http_begin.h"

#include "base/hex.h"
#include "daemon/conn/http_send.h"
#include "wire/encode/number.h"
#include "wire/proxy/forwarded.h"
#include "wire/request/accept.h"

#include <stdio.h>

enum { MADE_ID_DIGITS = 16 };

/* As a trusted proxy describes it. */
static void note_client(struct conn *conn)
{
    const struct http_request *http = &conn->parser.request;
    conn->client[0] = '\0';
    if (conn->is_trusted)
        forwarded_client(&conn->group->proxies->trusted, http->forwarded_for, http->forwarded, conn->client);
    trace_context_read(http->traceparent, conn->traceparent);
}

static void make_id(struct conn *conn)
{
    hex_put_number(conn->id, conn->group->next_id++, MADE_ID_DIGITS);
    conn->id[MADE_ID_DIGITS] = '\0';
}

void http_begin_request(struct conn *conn)
{
    const char *given = conn->parser.request.request_id;
    conn_begin_request(conn);
    note_client(conn);
    conn->coding = conn->group->config->compress == COMPRESS_OFF ? CODING_NONE
                                                                 : accept_coding(conn->parser.request.accept_encoding);
    if (given != NULL)
        snprintf(conn->id, sizeof conn->id, "%s", given);
    else
        make_id(conn);
}

/* --- repeats --- */

/* Whether the request is a repeat. *key is then the input of conn_answer_again(). */
static bool find_repeat(const struct conn *conn, struct query_key *key)
{
    const struct http_request *http = &conn->parser.request;
    const struct http_reuse *reuse = &conn->reuse;
    if (http->number_bytes == 0 || !reuse->is_allowed || reuse->access_number != conn->group->access_number)
        return false;
    /* a prepared query does not answer requests whose tag is "*" */
    *key = (struct query_key){.has_time = true, .has_etag = true, .if_none_match = http->if_none_match};
    return number_parse_part(http->target + http->number_at, http->number_bytes, &key->time_s);
}

bool http_answer_repeat(struct conn *conn)
{
    struct query_key key;
    struct reply reply;
    if (!find_repeat(conn, &key))
        return false;
    conn_begin_request(conn);
    if (!conn_answer_again(conn, &key, &reply))
        return false;
    if (conn->parser.request.request_id == NULL)
        make_id(conn);
    http_send_reply(conn, &reply);
    return true;
}

void http_note_repeatable(struct conn *conn, const struct query_key *key)
{
    /* tags that had to be rewritten are in memory of the group, which the next request of any connection overwrites */
    conn->reuse.is_allowed = key->if_none_match == conn->parser.request.if_none_match;
    conn->reuse.access_number = conn->group->access_number;
}
