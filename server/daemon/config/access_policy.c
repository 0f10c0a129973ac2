/* access_policy.c - builds the access rules from --allow-host, --cors, --frame-ancestors and the files they name. */
#include "daemon/config/access_policy.h"

#include "base/mem.h"
#include "daemon/config/address.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POLICY_FILE_MAX_BYTES = 65536 };

/* Where browsers come to: the HTTP port; else the other one, which speaks HTTP too. */
static const char *browser_port(const struct config *config)
{
    return strcmp(config->http, "none") != 0 ? config->http : config->tcp;
}

static bool is_loopback_bind(const char *address)
{
    struct sockaddr_storage bound;
    struct err ignored;
    char text[ADDRESS_SIZE];
    if (strcmp(address, "none") == 0)
        return true;
    if (address_parse(address, &bound, &ignored) < 0)
        return false;
    address_format((const struct sockaddr *)&bound, text);
    return access_is_loopback(text);
}

/* --- files --- */

/* Fills `text`, of POLICY_FILE_MAX_BYTES, and *size_bytes. A message names the option and the file. */
static int read_file(const char *option, const char *path, char *text, size_t *size_bytes, struct err *err)
{
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return err_set(err, ERR_BAD_PARAMETER, "--%s %s: %s", option, path, strerror(errno));
    *size_bytes = fread(text, 1, POLICY_FILE_MAX_BYTES, file);
    const bool is_good = !ferror(file);
    fclose(file);
    if (!is_good || *size_bytes == POLICY_FILE_MAX_BYTES)
        return err_set(err, ERR_BAD_PARAMETER, "--%s %s: %s", option, path, is_good ? "too large" : "cannot be read");
    return 0;
}

static int read_tokens(struct access *access, const char *path, struct err *err)
{
    char text[POLICY_FILE_MAX_BYTES];
    size_t bytes = 0;
    struct err why;
    int rc = read_file("token-file", path, text, &bytes, err);
    if (rc == 0 && access_add_tokens(access, text, bytes, &why) < 0)
        rc = err_set(err, ERR_BAD_PARAMETER, "--token-file %s: %s", path, why.message);
    explicit_bzero(text, sizeof text);
    return rc;
}

/* --- lists --- */

/* The target of a list. */
typedef int (*list_reader)(struct access *access, const char *list, struct err *err);

static int read_frames(struct access *access, const char *list, struct err *err)
{
    return access_put_frame_ancestors(list, &access->frames, err);
}

/* The list as an option has it. Each line is tried by itself, so that a message can name it. */
static int gather_lines(const char *option, const char *path, list_reader read, struct buf *list, struct err *err)
{
    char text[POLICY_FILE_MAX_BYTES];
    size_t bytes = 0;
    if (read_file(option, path, text, &bytes, err) < 0)
        return err->code;
    text[bytes] = '\0';
    if (strlen(text) != bytes)
        return err_set(err, ERR_BAD_PARAMETER, "--%s %s: it is no text", option, path);
    char *rest = text;
    for (unsigned number = 1; rest != NULL; number++) {
        char *line = strsep(&rest, "\n");
        struct access tried;
        struct err why;
        line[strcspn(line, "\r")] = '\0';
        if (line[0] == '#' || line[strspn(line, " \t")] == '\0')
            continue;
        access_init(&tried);
        const int rc = read(&tried, line, &why);
        access_fini(&tried);
        if (rc < 0)
            return err_set(err, ERR_BAD_PARAMETER, "--%s %s: line %u: %s", option, path, number, why.message);
        buf_put(list, ",", list->size_bytes > 0 ? 1 : 0);
        buf_put_text(list, line);
    }
    return 0;
}

static bool is_file(const char *value) { return value != NULL && value[0] == '@'; }

/* A file may have no entry. */
static int read_list(const char *option, const char *value, list_reader read, struct access *access, struct err *err)
{
    struct buf list;
    struct err why;
    buf_init(&list, SIZE_MAX / 4);
    int rc = is_file(value) ? gather_lines(option, value + 1, read, &list, err) : 0;
    const bool is_empty = is_file(value) && list.size_bytes == 0;
    buf_put_char(&list, '\0');
    if (rc == 0 && !is_empty && read(access, is_file(value) ? list.data : value, &why) < 0)
        rc = err_set(err, ERR_BAD_PARAMETER, "--%s: %s", option, why.message);
    buf_fini(&list);
    return rc;
}

static int fill(const struct config *config, struct access *access, struct err *err)
{
    access->is_any_admin_host = !is_loopback_bind(config->admin);
    access->is_any_host = config->allow_host == NULL && !is_loopback_bind(browser_port(config));
    if (config->allow_host != NULL && read_list("allow-host", config->allow_host, access_allow_hosts, access, err) < 0)
        return err->code;
    if (config->cors != NULL && read_list("cors", config->cors, access_allow_origins, access, err) < 0)
        return err->code;
    if (config->frame_ancestors != NULL &&
        read_list("frame-ancestors", config->frame_ancestors, read_frames, access, err) < 0)
        return err->code;
    if (config->token_file == NULL)
        return 0;
    access->scope = config->token_for == TOKEN_FOR_ALL ? ACCESS_TOKEN_ALL : ACCESS_TOKEN_EDITS;
    return read_tokens(access, config->token_file, err);
}

/* --- life --- */

int access_policy_new(const struct config *config, const struct access_policy *before, struct access_policy **out,
                      struct err *err)
{
    struct access_policy *policy = mem_zalloc(1, sizeof *policy);
    policy->refs = 1;
    access_init(&policy->access);
    const int rc = fill(config, &policy->access, err);
    if (rc == 0 && before != NULL)
        policy->added_count = access_compare_tokens(&policy->access, &before->access);
    if (rc < 0)
        access_policy_unref(policy);
    *out = rc < 0 ? NULL : policy;
    return rc;
}

struct access_policy *access_policy_ref(struct access_policy *policy)
{
    atomic_fetch_add_explicit(&policy->refs, 1, memory_order_relaxed);
    return policy;
}

void access_policy_unref(struct access_policy *policy)
{
    if (policy == NULL || atomic_fetch_sub_explicit(&policy->refs, 1, memory_order_acq_rel) > 1)
        return;
    access_fini(&policy->access);
    free(policy);
}

/* --- reading again --- */

bool access_policy_has_files(const struct config *config)
{
    return config->token_file != NULL || is_file(config->allow_host) || is_file(config->cors) ||
           is_file(config->frame_ancestors);
}

static uint32_t texts_in(const struct buf *texts)
{
    uint32_t count = 0;
    for (size_t i = 0; i < texts->size_bytes; i++)
        count += texts->data[i] == '\0';
    return count;
}

static bool is_same(const struct buf *a, const struct buf *b)
{
    return a->size_bytes == b->size_bytes && (a->size_bytes == 0 || memcmp(a->data, b->data, a->size_bytes) == 0);
}

static void put_list(struct buf *out, const char *option, const char *value, bool is_unchanged)
{
    if (is_file(value))
        buf_printf(out, "%s--%s %s", out->size_bytes > 0 ? ", " : "", option, is_unchanged ? "unchanged" : "changed");
}

void access_policy_put_changes(const struct config *config, const struct access_policy *before,
                               const struct access_policy *after, struct buf *out)
{
    const struct access *old = &before->access, *now = &after->access;
    if (config->token_file != NULL) {
        const uint32_t count = texts_in(&now->tokens);
        buf_printf(out, "%u token%s (%u added, %u removed)", count, count == 1 ? "" : "s", after->added_count,
                   texts_in(&now->revoked));
    }
    put_list(out, "allow-host", config->allow_host,
             old->is_any_host == now->is_any_host && is_same(&old->hosts, &now->hosts));
    put_list(out, "cors", config->cors, is_same(&old->origins, &now->origins));
    put_list(out, "frame-ancestors", config->frame_ancestors, is_same(&old->frames, &now->frames));
}

static bool is_for_others(const struct config *config)
{
    return !(is_loopback_bind(config->http) && is_loopback_bind(config->tcp));
}

bool access_policy_is_open(const struct config *config)
{
    return is_for_others(config) && (config->token_file == NULL || config->token_for != TOKEN_FOR_ALL);
}

bool access_policy_edits_are_open(const struct config *config)
{
    return is_for_others(config) && config->token_file == NULL;
}
