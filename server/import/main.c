/* posed-import: one model file to one baked model (worker/import_result.h), then it ends. */
#include "import/source/file_client.h"
#include "import/source/import.h"
#include "import/text/text_utf8.h"

#include "base/mem.h"
#include "base/version.h"
#include "worker/attempt.h"
#include "worker/import_result.h"
#include "worker/resource_limits.h"
#include "worker/sandbox.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { EXIT_BAKED = 0, EXIT_REFUSED = 1, EXIT_USAGE = 2 };

/* The result is a little larger than the arrays it is made of. */
static const uint64_t RESULT_SLACK_BYTES = 1 << 20;
enum { OPEN_FILES_MAX = 64 };

static void print_help(void)
{
    puts(
        "usage: posed-import [--LIMIT N ...] PATH 3<>FILES 4<>RESULT\n"
        "Reads the model PATH and writes it, baked, to RESULT (file descriptor 4), or why it cannot. Opens nothing:\n"
        "posed, which starts it for each model so that no file can harm the server, hands it files through the socket\n"
        "FILES (file descriptor 3). Exit status: 0 = baked, 1 = refused with a reason in RESULT, 2 = it cannot "
        "work.\n\n"
        "  --sandbox MODE     " SANDBOX_MODES ": what to do where the machine refuses the sandbox (default try)\n"
        "  --version          the version and an identity: the same one makes the same of the same files\n"
        "  --attempt NAME     instead of an import: enter the sandbox, try the forbidden call NAME, say how it went;\n"
        "                     'list' names them all, 'report' says what the sandbox consists of");
    for (int i = 0; i < LIMIT_COUNT; i++)
        if (LIMIT_INFO[i].option[0] != '\0')
            printf("  --%-16s %s (%s; default %llu)\n", LIMIT_INFO[i].option, LIMIT_INFO[i].text, LIMIT_INFO[i].unit,
                   (unsigned long long)LIMIT_INFO[i].initial);
}

/* The disk cache keeps the models of importers with the same identity. */
static void print_version(void)
{
    char identity[IDENTITY_SIZE];
    identity_make(identity);
    printf("posed-import " POSED_VERSION " %s\n", identity);
}

static int usage_error(const char *what, const char *argument)
{
    fprintf(stderr, "posed-import: %s '%s'; see --help\n", what, argument);
    return -1;
}

struct arguments {
    struct limits limits;
    enum sandbox_mode sandbox;
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
        return sandbox_mode_read(text, &out->sandbox) ? 0 : usage_error("not one of " SANDBOX_MODES ":", text);
    const int limit = limits_find(option);
    if (limit < 0)
        return usage_error("unknown option", option);
    char *end = NULL;
    errno = 0;
    const unsigned long long value = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0)
        return usage_error("not a number:", text);
    out->limits.value[limit] = value;
    return 0;
}

/* Returns 0, -1 (said why), or 1 when help or version was asked for and given. */
static int parse_arguments(char **argv, struct arguments *out)
{
    *out = (struct arguments){.sandbox = SANDBOX_TRY};
    limits_default(&out->limits);
    int i = 1;
    for (; argv[i] != NULL && strncmp(argv[i], "--", 2) == 0; i += 2) {
        if (strcmp(argv[i], "--help") == 0) {
            print_help();
            return 1;
        }
        if (strcmp(argv[i], "--version") == 0) {
            print_version();
            return 1;
        }
        if (argv[i][2] == '\0') {
            i++;
            break;
        }
        if (parse_option(argv[i] + 2, argv[i + 1], out) < 0)
            return -1;
    }
    if (argv[i] == NULL && out->attempt == NULL)
        return usage_error("no model path among the arguments of", argv[0]);
    if (argv[i] != NULL && argv[i + 1] != NULL)
        return usage_error("one model path at a time; too many arguments:", argv[i + 1]);
    out->path = argv[i];
    return 0;
}

/* The values of a file that does not give them. */
static struct model_info *add_info(struct bake_builder *builder)
{
    struct model_info *info = bake_add_info(builder, 1);
    if (info == NULL)
        return NULL;
    info->format = info->generator = (struct str){.offset = STR_NONE};
    info->up[1] = 1;
    info->forward[2] = 1;
    info->unit_m = 1;
    return info;
}

static int bake(struct import *import, struct err *err)
{
    const struct file_format *format = file_format_of(import->path);
    if (format == NULL)
        return err_set(err, ERR_UNKNOWN_FORMAT, "no importer knows this file's ending");
    if (source_files_read_model(import->files, &import->bytes, &import->size_bytes, err) < 0)
        return err->code;
    uint8_t *text = NULL; /* freed when the process ends */
    if (format->reader != READER_GLTF && text_to_utf8(import->bytes, import->size_bytes, &text, &import->size_bytes))
        import->bytes = text;
    if (format_check(format, import->bytes, import->size_bytes, err) < 0)
        return err->code;
    import->info = add_info(import->builder);
    if (import->info == NULL)
        return import_full(import, err);
    import->info->format = bake_textz(import->builder, format->name);
    static int (*const READERS[])(struct import *, struct err *) = {[READER_GLTF] = import_gltf,
                                                                    [READER_FBX] = import_fbx,
                                                                    [READER_COLLADA] = import_collada,
                                                                    [READER_ASSIMP] = import_assimp};
    const int rc = READERS[format->reader](import, err);
    return rc < 0 ? rc : import_finish(import, err);
}

/* A bake_sink that writes to the file descriptor of the daemon. `context` is a bool: whether writing failed. */
static int put_in_result(void *context, const void *bytes, size_t size_bytes, struct err *err)
{
    const char *at = bytes;
    while (size_bytes > 0) {
        const ssize_t n = write(IMPORT_RESULT_FD, at, size_bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            *(bool *)context = true;
            return err_set(err, ERR_INTERNAL, "cannot write the result: %s", strerror(errno));
        }
        at += n;
        size_bytes -= (size_t)n;
    }
    return 0;
}

/* Writes the files of an archive, or the model. *is_stuck: the result cannot be written, so neither can an error. */
static int make_result(struct import *import, bool *is_stuck, struct err *err)
{
    const struct bake_sink sink = {.put = put_in_result, .context = is_stuck};
    if (!zip_unpack_is_zip(import->path))
        return bake(import, err) < 0 ? err->code : bake_write(import->builder, &sink, err);
    struct buf files;
    buf_init(&files, import->limits->value[LIMIT_BAKED_BYTES]);
    int rc = source_files_read_model(import->files, &import->bytes, &import->size_bytes, err);
    if (rc == 0)
        rc = zip_unpack(import, &files, err);
    if (rc == 0)
        rc = sink.put(sink.context, files.data, files.size_bytes, err);
    buf_fini(&files);
    return rc;
}

static int refuse(const struct err *err)
{
    struct import_failure failure = {.number = (uint32_t)-err->code};
    struct err why;
    bool is_stuck = false;
    memcpy(failure.magic, IMPORT_FAILURE_MAGIC, sizeof failure.magic);
    memcpy(failure.message, err->message, sizeof failure.message);
    fprintf(stderr, "posed-import: %s\n", err->message);
    if (put_in_result(&is_stuck, &failure, sizeof failure, &why) == 0)
        return EXIT_REFUSED;
    fprintf(stderr, "posed-import: %s\n", why.message);
    return EXIT_USAGE;
}

/* Set before the import starts, for refuse_for_memory(). */
static const struct arguments *running;

/* Adds what the place of the error did not know: the limit of memory, and the model. */
static void complete_error(const struct arguments *arguments, struct err *err)
{
    char message[ERR_MESSAGE_SIZE];
    if (err->code == ERR_IMPORT_MEMORY) {
        snprintf(message, sizeof message, "%s", err->message);
        err_set(err, err->code, "%s, of which it may have %s", message,
                LIMIT_TEXT(&arguments->limits, LIMIT_IMPORT_MEMORY_BYTES));
    }
    err_prefix(err, "%s", arguments->path);
}

/* For mem_set_exhausted(): ends the import from wherever it is. */
static void refuse_for_memory(void)
{
    struct err err = {0};
    err_set(&err, ERR_IMPORT_MEMORY, "the importer ran out of memory");
    complete_error(running, &err);
    _exit(refuse(&err));
}

/* limits_text: filled with what they are, or NULL. */
static int confine_self(const struct arguments *arguments, struct sandbox *sandbox, char *limits_text, struct err *err)
{
    const uint64_t *limits = arguments->limits.value;
    const struct resource_limits own = {
        .cpu_s = limits[LIMIT_IMPORT_CPU_S],
        .memory_bytes = limits[LIMIT_IMPORT_MEMORY_BYTES],
        .file_bytes = limits[LIMIT_BAKED_BYTES] + RESULT_SLACK_BYTES,
        .open_files = OPEN_FILES_MAX,
        .last_fd = IMPORT_RESULT_FD,
    };
    *sandbox = (struct sandbox){.program = SANDBOX_IMPORT, .mode = arguments->sandbox};
    if (resource_limits_set(&own, err) < 0)
        return err->code;
    if (limits_text != NULL)
        resource_limits_text(limits_text);
    sandbox_isolate(sandbox);
    return sandbox_enter(sandbox, err);
}

static int run_attempt(const struct arguments *arguments)
{
    struct sandbox sandbox;
    char limits[RESOURCE_LIMITS_TEXT_SIZE];
    struct err err = {0};
    if (strcmp(arguments->attempt, "list") == 0) {
        attempt_list();
        return EXIT_BAKED;
    }
    if (confine_self(arguments, &sandbox, limits, &err) < 0) {
        fprintf(stderr, "posed-import: %s\n", err.message);
        return EXIT_USAGE;
    }
    sandbox_report(&sandbox, limits);
    return attempt(arguments->attempt) ? EXIT_BAKED : EXIT_USAGE;
}

static int run_import(const struct arguments *arguments)
{
    static const int files = IMPORT_FILES_FD;
    running = arguments;
    mem_set_exhausted(refuse_for_memory);
    const struct file_client source = file_client_on_socket(&files);
    struct err err = {0};
    struct bake_builder builder;
    bake_builder_init(&builder, arguments->limits.value[LIMIT_BAKED_BYTES]);
    struct import import = {
        .path = arguments->path,
        .files = source_files_new(&source, arguments->path, &arguments->limits),
        .builder = &builder,
        .limits = &arguments->limits,
    };
    int status = EXIT_BAKED;
    bool is_stuck = false;
    if (make_result(&import, &is_stuck, &err) < 0) {
        complete_error(arguments, &err);
        status = is_stuck ? EXIT_USAGE : refuse(&err);
        if (is_stuck)
            fprintf(stderr, "posed-import: %s\n", err.message);
    }
    bake_builder_fini(&builder);
    source_files_free(import.files);
    return status;
}

int main(int argc, char **argv)
{
    struct arguments arguments;
    const int parsed = argc > 0 ? parse_arguments(argv, &arguments) : -1;
    if (parsed != 0)
        return parsed > 0 ? EXIT_BAKED : EXIT_USAGE;
    if (arguments.attempt != NULL)
        return run_attempt(&arguments);
    struct sandbox sandbox;
    struct err err = {0};
    /* libzip asks for local times, for which the C library reads a file: once, before the sandbox forbids it */
    setenv("TZ", "UTC0", 1);
    tzset();
    if (confine_self(&arguments, &sandbox, NULL, &err) < 0) {
        fprintf(stderr, "posed-import: %s\n", err.message);
        return EXIT_USAGE;
    }
    return run_import(&arguments);
}
