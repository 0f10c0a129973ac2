/* access_policy.c - builds the access rules from --allow-host, --cors and the token file. */
#include "daemon/config/access_policy.h"

#include "daemon/config/address.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { TOKEN_FILE_MAX_BYTES = 65536 };

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

static int read_tokens(struct access *access, const char *path, struct err *err)
{
    char text[TOKEN_FILE_MAX_BYTES];
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return err_set(err, ERR_BAD_PARAMETER, "--token-file %s: %s", path, strerror(errno));
    const size_t bytes = fread(text, 1, sizeof text, file);
    const bool is_good = !ferror(file);
    fclose(file);
    struct err why;
    int rc = 0;
    if (!is_good || bytes == sizeof text)
        rc = err_set(err, ERR_BAD_PARAMETER, "--token-file %s: %s", path, is_good ? "too large" : "cannot be read");
    else if (access_add_tokens(access, text, bytes, &why) < 0)
        rc = err_set(err, ERR_BAD_PARAMETER, "--token-file %s: %s", path, why.message);
    explicit_bzero(text, sizeof text);
    return rc;
}

static int fill(const struct config *config, struct access *access, struct err *err)
{
    struct err why;
    access->is_any_admin_host = !is_loopback_bind(config->admin);
    if (config->allow_host != NULL) {
        if (access_allow_hosts(access, config->allow_host, &why) < 0)
            return err_set(err, ERR_BAD_PARAMETER, "--allow-host: %s", why.message);
    } else {
        access->is_any_host = !is_loopback_bind(browser_port(config));
    }
    if (config->cors != NULL && access_allow_origins(access, config->cors, &why) < 0)
        return err_set(err, ERR_BAD_PARAMETER, "--cors: %s", why.message);
    if (config->frame_ancestors != NULL) {
        struct buf ignored;
        buf_init(&ignored, SIZE_MAX / 4);
        const int rc = access_put_frame_ancestors(config->frame_ancestors, &ignored, &why);
        buf_fini(&ignored);
        if (rc < 0)
            return err_set(err, ERR_BAD_PARAMETER, "--frame-ancestors: %s", why.message);
    }
    if (config->token_file == NULL)
        return 0;
    access->scope = config->token_for == TOKEN_FOR_ALL ? ACCESS_TOKEN_ALL : ACCESS_TOKEN_EDITS;
    return read_tokens(access, config->token_file, err);
}

int access_policy_init(const struct config *config, struct access *out, struct err *err)
{
    access_init(out);
    const int rc = fill(config, out, err);
    if (rc < 0)
        access_fini(out);
    return rc;
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
