/* Options: flags, variables, defaults, values, and the sentences about bad ones. */
#include "tests/unit/support/check.h"

#include "daemon/config/option_names.h"
#include "daemon/config/option_table.h"
#include "daemon/config/options.h"

#include <stdio.h>
#include <string.h>

static const struct system_limits MACHINE = {.cores = 4, .memory_bytes = UINT64_C(8) << 30};
static const char *env_names[4], *env_values[4];

static char *fake_getenv(const char *name)
{
    for (int i = 0; i < 4; i++)
        if (env_names[i] != NULL && strcmp(env_names[i], name) == 0)
            return (char *)env_values[i];
    return NULL;
}

static void set_env(int i, const char *name, const char *value)
{
    env_names[i] = name;
    env_values[i] = value;
}

static void clear_env(void) { memset(env_names, 0, sizeof env_names); }

/* Parses up to three arguments; NULL ends them. */
static int parse(struct config *config, struct err *err, const char *a, const char *b, const char *c)
{
    char *argv[] = {(char *)"posed", (char *)a, (char *)b, (char *)c, NULL};
    int argc = 1;
    while (argc < 4 && argv[argc] != NULL)
        argc++;
    *err = (struct err){0};
    return options_parse(config, argc, argv, fake_getenv, &MACHINE, err);
}

static void check_refused(const char *a, const char *b, const char *sentence)
{
    struct config config;
    struct err err;
    assert_int_equal(parse(&config, &err, a, b, NULL), ERR_BAD_PARAMETER);
    assert_string_equal(err.message, sentence);
}

TEST(options_defaults_follow_the_machine)
{
    struct config config;
    struct err err;
    clear_env();
    assert_int_equal(parse(&config, &err, NULL, NULL, NULL), OPTIONS_SERVE);
    assert_string_equal(config.root, ".");
    assert_string_equal(config.http, "127.0.0.1:7878");
    assert_int_equal(config.cache_bytes, UINT64_C(2) << 30);
    assert_int_equal(config.import_workers, 3);
    assert_int_equal(config.render_workers, 3);
    assert_string_equal(config.gl, "auto");
    assert_int_equal(config.log, LOG_TEXT);
    assert_null(config.health_url);
    assert_false(config.is_check_only);
    struct limits initial;
    limits_default(&initial);
    assert_memory_equal(&config.limits, &initial, sizeof initial);
}

TEST(options_one_core_still_has_workers)
{
    const struct system_limits small = {.cores = 1};
    char *argv[] = {(char *)"posed", NULL};
    struct config config;
    clear_env();
    assert_int_equal(options_parse(&config, 1, argv, fake_getenv, &small, NULL), OPTIONS_SERVE);
    assert_int_equal(config.import_workers, 1);
    assert_int_equal(config.render_workers, 1);
    assert_true(config.cache_bytes > 0);
}

TEST(options_take_values_in_both_forms)
{
    struct config config;
    struct err err;
    clear_env();
    assert_int_equal(parse(&config, &err, "--root=/a=b", "--http", "[::1]:0"), OPTIONS_SERVE);
    assert_string_equal(config.root, "/a=b");
    assert_string_equal(config.http, "[::1]:0");
}

TEST(options_flag_wins_over_variable_over_default)
{
    struct config config;
    struct err err;
    clear_env();
    set_env(0, "POSED_CACHE_BYTES", "3m");
    set_env(1, "POSED_MAX_URL", "1k");
    set_env(2, "POSED_LOG", "json");
    assert_int_equal(parse(&config, &err, "--cache-bytes", "2m", NULL), OPTIONS_SERVE);
    assert_int_equal(config.cache_bytes, 2 << 20);
    assert_int_equal(config.limits.value[LIMIT_URL_BYTES], 1024);
    assert_int_equal(config.log, LOG_JSON);
    clear_env();
}

TEST(options_empty_variable_is_unset)
{
    struct config config;
    struct err err;
    clear_env();
    set_env(0, "POSED_ROOT", "");
    assert_int_equal(parse(&config, &err, NULL, NULL, NULL), OPTIONS_SERVE);
    assert_string_equal(config.root, ".");
    clear_env();
}

TEST(options_bad_variable_is_named)
{
    struct config config;
    struct err err;
    clear_env();
    set_env(0, "POSED_LOG", "xml");
    assert_int_equal(parse(&config, &err, NULL, NULL, NULL), ERR_BAD_PARAMETER);
    assert_string_equal(err.message, "POSED_LOG: 'xml' is not one of text|json|off");
    assert_int_equal(parse(&config, &err, "--log", "off", NULL), OPTIONS_SERVE); /* the flag hides it */
    assert_int_equal(parse(&config, &err, "--help", NULL, NULL), OPTIONS_HELP);
    clear_env();
}

TEST(options_sizes_take_units)
{
    static const struct {
        const char *text;
        uint64_t bytes;
    } cases[] = {
        {"1048576", 1048576},
        {"2048k", 2048 << 10},
        {"2048K", 2048 << 10},
        {"7MiB", 7 << 20},
        {"7mb", 7 << 20},
        {"3g", UINT64_C(3) << 30},
        {"3 GiB", UINT64_C(3) << 30},
        {"1t", UINT64_C(1) << 40},
        {"64T", UINT64_C(64) << 40},
    };
    clear_env();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct config config;
        struct err err;
        assert_int_equal(parse(&config, &err, "--cache-bytes", cases[i].text, NULL), OPTIONS_SERVE);
        assert_int_equal(config.cache_bytes, cases[i].bytes);
    }
}

TEST(options_bad_numbers_are_refused)
{
    static const char *const bad[] = {"",
                                      "-1",
                                      "+1",
                                      "1.5g",
                                      "0x10",
                                      "10q",
                                      "g",
                                      "1 2m",
                                      "nan",
                                      "1e9",
                                      "65t",
                                      "16777216t",
                                      "99999999999999999999",
                                      "1023k" /* below a MiB */};
    clear_env();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct config config;
        struct err err;
        const int rc = parse(&config, &err, "--cache-bytes", bad[i], NULL);
        if (rc != ERR_BAD_PARAMETER)
            fail_msg("'%s' was taken", bad[i]);
        assert_non_null(strstr(err.message, "--cache-bytes"));
    }
}

TEST(options_times_take_units)
{
    struct config config;
    struct err err;
    clear_env();
    assert_int_equal(parse(&config, &err, "--header-timeout=300ms", "--idle-timeout=2m", "--import-cpu=1m"),
                     OPTIONS_SERVE);
    assert_int_equal(config.limits.value[LIMIT_HEADER_TIME_MS], 300);
    assert_int_equal(config.limits.value[LIMIT_IDLE_TIME_MS], 120000);
    assert_int_equal(config.limits.value[LIMIT_IMPORT_CPU_S], 60);
    check_refused("--import-cpu", "500ms",
                  "--import-cpu: '500ms' is not a time in whole seconds from 1s to 168h, such as 15s or 2m");
    check_refused("--idle-timeout", "0",
                  "--idle-timeout: '0' is not a time from 1ms to 168h, such as 500ms, 10s, 2m or 1h");
}

TEST(options_sets_take_several_words)
{
    static const struct {
        const char *text, *printed;
        uint32_t set;
    } rows[] = {{"poses", "POSED_READY=poses\n", READY_POSES},
                {"models", "POSED_READY=models\n", READY_MODELS},
                {"models,pictures", "POSED_READY=pictures,models\n", READY_PICTURES | READY_MODELS},
                {"models,models,poses", "POSED_READY=poses,models\n", READY_POSES | READY_MODELS}};
    struct config config;
    struct err err;
    clear_env();
    assert_int_equal(parse(&config, &err, NULL, NULL, NULL), OPTIONS_SERVE);
    assert_int_equal(config.ready, READY_POSES);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct buf text;
        buf_init(&text, 0);
        assert_int_equal(parse(&config, &err, "--ready", rows[i].text, NULL), OPTIONS_SERVE);
        assert_int_equal(config.ready, rows[i].set);
        options_print(&text, &config);
        buf_put_char(&text, '\0');
        assert_non_null(strstr(text.data, rows[i].printed));
        buf_fini(&text);
    }
    check_refused("--ready", "model", "--ready: 'model' is no list of poses|pictures|models, such as poses");
    check_refused("--ready", "poses,", "--ready: 'poses,' is no list of poses|pictures|models, such as poses");
    check_refused("--ready=", NULL, "--ready: '' is no list of poses|pictures|models, such as poses");
    assert_int_equal(parse(&config, &err, "--ready=pictures", "--render-workers=0", NULL), OPTIONS_SERVE);
    assert_int_equal(options_check(&config, &err), ERR_BAD_PARAMETER);
    assert_string_equal(err.message, "--ready pictures, but --render-workers 0: it would never be ready");
}

TEST(options_every_limit_with_an_option_can_be_set)
{
    clear_env();
    for (int i = 0; i < LIMIT_COUNT; i++) {
        if (LIMIT_INFO[i].option[0] == '\0')
            continue;
        char flag[64];
        struct config config;
        struct err err;
        snprintf(flag, sizeof flag, "--%s", LIMIT_INFO[i].option);
        const uint64_t most = limit_most((enum limit)i), value = most < 4321 ? most : 4321;
        char text[32];
        snprintf(text, sizeof text, "%llu", (unsigned long long)value);
        assert_int_equal(parse(&config, &err, flag, text, NULL), OPTIONS_SERVE);
        assert_int_equal(config.limits.value[i], value);
    }
}

TEST(options_limits_of_models_have_a_largest_value)
{
    struct config config;
    struct err err;
    clear_env();
    assert_int_equal(parse(&config, &err, "--max-nodes", "7", NULL), OPTIONS_SERVE);
    assert_int_equal(config.limits.value[LIMIT_NODES], 7);
    check_refused("--max-nodes", "100001", "--max-nodes: '100001' is not a whole number from 1 to 100000");
    assert_int_equal(parse(&config, &err, "--max-texture-side", "4096", NULL), OPTIONS_SERVE);
    check_refused("--max-texture-side", "4097", "--max-texture-side: '4097' is not a whole number from 1 to 4096");
    check_refused("--loops", "-3", "--loops: '-3' is not a whole number from 0 to 64");
    check_refused("--cache-bytes", "1023k",
                  "--cache-bytes: '1023k' is not a size from 1m to 64t, such as 1048576, 512m or 2g");
    check_refused("--max-vertices", "0", "--max-vertices: '0' is not a whole number from 1 to 20000000");
}

TEST(options_fixed_limit_is_no_option)
{
    clear_env();
    check_refused("--", "1", "unexpected argument '--'; options start with --, such as --root DIR; see posed --help");
    check_refused("--=1", NULL, "unknown option --; see posed --help");
}

TEST(options_unknown_names_the_nearest)
{
    clear_env();
    check_refused("--rot", "x", "unknown option --rot; did you mean --root DIR?");
    check_refused("--cachebytes=1", NULL, "unknown option --cachebytes; did you mean --cache-bytes SIZE?");
    check_refused("--frobnicate-everything", NULL, "unknown option --frobnicate-everything; see posed --help");
    check_refused("-r", NULL, "unexpected argument '-r'; options start with --, such as --root DIR; see posed --help");
    check_refused("--a-very-long-name-that-no-option-could-have-at-all", NULL,
                  "unknown option --a-very-long-name-that-no-option-could-have-at-all; see posed --help");
}

TEST(options_of_other_servers_name_ours)
{
    clear_env();
    check_refused("--port", "80", "unknown option --port; did you mean --http ADDR:PORT?");
    check_refused("--host=0.0.0.0", NULL, "unknown option --host; did you mean --http ADDR:PORT?");
    check_refused("--models", "/tmp", "unknown option --models; did you mean --root DIR?");
    check_refused("/usr", NULL, "unexpected argument '/usr'; did you mean --root /usr?");
}

/* NULL: no warning. */
static void check_variable(const char *entry, const char *sentence)
{
    char said[VARIABLE_SENTENCE_SIZE];
    bool is_similar = false;
    if (option_names_unread(entry, &is_similar, said) != (sentence != NULL))
        fail_msg("%s: %s", entry, sentence == NULL ? said : "no warning");
    if (sentence == NULL)
        return;
    assert_string_equal(said, sentence);
    assert_int_equal(is_similar, strstr(sentence, "posed --help") == NULL);
}

TEST(options_misspelt_variables_are_told)
{
    check_variable("POSED_HTPP=:80", "the variable POSED_HTPP has no effect; did you mean POSED_HTTP?");
    check_variable("POSED_cache_dir=/x", "the variable POSED_cache_dir has no effect; did you mean POSED_CACHE_DIR?");
    check_variable("POSED_CACHE-DIR=/x", "the variable POSED_CACHE-DIR has no effect; did you mean POSED_CACHE_DIR?");
    check_variable("POSED_SERVR=h", "the variable POSED_SERVR has no effect; did you mean POSED_SERVER?");
    check_variable("POSED_MAX_VERTICS=1",
                   "the variable POSED_MAX_VERTICS has no effect; did you mean POSED_MAX_VERTICES?");
    check_variable("POSED_MODELS=/m", "the variable POSED_MODELS has no effect; did you mean POSED_ROOT?");
    check_variable("POSED_PORT=80", "the variable POSED_PORT has no effect; did you mean POSED_HTTP?");
    check_variable("POSED_COLOUR=r", "the variable POSED_COLOUR has no effect; posed --help names those that have");
    check_variable("POSED_=x", "the variable POSED_ has no effect; posed --help names those that have");
    check_variable("POSED_\x1b\n=x", "the variable POSED_?? has no effect; posed --help names those that have");
    check_variable("POSED_ALLOW_HIDDEN=1",
                   "the variable POSED_ALLOW_HIDDEN has no effect: --allow-hidden is for the command line only");
    char entry[600] = "POSED_";
    memset(entry + 6, 'X', 500);
    strcpy(entry + 506, "=1");
    bool is_similar;
    char said[VARIABLE_SENTENCE_SIZE];
    assert_true(option_names_unread(entry, &is_similar, said));
    assert_non_null(strstr(said, "XXX... has no effect; posed --help"));
}

TEST(options_variables_of_other_programs_are_not_told)
{
    static const char *const QUIET[] = {"HOME=/root",          "POSED=1",       "POSEDX_HTPP=1",
                                        "POSED_HTPP=",         "POSED_HTPP",    "POSED_HTTP=:80",
                                        "POSED_SERVER=h",      "POSED_TOKEN=t", "POSED_PROGRAM=p",
                                        "POSED_URL=u",         "POSED_BUILD=b", "POSED_SAMPLES=s",
                                        "POSED_FRONT_USER=u",  "POSED_1=a:1",   "POSED_8_PACKETS=a:1",
                                        "POSED_CACHE_FOLDER=f"};
    for (size_t i = 0; i < sizeof QUIET / sizeof *QUIET; i++)
        check_variable(QUIET[i], NULL);
    for (size_t i = 0; i < option_count(); i++) {
        const struct option option = option_at(i);
        char entry[VARIABLE_SIZE + 2];
        option_env(&option, entry);
        if (entry[0] != '\0')
            check_variable(strcat(entry, "=1"), NULL);
    }
}

/* What Kubernetes sets in each container beside a Service, here of the names posed and posed-web. */
TEST(options_variables_of_kubernetes_are_not_told)
{
    static const char *const SERVICES[] = {"POSED", "POSED_WEB", "POSED_HTTP", "POSED_ROOT"};
    static const char *const ENDS[] = {"SERVICE_HOST=10.0.0.7",
                                       "SERVICE_PORT=7878",
                                       "SERVICE_PORT_HTTP=7878",
                                       "PORT=tcp://10.0.0.7:7878",
                                       "PORT_7878_TCP=tcp://10.0.0.7:7878",
                                       "PORT_7878_TCP_PROTO=tcp",
                                       "PORT_7878_TCP_PORT=7878",
                                       "PORT_7878_TCP_ADDR=10.0.0.7"};
    for (size_t i = 0; i < 4 * 8; i++) {
        char entry[100];
        snprintf(entry, sizeof entry, "%s_%s", SERVICES[i / 8], ENDS[i % 8]);
        check_variable(entry, NULL);
        for (size_t row = 0; row < option_count(); row++) {
            const struct option option = option_at(row);
            char variable[VARIABLE_SIZE];
            option_env(&option, variable);
            assert_string_not_equal(variable, strtok(strcpy((char[100]){0}, entry), "="));
        }
    }
}

TEST(options_missing_and_surplus_values)
{
    clear_env();
    check_refused("--root", NULL, "--root needs a value");
    check_refused("--root", "--http", "--root needs a value");
    check_refused("--root=", NULL, "--root: empty, needs DIR");
    check_refused("--check-config=yes", NULL, "--check-config takes no value");
}

TEST(options_actions)
{
    struct config config;
    struct err err;
    clear_env();
    assert_int_equal(parse(&config, &err, "--version", NULL, NULL), OPTIONS_VERSION);
    assert_int_equal(parse(&config, &err, "-h", NULL, NULL), OPTIONS_HELP);
    assert_int_equal(parse(&config, &err, "--check-config", NULL, NULL), OPTIONS_CHECK);
    assert_true(config.is_check_only);
    assert_int_equal(parse(&config, &err, "--health", NULL, NULL), OPTIONS_HEALTH);
    assert_string_equal(config.health_url, "");
    assert_int_equal(parse(&config, &err, "--health", "--http=127.0.0.1:1", NULL), OPTIONS_HEALTH);
    assert_string_equal(config.health_url, "");
    assert_int_equal(parse(&config, &err, "--health", "http://a:1", NULL), OPTIONS_HEALTH);
    assert_string_equal(config.health_url, "http://a:1");
}

TEST(options_check_names_what_is_missing)
{
    struct config config;
    struct err err;
    clear_env();
    assert_int_equal(parse(&config, &err, "--root", "/no/such/folder", NULL), OPTIONS_SERVE);
    assert_int_equal(options_check(&config, &err), ERR_BAD_PARAMETER);
    assert_string_equal(err.message, "--root /no/such/folder: No such file or directory");
    config.root = "/proc/self/status";
    assert_int_equal(options_check(&config, &err), ERR_BAD_PARAMETER);
    assert_string_equal(err.message, "--root /proc/self/status: it is not a folder");
    config.root = "/";
    config.worker_dir = "/proc";
    assert_int_equal(options_check(&config, &err), ERR_BAD_PARAMETER);
    assert_non_null(strstr(err.message, "/proc/posed-import is not a program"));
}

TEST(options_check_names_the_option_of_a_wrong_address)
{
    static const char *const OPTIONS[] = {"--http", "--tcp", "--admin"};
    struct config config;
    struct err err;
    char said[128];
    clear_env();
    for (size_t i = 0; i < sizeof OPTIONS / sizeof *OPTIONS; i++) {
        assert_int_equal(parse(&config, &err, OPTIONS[i], "localhost", NULL), OPTIONS_SERVE);
        assert_int_equal(options_check(&config, &err), ERR_BAD_PARAMETER);
        snprintf(said, sizeof said, "%s: 'localhost' is neither ADDR:PORT, such as 127.0.0.1:7878, nor a port",
                 OPTIONS[i]);
        assert_string_equal(err.message, said);
    }
}

TEST(options_take_a_port_alone)
{
    struct config config;
    struct err err;
    clear_env();
    set_env(0, "POSED_TCP", "0");
    assert_int_equal(parse(&config, &err, "--http=7999", "--admin=65535", "--health=80"), OPTIONS_HEALTH);
    assert_string_equal(config.http, "127.0.0.1:7999");
    assert_string_equal(config.tcp, "127.0.0.1:0");
    assert_string_equal(config.admin, "127.0.0.1:65535");
    assert_string_equal(config.health_url, "127.0.0.1:80");
    static const char *const WRONG[] = {"99999", "123456", "7999x", ":7999", "-1", " 80"};
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
        assert_int_equal(parse(&config, &err, "--http", WRONG[i], NULL), OPTIONS_SERVE);
        assert_int_equal(options_check(&config, &err), ERR_BAD_PARAMETER);
        assert_non_null(strstr(err.message, WRONG[i]));
    }
    clear_env();
}

TEST(options_help_has_groups_that_one_can_look_through)
{
    enum { GROUP_MAX = 14 };
    struct buf text;
    size_t count = 0, group_count = 0;
    buf_init(&text, 0);
    options_help(&text, &MACHINE, 120);
    buf_put_char(&text, '\0');
    for (const char *line = text.data; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (*line >= 'A' && *line <= 'Z' && line[strcspn(line, "\n") - 1] == ':')
            count = 0, group_count++;
        count += strncmp(line, "  --", 4) == 0;
        assert_in_range(count, 0, GROUP_MAX);
    }
    assert_in_range(group_count, 10, 20);
    buf_fini(&text);
}

TEST(options_help_shows_every_option_once)
{
    struct buf text;
    buf_init(&text, 0);
    options_help(&text, &MACHINE, 120);
    buf_put_char(&text, '\0');
    for (int i = 0; i < LIMIT_COUNT; i++) {
        char flag[64];
        snprintf(flag, sizeof flag, "\n  --%s ", LIMIT_INFO[i].option);
        if (LIMIT_INFO[i].option[0] == '\0')
            continue;
        const char *found = strstr(text.data, flag);
        assert_non_null(found);
        assert_null(strstr(found + 1, flag));
    }
    assert_non_null(strstr(text.data, "POSED_CACHE_BYTES, default 2g\n"));
    assert_non_null(strstr(text.data, "POSED_MAX_FILE, default 256m\n"));
    assert_non_null(strstr(text.data, "POSED_HEADER_TIMEOUT, default 10s; a bare number is ms\n"));
    assert_non_null(strstr(text.data, "POSED_DRAIN_DELAY, default 0; a bare number is ms\n"));
    assert_non_null(strstr(text.data, "POSED_IMPORT_CPU, default 15s; a bare number is s\n"));
    assert_null(strstr(text.data, "POSED_HEALTH"));
    assert_non_null(strstr(text.data, "POSED_UPLOADS\n"));
    assert_null(strstr(text.data, "default \n"));
    buf_fini(&text);
}

static size_t longest_line(const char *text)
{
    size_t longest = 0;
    for (size_t length; *text != '\0'; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        longest = length > longest ? length : longest;
    }
    return longest;
}

TEST(options_help_fits_the_terminal)
{
    static const struct {
        size_t columns, longest;
    } CASES[] = {{0, 80}, {80, 80}, {100, 100}, {79, 79}, {60, 60}, {1000, 120}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        struct buf text;
        buf_init(&text, 0);
        options_help(&text, &MACHINE, CASES[i].columns);
        buf_put_char(&text, '\0');
        const size_t longest = longest_line(text.data);
        assert_in_range(longest, CASES[i].longest * 3 / 4, CASES[i].longest);
        assert_null(strstr(text.data, " \n"));
        buf_fini(&text);
    }
}

/* Of too few columns it makes lines as long as the longest word. */
TEST(options_help_of_a_tiny_terminal)
{
    struct buf text;
    for (size_t columns = 1; columns < 40; columns++) {
        buf_init(&text, 0);
        options_help(&text, &MACHINE, columns);
        buf_put_char(&text, '\0');
        assert_true(longest_line(text.data) < 80);
        buf_fini(&text);
    }
}

/* What --check-config prints is what the variables take. */
TEST(options_printed_values_read_back)
{
    struct config config, again;
    struct err err;
    struct buf text;
    clear_env();
    assert_int_equal(parse(&config, &err, "--cache-bytes=1048577", "--header-timeout=61001", "--gl=egl"),
                     OPTIONS_SERVE);
    buf_init(&text, 0);
    options_print(&text, &config);
    buf_put_char(&text, '\0');
    again = config;
    assert_non_null(strstr(text.data, "POSED_CACHE_BYTES=1048577"));
    assert_non_null(strstr(text.data, "POSED_HEADER_TIMEOUT=61001ms\n"));
    assert_non_null(strstr(text.data, "POSED_GL=egl\n"));
    set_env(0, "POSED_CACHE_BYTES", "1048577b");
    set_env(1, "POSED_HEADER_TIMEOUT", "61001ms");
    set_env(2, "POSED_GL", "egl");
    assert_int_equal(parse(&again, &err, NULL, NULL, NULL), OPTIONS_SERVE);
    assert_int_equal(again.cache_bytes, config.cache_bytes);
    assert_int_equal(again.limits.value[LIMIT_HEADER_TIME_MS], config.limits.value[LIMIT_HEADER_TIME_MS]);
    clear_env();
    buf_fini(&text);
}

TEST(options_take_every_default)
{
    for (size_t i = 0; i < option_count(); i++) {
        const struct option option = option_at(i);
        if (option.kind == OPTION_FLAG || option.kind == OPTION_PROBE || option.name[0] == '\0')
            continue;
        struct config config, again;
        struct err err;
        struct buf value;
        buf_init(&value, 0);
        assert_int_equal(parse(&config, &err, NULL, NULL, NULL), OPTIONS_SERVE);
        option_put_value(&option, &config, &value);
        buf_put_char(&value, '\0');
        const bool is_off = strcmp(value.data, "") == 0 || strcmp(value.data, "0") == 0;
        if (!is_off && option_set(&option, &config, value.data, option.name, &err) < 0)
            fail_msg("--%s does not take its default, %s: %s", option.name, value.data, err.message);
        assert_int_equal(parse(&again, &err, NULL, NULL, NULL), OPTIONS_SERVE);
        assert_memory_equal(&config.limits, &again.limits, sizeof config.limits);
        buf_fini(&value);
    }
}
