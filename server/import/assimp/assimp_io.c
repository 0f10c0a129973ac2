/* assimp_io.c - loads a file with assimp, whose view of files is the model's source files and nothing else. */
#include "import/assimp/assimp.h"
#include "import/assimp/assimp_mend.h"
#include "import/collada/collada.h"
#include "import/text/text_utf8.h"

#include "base/mem.h"

#include <assimp/cfileio.h>
#include <assimp/cimport.h>
#include <assimp/config.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* One load. Reading only: files opened for writing are refused. */
struct assimp_io {
    struct aiFileIO io; /* what assimp takes; its user data is this struct */
    struct source_files *files;
    const char *file; /* the one that is loaded: some readers put its ending in lower case, and still mean this one */
};

struct open_file {
    struct aiFile file;
    const uint8_t *bytes; /* borrowed from the source files, or `own` */
    size_t size_bytes, at;
    uint8_t *own; /* text that had a byte order mark or a <skew>, or was mended, or NULL */
};

static struct open_file *of(struct aiFile *file) { return (struct open_file *)(void *)file->UserData; }

static size_t read_items(struct aiFile *file, char *out, size_t item_bytes, size_t count)
{
    struct open_file *open = of(file);
    if (item_bytes == 0)
        return 0;
    const size_t whole = (open->size_bytes - open->at) / item_bytes;
    if (count > whole)
        count = whole;
    memcpy(out, open->bytes + open->at, count * item_bytes);
    open->at += count * item_bytes;
    return count;
}

static size_t write_items(struct aiFile *file, const char *bytes, size_t item_bytes, size_t count)
{
    (void)file;
    (void)bytes;
    (void)item_bytes;
    (void)count;
    return 0;
}

static size_t tell(struct aiFile *file) { return of(file)->at; }
static size_t file_size(struct aiFile *file) { return of(file)->size_bytes; }
static void flush(struct aiFile *file) { (void)file; }

/* Offsets are unsigned; a negative one arrives wrapped around, which the addition undoes. */
static enum aiReturn seek(struct aiFile *file, size_t offset, enum aiOrigin origin)
{
    struct open_file *open = of(file);
    const size_t base = origin == aiOrigin_SET ? 0 : origin == aiOrigin_CUR ? open->at : open->size_bytes;
    const size_t at = base + offset;
    if (at > open->size_bytes)
        return aiReturn_FAILURE;
    open->at = at;
    return aiReturn_SUCCESS;
}

static bool ends_in(const char *name, const char *ending)
{
    const size_t length = strlen(name), size = strlen(ending);
    return length >= size && strcasecmp(name + length - size, ending) == 0;
}

/* Our own COLLADA reader gets the file unchanged, and its transforms count. */
static void hide_skew(struct open_file *open)
{
    if (!collada_has_skew(open->bytes, open->size_bytes))
        return;
    if (open->own == NULL) {
        open->own = mem_zalloc(open->size_bytes + 1, 1);
        memcpy(open->own, open->bytes, open->size_bytes);
        open->bytes = open->own;
    }
    collada_remove_skew(open->own, open->size_bytes);
}

static void mend(struct open_file *open, const char *name)
{
    uint8_t *mended = NULL;
    if (!(ends_in(name, ".ifc") && assimp_mend_ifc(open->bytes, open->size_bytes, &mended, &open->size_bytes)) &&
        !(ends_in(name, ".ogex") && assimp_mend_ogex(open->bytes, open->size_bytes, &mended, &open->size_bytes)))
        return;
    free(open->own);
    open->bytes = open->own = mended;
}

/* FBX is read by posed's own reader only: assimp's would take it under another format's ending, where its readers of
 * that ending refuse the content, and as an object of a scene. */
static bool is_fbx(const uint8_t *bytes, size_t size_bytes)
{
    struct err err;
    return format_check(file_format_of("a.fbx"), bytes, size_bytes, &err) == 0;
}

static struct aiFile *open_proc(struct aiFileIO *io, const char *path, const char *mode)
{
    const struct assimp_io *own = (const struct assimp_io *)(void *)io->UserData;
    const char *name = strcasecmp(path, own->file) == 0 ? own->file : path;
    const uint8_t *bytes;
    size_t size_bytes;
    struct err err;
    if (strpbrk(mode, "wa+") != NULL ||
        source_files_read(own->files, name, SOURCE_COMPANION, &bytes, &size_bytes, &err) < 0 ||
        is_fbx(bytes, size_bytes))
        return NULL;
    struct open_file *open = mem_zalloc(1, sizeof *open);
    open->bytes = bytes;
    open->size_bytes = size_bytes;
    if (text_to_utf8(bytes, size_bytes, &open->own, &open->size_bytes))
        open->bytes = open->own;
    if (ends_in(name, ".dae"))
        hide_skew(open);
    mend(open, name);
    open->file = (struct aiFile){
        .ReadProc = read_items,
        .WriteProc = write_items,
        .TellProc = tell,
        .FileSizeProc = file_size,
        .SeekProc = seek,
        .FlushProc = flush,
        .UserData = (aiUserData)(void *)open,
    };
    return &open->file;
}

static void close_proc(struct aiFileIO *io, struct aiFile *file)
{
    (void)io;
    free(of(file)->own);
    free(of(file));
}

bool assimp_is_format(const struct assimp_job *job, const char *endings)
{
    const size_t length = strlen(job->ending);
    for (const char *ending = endings; length > 0 && *ending != '\0'; ending += strspn(ending, " ")) {
        const size_t size = strcspn(ending, " ");
        if (size == length && memcmp(ending, job->ending, size) == 0)
            return true;
        ending += size;
    }
    return false;
}

const struct aiScene *assimp_load(struct import *import, const char *file, unsigned steps, bool by_name)
{
    struct assimp_io io = {.io = {.OpenProc = open_proc, .CloseProc = close_proc, .UserData = (aiUserData)(void *)&io},
                           .files = import->files,
                           .file = file};
    struct aiPropertyStore *settings = aiCreatePropertyStore();
    aiSetImportPropertyInteger(settings, AI_CONFIG_IMPORT_NO_SKELETON_MESHES, 1);
    aiSetImportPropertyInteger(settings, AI_CONFIG_IMPORT_MD5_NO_ANIM_AUTOLOAD, 1);
    aiSetImportPropertyInteger(settings, AI_CONFIG_IMPORT_COLLADA_USE_COLLADA_NAMES, by_name);
    const struct aiScene *scene = aiImportFileExWithProperties(file, steps, &io.io, settings);
    aiReleasePropertyStore(settings);
    return scene;
}
