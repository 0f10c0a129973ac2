#include "daemon/conn/http_take.h"

#include "daemon/conn/http_send.h"

int http_check_access(const struct conn *conn, struct err *err)
{
    const struct http_request *http = &conn->parser.request;
    const struct access *access = conn->group->access;
    return conn->is_admin ? access_check_admin(access, http, err) : access_check(access, http, err);
}

struct request_head http_request_head(const struct conn *conn)
{
    const struct http_request *http = &conn->parser.request;
    /* Host and scheme of a proxy change only the preview of a page, so without --trusted-proxy any client may send
     * them. */
    const bool is_believed = conn->is_trusted || !trusted_proxies_are_any(&conn->group->proxies->trusted);
    return (struct request_head){
        .method = http->method,
        .target = http->target,
        .target_bytes = http->target_bytes,
        .accept = http->accept,
        .if_none_match = http_plain_tags(conn),
        .content_type = http->content_type,
        .host = http->host,
        .forwarded_proto = is_believed ? http->forwarded_proto : NULL,
        .forwarded_host = is_believed ? http->forwarded_host : NULL,
        .forwarded_prefix = is_believed ? http->forwarded_prefix : NULL,
        .body = http->body,
        .body_bytes = http->body_bytes,
    };
}

int http_check_reservation(const struct conn *conn, const struct request *request, struct err *err)
{
    const char *reservation = conn->parser.request.reservation;
    if (!op_has(request->op, OP_STORES) || reservation == NULL)
        return 0;
    return err_set(err, ERR_BAD_REQUEST,
                   "%s: uploads and deletes are of a whole model as it is, and take no such header", reservation);
}

int http_parse_request(const struct conn *conn, struct request *request, struct err *err)
{
    const struct request_head head = http_request_head(conn);
    request_init(request);
    const int rc = request_parse(request, &head, &conn->group->config->limits, err);
    return rc < 0 ? rc : http_check_reservation(conn, request, err);
}
