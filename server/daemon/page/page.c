#include "daemon/page/page.h"

#include "base/hex.h"
#include "daemon/page/assets.h"
#include "wire/http/access.h"
#include "wire/http/http_response.h"

#include <xxhash.h>

/* A proxy may keep it, and asks whether it is still so: another build or model has other bytes at the same address. */
static const char CACHE_REVALIDATE[] = "no-cache";

/* The policy of the pages (https://www.w3.org/TR/CSP3/): nothing from elsewhere, no inline script or style. 'self'
 * covers streams to the page's own host too. Textures of model files have blob: addresses. */
static const char POLICY[] = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
                             "img-src 'self' data: blob:; base-uri 'self'; form-action 'none'; frame-ancestors ";

enum { PICTURE_WIDTH = 1200, PICTURE_HEIGHT = 630 }; /* https://ogp.me; the share of sides that most services crop to */

/* --- HTML --- */

/* Escapes text for an element or a quoted attribute, because anybody can choose the path of a model. */
static void put_escaped(struct buf *out, const char *text)
{
    for (; *text != '\0'; text++) {
        switch (*text) {
        case '&':
            buf_put_text(out, "&amp;");
            break;
        case '<':
            buf_put_text(out, "&lt;");
            break;
        case '>':
            buf_put_text(out, "&gt;");
            break;
        case '"':
            buf_put_text(out, "&quot;");
            break;
        case '\'':
            buf_put_text(out, "&#39;");
            break;
        default:
            buf_put_char(out, *text);
        }
    }
}

/* RFC 3986, 2.3: everything but unreserved characters becomes %XX. */
static void put_encoded(struct buf *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (ascii_is_alnum(*text) || strchr("-._~/", *text) != NULL)
            buf_put_char(out, *text);
        else
            buf_printf(out, "%%%02X", (unsigned char)*text);
    }
}

static void put_meta(struct buf *out, const char *property, const char *content)
{
    buf_printf(out, "<meta property=\"%s\" content=\"", property);
    put_escaped(out, content);
    buf_put_text(out, "\">\n");
}

/* True if a visitor without a token gets a picture. */
static bool has_public_pictures(const struct config *config)
{
    return config->render_workers > 0 && (config->token_file == NULL || config->token_for != TOKEN_FOR_ALL) &&
           config->limits.value[LIMIT_PICTURE_SIDE] >= PICTURE_WIDTH &&
           config->limits.value[LIMIT_PICTURE_PIXELS] >= (uint64_t)PICTURE_WIDTH * PICTURE_HEIGHT;
}

/* The Open Graph's words (https://ogp.me), by which chats and boards show a link. */
static void put_preview(struct buf *out, const struct config *config, const struct request *request)
{
    put_meta(out, "og:type", "website");
    put_meta(out, "og:site_name", "posed");
    put_meta(out, "og:title", request->model);
    if (request->page.address == NULL || !has_public_pictures(config))
        return;
    struct buf link;
    buf_init(&link, SIZE_MAX / 4);
    buf_put_text(&link, request->page.address);
    buf_put_text(&link, "v1/render?model=");
    put_encoded(&link, request->model);
    buf_printf(&link, "&width=%d&height=%d", PICTURE_WIDTH, PICTURE_HEIGHT);
    buf_put_text(&link, request->page.picture_query);
    if (strstr(request->page.picture_query, "&background=") == NULL)
        buf_put_text(&link, "&background=ffffff");
    buf_put_char(&link, '\0');
    if (!buf_failed(&link)) {
        put_meta(out, "og:image", link.data);
        buf_printf(out, "<meta property=\"og:image:width\" content=\"%d\">\n", PICTURE_WIDTH);
        buf_printf(out, "<meta property=\"og:image:height\" content=\"%d\">\n", PICTURE_HEIGHT);
        buf_put_text(out, "<meta name=\"twitter:card\" content=\"summary_large_image\">\n");
    } else {
        buf_fail(out, link.failure);
    }
    buf_fini(&link);
}

/* Where "/" is, seen from the page: addresses in the page are relative to it, so that a proxy may serve all of it below
 * a path of its own. */
static void put_base(struct buf *out, const struct request *request)
{
    buf_put_text(out, "<base href=\"./");
    for (const char *at = request->view.target_text + 1; *at != '\0' && *at != '?'; at++)
        if (*at == '/')
            buf_put_text(out, "../");
    buf_put_text(out, "\">\n");
}

static void put_head(struct buf *out, const struct config *config, const struct request *request, enum page page)
{
    put_base(out, request);
    if (page == PAGE_GALLERY)
        return;
    const char *slash = strrchr(request->model, '/');
    buf_put_text(out, "<title>");
    put_escaped(out, slash == NULL ? request->model : slash + 1);
    buf_put_text(out, " - posed</title>\n");
    if (page == PAGE_MODEL)
        put_preview(out, config, request);
}

/* --- replies --- */

static void put_shell(struct reply *reply, const struct config *config, const struct access *access,
                      const struct request *request, enum page page)
{
    static const char MARK[] = "{{head}}\n";
    static const char *const SHELLS[] = {
        [PAGE_GALLERY] = "gallery/index.html", [PAGE_MODEL] = "model/index.html", [PAGE_EMBED] = "model/embed.html"};
    const struct asset *shell = asset_find(SHELLS[page]);
    const char *mark = strstr(shell->bytes, MARK);
    buf_put(&reply->body, shell->bytes, (size_t)(mark - shell->bytes));
    put_head(&reply->body, config, request, page);
    buf_put_text(&reply->body, mark + sizeof MARK - 1);
    reply->content_type = shell->content_type;
    buf_put_text(&reply->policy, POLICY);
    if (page == PAGE_EMBED && access != NULL && access->frames.size_bytes > 0)
        buf_put(&reply->policy, access->frames.data, access->frames.size_bytes);
    else
        buf_put_text(&reply->policy, "'none'");
}

/* Adds a strong tag of the bytes; answers 304 if the client has them. */
static void finish(const struct request *request, struct reply *reply)
{
    struct err err;
    if (buf_failed(&reply->body) || buf_failed(&reply->policy)) {
        err_set(&err, ERR_NO_MEMORY, "no memory for the page");
        reply_error(reply, &err, NULL, 0);
        return;
    }
    reply->is_json = true;
    reply->cache_control = CACHE_REVALIDATE;
    reply->etag[0] = '"';
    const uint64_t hash = XXH3_64bits(reply->body.data, reply->body.size_bytes);
    hex_put_number(reply->etag + 1, hash, 16);
    reply->etag[17] = '"';
    reply->etag[18] = '\0';
    if (!http_etag_matches(request->if_none_match, reply->etag))
        return;
    buf_clear(&reply->body);
    reply->status = 304;
}

void page_answer(const struct config *config, const struct access *access, const struct request *request,
                 enum page page, struct reply *reply)
{
    buf_init(&reply->body, SIZE_MAX / 4);
    buf_init(&reply->policy, SIZE_MAX / 4);
    put_shell(reply, config, access, request, page);
    finish(request, reply);
}

void page_answer_asset(const struct request *request, struct reply *reply)
{
    struct err err;
    const struct asset *asset = asset_find(request->model);
    if (asset == NULL || strstr(asset->name, ".html") != NULL) {
        err_set(&err, ERR_NOT_FOUND, "the pages have no '%.200s'", request->model);
        reply_error(reply, &err, NULL, 0);
        return;
    }
    buf_init(&reply->body, SIZE_MAX / 4);
    buf_put(&reply->body, asset->bytes, asset->size_bytes);
    reply->content_type = asset->content_type;
    finish(request, reply);
}
