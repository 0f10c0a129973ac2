/* request_page.c - collects what a page for people needs: the server's address as visitors see it, and the parameters
 * that a picture accepts too. */
#include "wire/http/http_target.h"
#include "wire/http/url.h"
#include "wire/request/request_parser.h"

#include "base/ascii.h"

enum { ADDRESS_MORE_BYTES = 16 /* "https://", "/", NULs */, NAME_MAX_BYTES = 32 };

static size_t size_of(const char *text) { return text == NULL ? 0 : strlen(text); }

size_t request_page_bytes(const struct request *request, const struct request_head *head)
{
    if (!op_has(request->op, OP_PREVIEW))
        return 0;
    return size_of(head->host) + size_of(head->forwarded_host) + size_of(head->forwarded_prefix) + ADDRESS_MORE_BYTES +
           head->target_bytes + 2;
}

/* Returns the first entry of a header to which several proxies may have added; size 0 when absent. */
static const char *first_entry(const char *list, size_t *size_bytes)
{
    const char *entry;
    *size_bytes = 0;
    return list != NULL && url_next_entry(&list, &entry, size_bytes) ? entry : "";
}

/* True for "/tools/posed", with or without a final slash: characters that need no escape in a path, and no part of
 * dots. */
static bool is_prefix(const char *text, size_t size_bytes)
{
    if (size_bytes == 0 || text[0] != '/')
        return false;
    for (size_t i = 0; i < size_bytes; i++) {
        const bool is_doubled = text[i] == '/' && i > 0 && text[i - 1] == '/';
        const bool is_dots = text[i] == '.' && i > 0 && text[i - 1] == '/';
        if (is_doubled || is_dots || (!ascii_is_alnum(text[i]) && strchr("/-._~", text[i]) == NULL))
            return false;
    }
    return true;
}

static void take_address(struct request *request, const struct request_head *head)
{
    size_t proto_bytes, host_bytes, prefix_bytes;
    const char *proto = first_entry(head->forwarded_proto, &proto_bytes);
    const char *host = first_entry(head->forwarded_host, &host_bytes);
    const char *prefix = first_entry(head->forwarded_prefix, &prefix_bytes);
    if (!http_host_is_good(host, host_bytes)) {
        host = head->host == NULL ? "" : head->host;
        host_bytes = strlen(host);
        if (!http_host_is_good(host, host_bytes))
            return;
    }
    if (!is_prefix(prefix, prefix_bytes))
        prefix_bytes = 0;
    while (prefix_bytes > 0 && prefix[prefix_bytes - 1] == '/')
        prefix_bytes--;
    request->page.address = request->pose.memory.data + request->pose.memory.size_bytes;
    buf_put_text(&request->pose.memory, url_is_word(proto, proto_bytes, "https") ? "https://" : "http://");
    buf_put(&request->pose.memory, host, host_bytes);
    buf_put(&request->pose.memory, prefix, prefix_bytes);
    buf_put(&request->pose.memory, "/", sizeof "/");
}

static bool is_one_of(const struct url_param *part, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (url_is_word(part->name, part->name_bytes, words[i]))
            return true;
    return false;
}

/* Returns the parameter of a picture that the page may set (but not the model or the size), or NULL. */
static const struct param_info *param_of_picture(const struct url_param *part, bool is_lit)
{
    static const char *const OWN[] = {"model", "hash", "width", "height", "format"};
    static const char *const LIT[] = {"light", "environment", "environment_yaw", "exposure", "tone", "ao", "shadow"};
    if (is_one_of(part, OWN, sizeof OWN / sizeof *OWN) || (!is_lit && is_one_of(part, LIT, sizeof LIT / sizeof *LIT)))
        return NULL;
    for (int i = 0; i < PARAM_COUNT; i++)
        if ((REQUEST_PARAMS[i].ops & FOR_ONE_PICTURE) != 0 && part->name_bytes < NAME_MAX_BYTES &&
            strlen(REQUEST_PARAMS[i].name) == part->name_bytes &&
            memcmp(REQUEST_PARAMS[i].name, part->name, part->name_bytes) == 0)
            return &REQUEST_PARAMS[i];
    return NULL;
}

/* The page keeps its light in views in which a picture accepts none. */
static bool view_is_lit(const char *query, size_t query_bytes)
{
    struct url_param part;
    while (url_next_param(&query, &query_bytes, &part))
        if (url_is_word(part.name, part.name_bytes, "view"))
            return url_is_word(part.value, part.value_bytes, "lit");
    return true;
}

void request_take_page(struct request *request, const struct request_head *head, const char *query, size_t query_bytes)
{
    struct url_param part;
    bool is_taken[PARAM_COUNT] = {0};
    const bool is_lit = view_is_lit(query, query_bytes);
    take_address(request, head);
    request->page.picture_query = request->pose.memory.data + request->pose.memory.size_bytes;
    while (url_next_param(&query, &query_bytes, &part)) {
        const struct param_info *param = param_of_picture(&part, is_lit);
        if (param == NULL || (is_taken[param - REQUEST_PARAMS] && param->how_often == ONCE))
            continue; /* the page offers the clips of several files; the first one has its clip */
        is_taken[param - REQUEST_PARAMS] = true;
        buf_put_char(&request->pose.memory, '&');
        buf_put(&request->pose.memory, part.name, part.name_bytes);
        buf_put_char(&request->pose.memory, '=');
        buf_put(&request->pose.memory, part.value, part.value_bytes);
    }
    buf_put_char(&request->pose.memory, '\0');
}
