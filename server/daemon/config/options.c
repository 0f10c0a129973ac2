/* options.c - defaults, command line, environment, checks and the text of --check-config. */
#include "daemon/config/options.h"

#include "anim/kernel/kernel.h"
#include "daemon/config/access_policy.h"
#include "daemon/config/address.h"
#include "daemon/config/proxy_policy.h"
#include "daemon/config/unix_socket.h"
#include "daemon/config/option_names.h"
#include "daemon/config/option_table.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    GIVEN_MAX = 128, /* number of rows; asserted below */
    MIB = 1 << 20,
    FALLBACK_CACHE_BYTES = 256 * MIB, /* if the memory of the machine is unknown */
};

_Static_assert(LIMIT_COUNT + 32 < GIVEN_MAX, "room for every option");

/* Beside posed in a build folder, in ../libexec/posed once installed. */
static const char *default_worker_dir(void)
{
    static char folder[PATH_MAX + 32];
    static const char *const places[] = {"", "/../libexec/posed", ""}; /* the last: where it is missing */
    char program[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0)
        return ".";
    program[length] = '\0';
    *strrchr(program, '/') = '\0';
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char worker[sizeof folder + 32];
        snprintf(folder, sizeof folder, "%s%s", program, places[i]);
        snprintf(worker, sizeof worker, "%s/posed-import", folder);
        if (access(worker, X_OK) == 0)
            break;
    }
    return folder;
}

/* Lowers defaults on small machines. */
static void shrink_limits(struct limits *limits, const struct system_limits *machine)
{
    static const struct {
        enum limit limit;
        uint64_t divisor;
    } SHARES[] = {
#define X(limit, divisor) {limit, divisor},
#include "protocol/shares.def"
#undef X
    };
    for (size_t i = 0; i < sizeof SHARES / sizeof *SHARES; i++) {
        uint64_t *value = &limits->value[SHARES[i].limit];
        const uint64_t share = machine->memory_bytes / SHARES[i].divisor;
        const uint64_t rounded = share > MIB ? share / MIB * MIB : share;
        if (rounded > 0 && rounded < *value) /* 0: unknown, or none under a sanitizer */
            *value = rounded;
    }
}

/* $XDG_CACHE_HOME/posed, ~/.cache/posed, or none without a home (XDG Base Directory Specification). */
static const char *default_cache_dir(void)
{
    static char folder[PATH_MAX];
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    struct stat stat_home;
    if (base != NULL && base[0] == '/')
        snprintf(folder, sizeof folder, "%s/posed", base);
    else if (home != NULL && home[0] == '/' && stat(home, &stat_home) == 0)
        snprintf(folder, sizeof folder, "%s/.cache/posed", home);
    else
        return "none";
    return folder;
}

void options_defaults(struct config *out, const struct system_limits *machine)
{
    *out = (struct config){0};
    limits_default(&out->limits);
    out->cache_bytes = machine->memory_bytes == 0 ? FALLBACK_CACHE_BYTES : machine->memory_bytes / 4 / MIB * MIB;
    out->import_workers = out->render_workers = machine->cores > 1 ? machine->cores - 1 : 1;
    shrink_limits(&out->limits, machine);
    out->worker_dir = default_worker_dir();
    out->cache_dir = default_cache_dir();
    for (size_t i = 0; i < option_count(); i++) {
        const struct option option = option_at(i);
        if (option.initial != NULL)
            option_set(&option, out, option.initial, option.name, NULL);
    }
}

static int unknown_option(const char *name, size_t name_bytes, struct err *err)
{
    const char *meant = option_names_meant(name, name_bytes);
    if (meant == NULL)
        return err_set(err, ERR_BAD_PARAMETER, "unknown option --%.*s; see posed --help", (int)name_bytes, name);
    const struct option option = option_at((size_t)option_find(meant, strlen(meant)));
    return err_set(err, ERR_BAD_PARAMETER, "unknown option --%.*s; did you mean --%s%s%s?", (int)name_bytes, name,
                   meant, option.value == NULL ? "" : " ", option.value == NULL ? "" : option.value);
}

static int unexpected_argument(const char *arg, struct err *err)
{
    struct stat found;
    if (stat(arg, &found) == 0 && S_ISDIR(found.st_mode))
        return err_set(err, ERR_BAD_PARAMETER, "unexpected argument '%s'; did you mean --root %s?", arg, arg);
    return err_set(err, ERR_BAD_PARAMETER,
                   "unexpected argument '%s'; options start with --, such as --root DIR; see posed --help", arg);
}

/* Notes each flag's text in given[row]. Returns an action or an error; values are read later, so that --help works
 * beside anything. */
static int collect_flags(const char *given[GIVEN_MAX], int argc, char **argv, struct err *err)
{
    for (int i = 1; i < argc; i++) {
        const char *arg = argv[i];
        if (strcmp(arg, "--help") == 0 || strcmp(arg, "-h") == 0)
            return OPTIONS_HELP;
        if (strcmp(arg, "--version") == 0)
            return OPTIONS_VERSION;
        if (strncmp(arg, "--", 2) != 0 || arg[2] == '\0')
            return unexpected_argument(arg, err);
        const char *name = arg + 2;
        const size_t name_bytes = strcspn(name, "=");
        const char *value = name[name_bytes] == '=' ? name + name_bytes + 1 : NULL;
        const int row = option_find(name, name_bytes);
        if (row < 0)
            return unknown_option(name, name_bytes, err);
        const enum option_kind kind = option_at((size_t)row).kind;
        if (kind == OPTION_FLAG && value != NULL)
            return err_set(err, ERR_BAD_PARAMETER, "--%.*s takes no value", (int)name_bytes, name);
        const bool has_next = i + 1 < argc && strncmp(argv[i + 1], "--", 2) != 0;
        if (kind != OPTION_FLAG && value == NULL && has_next)
            value = argv[++i];
        if (value == NULL && kind != OPTION_FLAG && kind != OPTION_PROBE)
            return err_set(err, ERR_BAD_PARAMETER, "--%.*s needs a value", (int)name_bytes, name);
        given[row] = value == NULL ? "" : value;
    }
    return OPTIONS_SERVE;
}

/* A port alone is one of 127.0.0.1. Strings that are no port stay, and are refused later. */
static void complete_addresses(struct config *out)
{
    enum { PORT_DIGITS = 5 };
    static char texts[4][sizeof "127.0.0.1:" + PORT_DIGITS];
    const char **const fields[] = {&out->http, &out->tcp, &out->admin, &out->health_url};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        const char *text = *fields[i] == NULL ? "" : *fields[i];
        const size_t digits = strspn(text, "0123456789");
        if (digits == 0 || digits > PORT_DIGITS || text[digits] != '\0')
            continue;
        snprintf(texts[i], sizeof texts[i], "127.0.0.1:%s", text);
        *fields[i] = texts[i];
    }
}

int options_parse(struct config *out, int argc, char **argv, char *(*get)(const char *name),
                  const struct system_limits *machine, struct err *err)
{
    const char *given[GIVEN_MAX] = {0};
    options_defaults(out, machine);
    const int action = collect_flags(given, argc, argv, err);
    if (action != OPTIONS_SERVE)
        return action;
    for (size_t i = 0; i < option_count(); i++) {
        const struct option option = option_at(i);
        char source[VARIABLE_SIZE];
        option_env(&option, source);
        const char *text = given[i];
        if (text == NULL && source[0] != '\0')
            text = get(source);
        else if (text != NULL)
            snprintf(source, sizeof source, "--%s", option.name);
        if (text == NULL || (given[i] == NULL && *text == '\0'))
            continue;
        const int rc = option_set(&option, out, text, source, err);
        if (rc < 0)
            return rc;
    }
    complete_addresses(out);
    if (out->loops == 0)
        out->loops = machine->cores < CONFIG_LOOPS_MAX ? machine->cores : CONFIG_LOOPS_MAX;
    return out->health_url != NULL ? OPTIONS_HEALTH
           : out->is_self_test     ? OPTIONS_SELF_TEST
           : out->is_check_only    ? OPTIONS_CHECK
                                   : OPTIONS_SERVE;
}

/* Names of hosts are not looked up here: that may take long. Passed sockets are at addresses of any kind. */
static int check_addresses(const struct config *config, struct err *err)
{
    const struct {
        const char *option, *text;
    } given[] = {{"http", config->http}, {"tcp", config->tcp}, {"admin", config->admin}};
    for (size_t i = 0; i < sizeof given / sizeof *given && config->passed == NULL; i++)
        if (strcmp(given[i].text, "none") != 0 && address_check(given[i].text, err) < 0)
            return err_prefix(err, "--%s", given[i].option);
    return 0;
}

static int check_ports(const struct config *config, struct err *err)
{
    struct sockaddr_un address;
    struct err why;
    unsigned mode;
    if (strcmp(config->http, "none") == 0 && strcmp(config->tcp, "none") == 0 && config->unix_path == NULL)
        return err_set(err, ERR_BAD_PARAMETER, "there is nothing to listen on: give --http, --tcp or --unix");
    if (config->unix_path != NULL && unix_socket_address(config->unix_path, &address, &why) < 0)
        return err_set(err, ERR_BAD_PARAMETER, "--unix: %s", why.message);
    if (!unix_socket_mode(config->unix_mode, &mode))
        return err_set(err, ERR_BAD_PARAMETER, "--unix-mode: '%.40s' is not octal permissions, such as 0660",
                       config->unix_mode);
    return 0;
}

/* Whether it can be written, or made, without doing so. */
static int check_log_file(const char *path, struct err *err)
{
    char folder[PATH_MAX];
    if (path == NULL || access(path, W_OK) == 0)
        return 0;
    const char *slash = strrchr(path, '/');
    const size_t bytes = slash == NULL || slash == path ? 1 : (size_t)(slash - path);
    snprintf(folder, sizeof folder, "%.*s", (int)bytes, slash == NULL ? "." : path);
    if (errno == ENOENT && access(folder, W_OK | X_OK) == 0)
        return 0;
    return err_set(err, ERR_BAD_PARAMETER, "--log-file %s: %s", path, strerror(errno));
}

/* An answer of unknown size begins once there is room for the largest answer, in addition to its request and the memory
 * of idle connections. */
static int check_client_memory(const uint64_t *limits, struct err *err)
{
    const uint64_t answer_bytes = limits[LIMIT_ANSWER_BYTES], body_bytes = limits[LIMIT_BODY_BYTES];
    const uint64_t most_bytes = limits[LIMIT_CLIENT_MEMORY_BYTES];
    if (most_bytes >= MIB && most_bytes - MIB >= answer_bytes && most_bytes - MIB - answer_bytes >= body_bytes)
        return 0;
    return err_set(
        err, ERR_BAD_PARAMETER,
        "--client-memory %llu is too little: --max-answer %llu, --max-body %llu and 1 MiB have to fit in it, "
        "or large answers would never be made",
        (unsigned long long)most_bytes, (unsigned long long)answer_bytes, (unsigned long long)body_bytes);
}

int options_check(const struct config *config, struct err *err)
{
    const uint64_t *limits = config->limits.value;
    if (check_client_memory(limits, err) < 0)
        return err->code;
    if (check_addresses(config, err) < 0 || check_ports(config, err) < 0)
        return err->code;
    if ((config->ready & READY_PICTURES) != 0 && config->render_workers == 0)
        return err_set(err, ERR_BAD_PARAMETER, "--ready pictures, but --render-workers 0: it would never be ready");
    if (kernel_find(config->kernel) == NULL)
        return err_set(err, ERR_BAD_PARAMETER, "--kernel %s: this processor does not run it; its best is %s",
                       config->kernel, kernel_best()->name);
    struct stat root;
    if (stat(config->root, &root) != 0)
        return err_set(err, ERR_BAD_PARAMETER, "--root %s: %s", config->root, strerror(errno));
    if (!S_ISDIR(root.st_mode))
        return err_set(err, ERR_BAD_PARAMETER, "--root %s: it is not a folder", config->root);
    if (access(config->root, R_OK | X_OK) != 0)
        return err_set(err, ERR_BAD_PARAMETER, "--root %s: it cannot be read: %s", config->root, strerror(errno));
    if (check_log_file(config->log_file, err) < 0)
        return err->code;
    static const char *const programs[] = {"posed-import", "posed-render"};
    for (size_t i = 0; i < (config->render_workers == 0 ? 1 : 2); i++) {
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s/%s", config->worker_dir, programs[i]);
        if (access(path, X_OK) != 0)
            return err_set(err, ERR_BAD_PARAMETER, "%s is not a program: %s; see --worker-dir", path, strerror(errno));
    }
    struct access_policy *policy;
    struct proxy_policy proxies;
    int rc = access_policy_new(config, NULL, &policy, err);
    access_policy_unref(policy);
    if (rc == 0)
        rc = proxy_policy_init(config, &proxies, err);
    if (rc == 0)
        proxy_policy_fini(&proxies);
    return rc;
}

void options_print(struct buf *out, const struct config *config)
{
    for (size_t i = 0; i < option_count(); i++) {
        const struct option option = option_at(i);
        char env[VARIABLE_SIZE];
        option_env(&option, env);
        if (env[0] == '\0')
            continue;
        buf_printf(out, "%s=", env);
        option_put_value(&option, config, out);
        buf_put_char(out, '\n');
    }
}
