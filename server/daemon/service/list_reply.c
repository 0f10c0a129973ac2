#include "daemon/service/list_reply.h"

#include "base/file_formats.h"
#include "base/hash.h"
#include "base/hex.h"
#include "wire/encode/json.h"
#include "wire/http/http_response.h"
#include "wire/reply/answer_version.h"

#include <string.h>
#include <time.h>

enum { TIME_SIZE = 40, VERSION_DIGITS = 16 };

/* --- bodies --- */

/* Formats a time; NULL when it exceeds the calendar. */
static const char *time_text(int64_t time_ns, char text[TIME_SIZE])
{
    const time_t time_s = (time_t)(time_ns / 1000000000 - (time_ns % 1000000000 < 0));
    struct tm tm;
    return gmtime_r(&time_s, &tm) != NULL && strftime(text, TIME_SIZE, "%Y-%m-%dT%H:%M:%SZ", &tm) > 0 ? text : NULL;
}

static void put_file(struct buf *out, const struct cache *cache, const struct walk_file *file)
{
    static const char *const STATES[] = {
        [CACHE_NEW] = "new",
        [CACHE_IMPORTING] = "importing",
        [CACHE_READY] = "ready",
        [CACHE_FAILED] = "failed",
    };
    const struct cache_info info = cache_describe(cache, file->path, &file->stamp);
    char modified[TIME_SIZE];
    json_printf(out, "{\"model\":%s,\"format\":%s,\"bytes\":%llu,\"modified\":%s,\"state\":%s,\"hash\":%s,\"counts\":",
                file->path, file_format_of(file->path)->name, (unsigned long long)file->stamp.size_bytes,
                time_text(file->stamp.mtime_ns, modified), STATES[info.state], info.hash);
    if (info.facts == NULL)
        buf_put_text(out, "null");
    else
        json_printf(out, "{\"clips\":%u,\"joints\":%u,\"warnings\":%u}", info.facts->clip_count,
                    info.facts->joint_count, info.facts->warning_count);
    buf_put_text(out, ",\"error\":");
    if (info.err == NULL)
        buf_put_text(out, "null}");
    else
        json_printf(out, "{\"code\":%s,\"message\":%s}}", err_name(info.err->code), info.err->message);
}

static bool starts_with(const char *text, const char *start) { return strncmp(text, start, strlen(start)) == 0; }

static void put_files(struct buf *out, const struct cache *cache, const struct listing *listing,
                      const struct request *request, const char *prefix, const char *after)
{
    const struct walk_file *files = listing->page.files, *last = NULL;
    size_t count = 0, i = listing_first_file(listing, prefix, after);
    buf_put_text(out, "{\"models\":[");
    for (; i < listing->page.count && count < request->listing.limit && starts_with(files[i].path, prefix); i++) {
        buf_put_text(out, count++ > 0 ? ",\n" : "\n");
        put_file(out, cache, &files[i]);
        last = &files[i];
    }
    const bool has_more = i < listing->page.count && starts_with(files[i].path, prefix);
    json_printf(out, "],\"next\":%s}\n", has_more && last != NULL ? last->path : NULL);
}

static const char *version_text(uint64_t version, char text[VERSION_DIGITS + 1])
{
    hex_put_number(text, version, VERSION_DIGITS);
    text[VERSION_DIGITS] = '\0';
    return text;
}

static void put_folders(struct buf *out, const struct listing *listing, const struct request *request,
                        const char *prefix)
{
    const struct listed_folder *folders = listing->folders, *last = NULL;
    size_t count = 0, i = listing_first_folder(listing, prefix, request->listing.after);
    char version[VERSION_DIGITS + 1];
    buf_put_text(out, "{\"folders\":[");
    for (; i < listing->folder_count && count < request->listing.limit && starts_with(folders[i].path, prefix); i++) {
        last = &folders[i];
        buf_put_text(out, count++ > 0 ? ",\n" : "\n");
        json_printf(out, "{\"folder\":%s,\"models\":%llu,\"models_beneath\":%llu,\"bytes\":%llu,\"version\":%s}",
                    last->path, (unsigned long long)last->model_count, (unsigned long long)last->total_count,
                    (unsigned long long)last->size_bytes, version_text(last->version, version));
    }
    const bool has_more = i < listing->folder_count && starts_with(folders[i].path, prefix);
    json_printf(out, "],\"next\":%s}\n", has_more && last != NULL ? last->path : NULL);
}

/* --- replies --- */

static void put_tag(struct reply *reply, uint64_t content, const struct request *request)
{
    char *to = reply->etag;
    content = hash64(content, ANSWER_MAKER, sizeof ANSWER_MAKER);
    *to++ = '"';
    hex_put_number(to, content, VERSION_DIGITS);
    to += VERSION_DIGITS;
    *to++ = '-';
    memcpy(to, request->canonical, VERSION_DIGITS);
    to += VERSION_DIGITS;
    memcpy(to, "-list\"", sizeof "-list\"");
}

static bool has_same(struct reply *reply, const struct request *request)
{
    if (!http_etag_matches(request->if_none_match, reply->etag))
        return false;
    reply->status = 304;
    reply_drop_body(reply);
    return true;
}

void list_reply_put(struct reply *reply, const struct cache *cache, const struct listing *listing,
                    const struct request *request)
{
    const char *prefix = request->listing.prefix != NULL ? request->listing.prefix : "";
    const char *after = request->listing.after != NULL ? request->listing.after : "";
    reply->content_type = "application/json";
    reply->cache_control = "no-cache";
    reply->is_json = true;
    if (request->listing.is_of_folders) {
        put_tag(reply, listing->version, request); /* polling clients whose copy is current cost nothing more */
        if (!has_same(reply, request))
            put_folders(&reply->body, listing, request, prefix);
        return;
    }
    put_files(&reply->body, cache, listing, request, prefix, after);
    put_tag(reply, hash64(HASH64_SEED, reply->body.data, reply->body.size_bytes), request);
    has_same(reply, request);
}
