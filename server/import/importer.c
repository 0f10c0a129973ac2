/* importer.c - one import, from a path to the sealed result, and how the process drops the rights that it does not
 * need. */
#include "import/importer.h"

#include "import/hitboxes/hitboxes.h"
#include "import/source/file_client.h"
#include "import/source/import.h"
#include "import/text/text_utf8.h"
#include "import/texture/texture_tiff.h"

#include "base/mem.h"
#include "base/version.h"
#include "worker/attempt.h"
#include "worker/import_result.h"
#include "worker/resource_limits.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The result is a little larger than the arrays it is made of. */
static const uint64_t RESULT_SLACK_BYTES = 1 << 20;
enum { OPEN_FILES_MAX = 64 };

int importer_settle(const struct importer_options *options, int last_fd, struct sandbox *sandbox, struct err *err)
{
    *sandbox = (struct sandbox){.program = SANDBOX_IMPORT, .mode = options->sandbox};
    /* libzip asks for local times, for which the C library reads a file: once, before the sandbox forbids it */
    setenv("TZ", "UTC0", 1);
    tzset();
    if (resource_limits_settle(last_fd, err) < 0)
        return err->code;
    /* a fork server and its importers are one session; among them, it goes first: see confine() */
    resource_limits_yield_session();
    sandbox_isolate(sandbox);
    sandbox_settle(sandbox);
    return 0;
}

/* `limits_text` receives the limits as text, or is NULL. */
static int confine(const struct importer_options *options, struct sandbox *sandbox, char *limits_text, struct err *err)
{
    const uint64_t *limits = options->limits.value;
    const struct resource_limits own = {
        .cpu_s = limits[LIMIT_IMPORT_CPU_S],
        .memory_bytes = limits[LIMIT_IMPORT_MEMORY_BYTES],
        .file_bytes = limits[LIMIT_BAKED_BYTES] + RESULT_SLACK_BYTES,
        .open_files = OPEN_FILES_MAX,
    };
    if (resource_limits_yield(false, err) < 0 || resource_limits_set(&own, err) < 0)
        return err->code;
    if (limits_text != NULL)
        resource_limits_text(limits_text);
    return sandbox_enter(sandbox, err);
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

/* The symbol import_assimp() of a library that lies beside the program. */
static int (*read_by_assimp)(struct import *import, struct err *err);

static int load_assimp(struct err *err)
{
    static const char NAME[] = "posed-assimp.so";
    char path[PATH_MAX + sizeof NAME];
    const ssize_t length = readlink("/proc/self/exe", path, PATH_MAX);
    if (length <= 0)
        return err_set(err, ERR_INTERNAL, "cannot load assimp: /proc/self/exe: %s", strerror(errno));
    path[length] = '\0'; /* the linker's $ORIGIN is another's where sanitizers take the call first */
    strcpy(strrchr(path, '/') + 1, NAME);
    void *library = dlopen(path, RTLD_NOW);
    void *symbol = library != NULL ? dlsym(library, "import_assimp") : NULL;
    if (symbol == NULL)
        return err_set(err, ERR_INTERNAL, "cannot load assimp: %s", dlerror());
    memcpy(&read_by_assimp, &symbol, sizeof symbol); /* C has no cast from a pointer to data to one to a function */
    return 0;
}

int importer_load_libraries(struct err *err)
{
    tiff_load();
    return load_assimp(err);
}

static int import_by_assimp(struct import *import, struct err *err)
{
    return read_by_assimp != NULL ? read_by_assimp(import, err)
                                  : err_set(err, ERR_INTERNAL, "this importer was made without assimp");
}

static int bake(struct import *import, struct err *err)
{
    const struct file_format *format = file_format_of(import->path);
    if (format == NULL)
        format = file_format_of_environment(import->path);
    if (format == NULL)
        return file_format_unknown(import->path, err);
    if (source_files_read_model(import->files, &import->bytes, &import->size_bytes, err) < 0)
        return err->code;
    uint8_t *text = NULL; /* freed when the process ends */
    const bool may_be_text = format->reader != READER_GLTF && format->reader != READER_RADIANCE;
    if (may_be_text && text_to_utf8(import->bytes, import->size_bytes, &text, &import->size_bytes))
        import->bytes = text;
    if (format_check(format, import->bytes, import->size_bytes, err) < 0)
        return err->code;
    import->info = add_info(import->builder);
    if (import->info == NULL)
        return import_full(import, err);
    import->info->format = bake_textz(import->builder, format->name);
    static int (*const READERS[])(struct import *, struct err *) = {
        [READER_GLTF] = import_gltf,       [READER_FBX] = import_fbx, [READER_COLLADA] = import_collada,
        [READER_BVH] = import_bvh,         [READER_OBJ] = import_obj, [READER_THREEMF] = import_threemf,
        [READER_OGRE] = import_ogre,       [READER_MD2] = import_md2, [READER_PLY] = import_ply,
        [READER_STL] = import_stl,         [READER_X3D] = import_x3d, [READER_RADIANCE] = import_environment,
        [READER_ASSIMP] = import_by_assimp};
    const int rc = READERS[format->reader](import, err);
    const bool has_nodes = rc == 0 && format->reader != READER_RADIANCE;
    if (rc < 0 || (has_nodes && import_hitboxes(import, err) < 0))
        return err->code;
    return import_finish(import, err);
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
    if (!zip_unpack_is_zip(import->path)) {
        const int made = bake(import, err);
        if (source_files_check(import->files, err) < 0 || made < 0)
            return err->code;
        return bake_write(import->builder, &sink, err);
    }
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

/* The current import, for refuse_for_memory(). */
static struct {
    const struct importer_options *options;
    const char *path;
} running;

/* Adds facts unknown where the error occurred: the memory limit and the model. */
static void complete_error(struct err *err)
{
    char message[ERR_MESSAGE_SIZE];
    if (err->code == ERR_IMPORT_MEMORY) {
        snprintf(message, sizeof message, "%s", err->message);
        err_set(err, err->code, "%s, of which it may have %s", message,
                LIMIT_TEXT(&running.options->limits, LIMIT_IMPORT_MEMORY_BYTES));
    }
    err_prefix(err, "%s", running.path);
}

/* For mem_set_exhausted(): ends the import at any point. */
static void refuse_for_memory(void)
{
    struct err err = {0};
    err_set(&err, ERR_IMPORT_MEMORY, "the importer ran out of memory");
    complete_error(&err);
    _exit(refuse(&err));
}

static int import(const struct importer_options *options, const char *path)
{
    static const int files = IMPORT_FILES_FD;
    running.options = options;
    running.path = path;
    mem_set_exhausted(refuse_for_memory);
    const struct file_client source = file_client_on_socket(&files);
    struct err err = {0};
    struct bake_builder builder;
    bake_builder_init(&builder, options->limits.value[LIMIT_BAKED_BYTES]);
    struct import import = {
        .path = path,
        .files = source_files_new(&source, path, &options->limits),
        .builder = &builder,
        .limits = &options->limits,
    };
    int status = EXIT_BAKED;
    bool is_stuck = false;
    const int rc = make_result(&import, &is_stuck, &err);
    if (rc == ERR_UNAVAILABLE) {
        status = EXIT_NEEDS_LIBRARIES;
    } else if (rc < 0) {
        complete_error(&err);
        status = is_stuck ? EXIT_USAGE : refuse(&err);
        if (is_stuck)
            fprintf(stderr, "posed-import: %s\n", err.message);
    }
    bake_builder_fini(&builder);
    source_files_free(import.files);
    return status;
}

int importer_run(const struct importer_options *options, struct sandbox *sandbox, const char *path)
{
    struct err err = {0};
    if (confine(options, sandbox, NULL, &err) == 0)
        return import(options, path);
    fprintf(stderr, "posed-import: %s\n", err.message);
    return EXIT_USAGE;
}

int importer_attempt(const struct importer_options *options, struct sandbox *sandbox, const char *name)
{
    char limits[RESOURCE_LIMITS_TEXT_SIZE];
    struct err err = {0};
    if (confine(options, sandbox, limits, &err) < 0) {
        fprintf(stderr, "posed-import: %s\n", err.message);
        return EXIT_USAGE;
    }
    sandbox_report(sandbox, limits);
    return attempt(name) ? EXIT_BAKED : EXIT_USAGE;
}
