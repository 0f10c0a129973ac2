/* main.c - posed-import: one model file to one baked model (worker/import_result.h), or the fork server that makes a
 * process for each. */
#include "import/fork_server.h"
#include "import/import_version.h"
#include "import/importer.h"
#include "import/source/import.h"

#include "base/version.h"
#include "worker/attempt.h"
#include "worker/import_result.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void print_help(void)
{
    puts("usage: posed-import [--LIMIT N ...] PATH 3<>FILES 4<>RESULT\n"
         "       posed-import [--LIMIT N ...] --fork-server [--libraries] 3<>SOCKET\n"
         "Reads the model PATH and writes it, baked, to RESULT (file descriptor 4), or why it cannot. Opens nothing:\n"
         "posed hands it files through the socket FILES (file descriptor 3). Exit status: 0 = baked, 1 = refused with\n"
         "a reason in RESULT, 2 = it cannot work, 3 = it needs --libraries. As a fork server, which is how posed "
         "starts it, it makes a process\n"
         "of its own for each model, so that no file can harm the server or another model; with "
         "--libraries\n"
         "also for those that need assimp or libtiff.\n\n"
         "  --sandbox MODE     " SANDBOX_MODES ": what to do where the machine refuses the sandbox (default try)\n"
         "  --version          the version; an identity: the same one makes the same of the same files, or fails\n"
         "                     alike; the number of what imports make, and the identity of the libraries: where both "
         "are\n"
         "                     the same, a model that was made is the same\n"
         "  --attempt NAME     instead of an import: enter the sandbox, try the forbidden call NAME, say how it went;\n"
         "                     'list' names them all, 'report' says what the sandbox consists of");
    for (int i = 0; i < LIMIT_COUNT; i++)
        if (LIMIT_INFO[i].option[0] != '\0')
            printf("  --%-16s %s (%s; default %llu)\n", LIMIT_INFO[i].option, LIMIT_INFO[i].text, LIMIT_INFO[i].unit,
                   (unsigned long long)LIMIT_INFO[i].initial);
}

/* The disk cache keeps models made by importers with the same number and libraries. posectl remembers failures of an
 * importer with the same identity. */
static int print_version(void)
{
    char identity[IDENTITY_SIZE], libraries[IDENTITY_SIZE];
    struct err err;
    if (importer_load_libraries(&err) < 0) {
        fprintf(stderr, "posed-import: %s\n", err.message);
        return -1;
    }
    identity_make(identity);
    identity_make_of_libraries(libraries);
    printf("posed-import " POSED_RELEASE " %s import %d libraries %s\n", identity, IMPORT_VERSION, libraries);
    return 1;
}

static int usage_error(const char *what, const char *argument)
{
    fprintf(stderr, "posed-import: %s '%s'; see --help\n", what, argument);
    return -1;
}

struct arguments {
    struct importer_options options;
    bool is_fork_server, has_libraries;
    const char *attempt; /* or NULL */
    const char *path;
};

static int parse_option(const char *option, const char *text, struct arguments *out)
{
    if (text == NULL)
        return usage_error("no value for option", option);
    if (strcmp(option, "attempt") == 0) {
        out->attempt = text;
        return 0;
    }
    if (strcmp(option, "sandbox") == 0)
        return sandbox_mode_read(text, &out->options.sandbox) ? 0 : usage_error("not one of " SANDBOX_MODES ":", text);
    const int limit = limits_find(option);
    if (limit < 0)
        return usage_error("unknown option", option);
    char *end = NULL;
    errno = 0;
    const unsigned long long value = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0)
        return usage_error("not a number:", text);
    out->options.limits.value[limit] = value;
    return 0;
}

/* Returns 0, -1 after an error message, or 1 after help or version was printed. */
static int parse_arguments(char **argv, struct arguments *out)
{
    *out = (struct arguments){.options.sandbox = SANDBOX_TRY};
    limits_default(&out->options.limits);
    int i = 1;
    for (; argv[i] != NULL && strncmp(argv[i], "--", 2) == 0; i += 2) {
        if (strcmp(argv[i], "--help") == 0) {
            print_help();
            return 1;
        }
        if (strcmp(argv[i], "--version") == 0) {
            return print_version();
        }
        if (strcmp(argv[i], "--fork-server") == 0 || strcmp(argv[i], "--libraries") == 0) {
            out->is_fork_server = out->is_fork_server || strcmp(argv[i], "--fork-server") == 0;
            out->has_libraries = out->has_libraries || strcmp(argv[i], "--libraries") == 0;
            i--; /* they have no value */
            continue;
        }
        if (argv[i][2] == '\0') {
            i++;
            break;
        }
        if (parse_option(argv[i] + 2, argv[i + 1], out) < 0)
            return -1;
    }
    if (argv[i] == NULL && out->attempt == NULL && !out->is_fork_server)
        return usage_error("no model path among the arguments of", argv[0]);
    if (argv[i] != NULL && argv[i + 1] != NULL)
        return usage_error("one model path at a time; too many arguments:", argv[i + 1]);
    out->path = argv[i];
    return 0;
}

/* Runs one process like those of the fork server, but without it, for people and tests. */
static int run_alone(const struct arguments *arguments)
{
    struct sandbox sandbox;
    struct err err = {0};
    if (importer_load_libraries(&err) < 0 ||
        importer_settle(&arguments->options, IMPORT_RESULT_FD, &sandbox, &err) < 0) {
        fprintf(stderr, "posed-import: %s\n", err.message);
        return EXIT_USAGE;
    }
    return arguments->attempt != NULL ? importer_attempt(&arguments->options, &sandbox, arguments->attempt)
                                      : importer_run(&arguments->options, &sandbox, arguments->path);
}

static int serve_forks(const struct arguments *arguments)
{
    struct err err;
    if (!arguments->has_libraries || importer_load_libraries(&err) == 0)
        return fork_server_run(&arguments->options);
    fprintf(stderr, "posed-import: %s\n", err.message);
    return EXIT_USAGE;
}

int main(int argc, char **argv)
{
    struct arguments arguments;
    const int parsed = argc > 0 ? parse_arguments(argv, &arguments) : -1;
    if (parsed != 0)
        return parsed > 0 ? EXIT_BAKED : EXIT_USAGE;
    if (arguments.is_fork_server)
        _exit(serve_forks(&arguments)); /* what the C library does at an end is done by the kernel */
    if (arguments.attempt != NULL && strcmp(arguments.attempt, "list") == 0) {
        attempt_list();
        return EXIT_BAKED;
    }
    return run_alone(&arguments);
}
