/* posed-import: one model file to one baked model (worker/import_result.h), then it ends. */
#include "content_hash.h"
#include "formats.h"
#include "identity.h"
#include "import.h"
#include "text_utf8.h"

#include "../base/version.h"
#include "../worker/import_result.h"
#include "../worker/limits.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_BAKED = 0, EXIT_REFUSED = 1, EXIT_USAGE = 2 };

/* The result is a little larger than the arrays it is made of. */
static const uint64_t RESULT_SLACK_BYTES = 1 << 20;
enum { OPEN_FILES_MAX = 64 };

static void print_help(void)
{
    puts("usage: posed-import [--LIMIT N ...] PATH 3<ROOT 4<>RESULT\n"
         "Reads the model PATH beneath the directory ROOT (file descriptor 3) and writes it, baked, to RESULT (file\n"
         "descriptor 4), or why it cannot. posed starts it for each model, so that no file can harm the server.\n"
         "Exit status: 0 = baked, 1 = refused with a reason in RESULT, 2 = wrong arguments.\n"
         "--version prints the version and an identity: the same one makes the same of the same files.\n");
    for (int i = 0; i < LIMIT_COUNT; i++)
        if (LIMIT_INFO[i].option[0] != '\0')
            printf("  --%-16s %s (%s; default %llu)\n", LIMIT_INFO[i].option, LIMIT_INFO[i].text, LIMIT_INFO[i].unit,
                   (unsigned long long)LIMIT_INFO[i].initial);
}

/* The disk cache keeps what an importer of the same identity made. */
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

static int parse_limit(const char *option, const char *text, struct limits *limits)
{
    const int limit = limits_find(option);
    if (limit < 0)
        return usage_error("unknown option", option);
    if (text == NULL)
        return usage_error("no value for option", option);
    char *end = NULL;
    errno = 0;
    const unsigned long long value = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0)
        return usage_error("not a number:", text);
    limits->value[limit] = value;
    return 0;
}

/* Fills limits and *path. Returns 0, -1 (said why), or 1 when help or version was asked for and given. */
static int parse_arguments(char **argv, struct limits *limits, const char **path)
{
    *path = NULL;
    limits_default(limits);
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
        if (parse_limit(argv[i] + 2, argv[i + 1], limits) < 0)
            return -1;
    }
    if (argv[i] == NULL)
        return usage_error("no model path among the arguments of", argv[0]);
    if (argv[i + 1] != NULL)
        return usage_error("one model path at a time; too many arguments:", argv[i + 1]);
    *path = argv[i];
    return 0;
}

/* What a file says nothing about. */
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

static int bake(struct import *import, struct buf *out, struct err *err)
{
    const struct format *format = format_of_path(import->path);
    if (format == NULL)
        return err_set(err, ERR_UNKNOWN_FORMAT, "no importer knows this file's ending");
    if (opener_read_model(import->opener, &import->bytes, &import->size_bytes, err) < 0)
        return err->code;
    uint8_t *text = NULL; /* ends with the process */
    if (format->reader == READER_ASSIMP && text_to_utf8(import->bytes, import->size_bytes, &text, &import->size_bytes))
        import->bytes = text;
    if (format_check(format, import->bytes, import->size_bytes, err) < 0)
        return err->code;
    import->info = add_info(import->builder);
    if (import->info == NULL)
        return err_set(err, ERR_IMPORT_MEMORY, "the importer ran out of memory");
    import->info->format = bake_textz(import->builder, format->name);
    const int rc = format->reader == READER_GLTF ? import_gltf(import, err) : import_assimp(import, err);
    if (rc < 0 || bake_finish(import->builder, err) < 0)
        return err->code;
    uint8_t hash[sizeof import->info->content_hash];
    content_hash(import->builder, hash);
    memcpy(import->builder->infos[0].content_hash, hash, sizeof hash);
    opener_record(import->opener, import->builder);
    return bake_encode(import->builder, out, err);
}

static int write_result(const void *bytes, size_t size_bytes)
{
    const char *at = bytes;
    while (size_bytes > 0) {
        const ssize_t n = write(IMPORT_RESULT_FD, at, size_bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            fprintf(stderr, "posed-import: cannot write the result: %s\n", strerror(errno));
            return -1;
        }
        at += n;
        size_bytes -= (size_t)n;
    }
    return 0;
}

static int refuse(const struct err *err)
{
    struct import_failure failure = {.number = (uint32_t)-err->code};
    memcpy(failure.magic, IMPORT_FAILURE_MAGIC, sizeof failure.magic);
    memcpy(failure.message, err->message, sizeof failure.message);
    fprintf(stderr, "posed-import: %s\n", err->message);
    return write_result(&failure, sizeof failure) < 0 ? EXIT_USAGE : EXIT_REFUSED;
}

static int limit_self(const struct limits *limits, struct err *err)
{
    const struct worker_limits own = {
        .cpu_s = limits->value[LIMIT_IMPORT_CPU_S],
        .memory_bytes = limits->value[LIMIT_IMPORT_MEMORY_BYTES],
        .file_bytes = limits->value[LIMIT_BAKED_BYTES] + RESULT_SLACK_BYTES,
        .open_files = OPEN_FILES_MAX,
    };
    return worker_limit(&own, err);
}

int main(int argc, char **argv)
{
    struct limits limits;
    const char *path;
    const int parsed = argc > 0 ? parse_arguments(argv, &limits, &path) : -1;
    if (parsed != 0)
        return parsed > 0 ? EXIT_BAKED : EXIT_USAGE;

    struct err err = {0};
    struct bake_builder builder;
    struct buf out;
    bake_builder_init(&builder, limits.value[LIMIT_BAKED_BYTES]);
    buf_init(&out, limits.value[LIMIT_BAKED_BYTES]);
    struct import import = {
        .path = path,
        .opener = opener_new(IMPORT_ROOT_FD, path, &limits),
        .builder = &builder,
        .limits = &limits,
    };
    int status;
    if (limit_self(&limits, &err) < 0 || bake(&import, &out, &err) < 0) {
        err_prefix(&err, "%s", path);
        status = refuse(&err);
    } else {
        status = write_result(out.data, out.size_bytes) < 0 ? EXIT_USAGE : EXIT_BAKED;
    }
    buf_fini(&out);
    bake_builder_fini(&builder);
    opener_free(import.opener);
    return status;
}
