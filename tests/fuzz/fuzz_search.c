/* The search for files that a model names. The input is the model's path, three references and the names in every
 * folder, as texts separated by NULs. No crash; only normalised paths beneath the root are requested; folders are
 * listed as often as allowed and not more; a found file has an existing name. */
#include "base/limits.h"
#include "import/source/source_path.h"
#include "import/source/source_search.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { REFERENCES = 3, FILES_MAX = 64 };

struct world {
    const char *names; /* NUL-terminated */
    size_t names_bytes;
    uint32_t listings;
};

static void expect(bool is_right)
{
    if (!is_right)
        abort();
}

static void check_path(const char *path, bool is_folder)
{
    if (is_folder && strcmp(path, ".") == 0)
        return;
    for (const char *part = path;; part++) {
        const size_t bytes = strcspn(part, "/");
        expect(bytes > 0 && !(bytes == 1 && part[0] == '.') && !(bytes == 2 && memcmp(part, "..", 2) == 0));
        part += bytes;
        if (*part == '\0')
            return;
    }
}

static bool is_there(const struct world *world, const char *name)
{
    for (const char *at = world->names; at < world->names + world->names_bytes; at += strlen(at) + 1)
        if (strcmp(at, name) == 0)
            return true;
    return false;
}

static int memory_file(const char *bytes, size_t size)
{
    const int fd = memfd_create("names", MFD_CLOEXEC);
    expect(fd >= 0 && write(fd, bytes, size) == (ssize_t)size && lseek(fd, 0, SEEK_SET) == 0);
    return fd;
}

/* Every folder has the same names. Those with a dot are files and the others folders. */
static int ask(const void *context, const struct import_file_request *request, struct import_file_reply *reply)
{
    struct world *world = (struct world *)(uintptr_t)context;
    const char *slash = strrchr(request->path, '/');
    const char *name = slash != NULL ? slash + 1 : request->path;
    check_path(request->path, request->kind == IMPORT_FILE_LIST);
    *reply = (struct import_file_reply){.magic = IMPORT_FILES_MAGIC};
    if (request->kind == IMPORT_FILE_LIST) {
        expect(++world->listings <= IMPORT_FOLDERS_MAX);
        reply->stamp.inode = reply->names_bytes = world->names_bytes;
        return memory_file(world->names, world->names_bytes);
    }
    reply->error = !is_there(world, name) ? ENOENT : strchr(name, '.') == NULL ? ENXIO : 0;
    reply->stamp.inode = reply->error == 0;
    return reply->error == 0 ? memory_file("", 0) : -1;
}

static void search_one(struct import *import, const struct world *world, const char *reference)
{
    struct source_bytes found;
    struct err err;
    const int rc = source_search(import, reference, SOURCE_TEXTURE, &found, &err);
    expect(rc == 0 || rc == ERR_COMPANION_MISSING || rc == ERR_MODEL_LIMIT);
    expect((rc == 0) == (found.path != NULL));
    if (rc != 0)
        return;
    check_path(found.path, false);
    expect(is_there(world, source_path_base_name(found.path)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *copy = malloc(size + REFERENCES + 2);
    expect(copy != NULL);
    if (size > 0)
        memcpy(copy, data, size);
    memset(copy + size, 0, REFERENCES + 2);
    const char *end = copy + size, *texts[REFERENCES + 2], *at = copy;
    for (int i = 0; i < REFERENCES + 2; i++) {
        texts[i] = at;
        at = at + strlen(at) < end ? at + strlen(at) + 1 : end;
    }
    struct world world = {.names = texts[REFERENCES + 1]};
    for (at = world.names; at < end; at += strlen(at) + 1)
        world.names_bytes = (size_t)(at + strlen(at) + 1 - world.names);
    struct limits limits;
    limits_default(&limits);
    limits.value[LIMIT_SOURCE_FILES] = FILES_MAX;
    struct bake_builder builder;
    bake_builder_init(&builder, 1 << 20);
    const struct file_client client = {.ask = ask, .context = &world};
    struct import import = {.path = texts[0],
                            .files = source_files_new(&client, texts[0], &limits),
                            .builder = &builder,
                            .limits = &limits};
    (void)source_search_best(&import, texts + 1, REFERENCES, SOURCE_TEXTURE);
    for (int i = 1; i <= REFERENCES; i++)
        search_one(&import, &world, texts[i]);
    source_files_record(import.files, &builder);
    source_files_free(import.files);
    bake_builder_fini(&builder);
    free(copy);
    return 0;
}
