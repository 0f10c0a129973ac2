/* assimp_io.c - loads a file with assimp, which can open only the model's source files. */
#include "import/assimp/assimp.h"
#include "import/assimp/assimp_lwo.h"
#include "import/assimp/assimp_mend.h"
#include "import/source/source_path.h"
#include "import/source/source_search.h"
#include "import/text/text_utf8.h"

#include "base/mem.h"

#include <assimp/cfileio.h>
#include <assimp/cimport.h>
#include <assimp/config.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The state of one load. It is read-only and refuses to open files for writing. */
struct assimp_io {
    struct aiFileIO io; /* assimp's interface; its user data is this struct */
    struct import *import;
    const char *file; /* the loaded file; some readers ask for it with its extension in lower case */
};

struct open_file {
    struct aiFile file;
    const uint8_t *bytes; /* borrowed from the source files, or `own` */
    size_t size_bytes, at;
    uint8_t *own; /* text that had a byte order mark or was mended, or NULL */
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

/* Offsets are unsigned; a negative one wraps around, and the addition undoes that. */
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

/* Returns the document element without a namespace prefix; comments and declarations may precede it. */
static bool is_collada(const uint8_t *bytes, size_t size_bytes)
{
    static const char NAME[] = "COLLADA";
    const char *text = (const char *)bytes, *end = text + size_bytes;
    while ((text = memchr(text, '<', (size_t)(end - text))) != NULL && ++text < end)
        if ((*text >= 'A' && *text <= 'Z') || (*text >= 'a' && *text <= 'z')) {
            const char *name_end = text;
            while (name_end < end && strchr(" \t\r\n/>", *name_end) == NULL)
                name_end++;
            const char *colon = memchr(text, ':', (size_t)(name_end - text)), *name = colon != NULL ? colon + 1 : text;
            return (size_t)(name_end - name) == sizeof NAME - 1 && memcmp(name, NAME, sizeof NAME - 1) == 0;
        }
    return false;
}

static bool ends_in(const char *name, const char *extension)
{
    const size_t length = strlen(name), size = strlen(extension);
    return length >= size && strcasecmp(name + length - size, extension) == 0;
}

/* Disables the keyframer by an unknown chunk id, so that meshes keep the editor's positions. */
static void hide_keyframer(struct open_file *open)
{
    const size_t at = assimp_3ds_false_keyframer(open->bytes, open->size_bytes);
    if (at == 0)
        return;
    open->own = mem_alloc(open->size_bytes + 1);
    memcpy(open->own, open->bytes, open->size_bytes);
    open->own[at] = 0xff;
    open->bytes = open->own;
}

/* Converts LightWave objects without layers, also those that scenes refer to. */
static void add_layer(struct open_file *open)
{
    struct buf buf;
    struct err err;
    bool has_textures;
    buf_init(&buf, 0);
    if (assimp_lwo_convert(open->bytes, open->size_bytes, &buf, &has_textures, &err) > 0) {
        open->own = mem_alloc(buf.size_bytes + 1);
        memcpy(open->own, buf.data, buf.size_bytes);
        open->own[buf.size_bytes] = 0;
        open->bytes = open->own;
        open->size_bytes = buf.size_bytes;
    }
    buf_fini(&buf);
}

static void mend(struct open_file *open, const char *name)
{
    uint8_t *mended = NULL;
    if (!(ends_in(name, ".ifc") && assimp_mend_ifc(open->bytes, open->size_bytes, &mended, &open->size_bytes)) &&
        !(ends_in(name, ".x") && assimp_mend_x(open->bytes, open->size_bytes, &mended, &open->size_bytes)) &&
        !(ends_in(name, ".smd") && assimp_mend_smd(open->bytes, open->size_bytes, &mended, &open->size_bytes)) &&
        !(ends_in(name, ".ogex") && assimp_mend_ogex(open->bytes, open->size_bytes, &mended, &open->size_bytes)))
        return;
    free(open->own);
    open->bytes = open->own = mended;
}

/* Only posed's own readers read FBX, COLLADA, BVH and OBJ. assimp's would read the first three under another format's
 * extension if the reader of that extension refuses the content, and all of them as an object of a scene. */
static bool is_fbx(const uint8_t *bytes, size_t size_bytes)
{
    struct err err;
    return format_check(file_format_of("a.fbx"), bytes, size_bytes, &err) == 0;
}

static bool is_bvh(const uint8_t *bytes, size_t size_bytes)
{
    struct err err;
    return format_check(file_format_of("a.bvh"), bytes, size_bytes, &err) == 0;
}

/* 3MF is refused as well, because assimp's reader writes out of bounds. Only 3MF is a package with relationships, and a
 * zip shows the name of that part even if the part is compressed. */
static bool is_threemf(const uint8_t *bytes, size_t size_bytes)
{
    static const char NAME[] = "_rels/.rels";
    return size_bytes > 2 && memcmp(bytes, "PK", 2) == 0 && memmem(bytes, size_bytes, NAME, sizeof NAME - 1) != NULL;
}

/* Some readers derive names of further files from the model's name. */
static bool is_named(const struct import *import, const char *path)
{
    const char *name = source_path_base_name(path);
    return name[0] != '\0' && memmem(import->bytes, import->size_bytes, name, strlen(name)) != NULL;
}

/* assimp reads the model without missing files, or its own error names them. */
static int read_companion(struct import *import, const char *path, struct source_bytes *out)
{
    struct err err;
    if (!is_named(import, path))
        return source_search_guess(import, path, SOURCE_COMPANION, out, &err);
    if (strncmp(path, "./", 2) == 0) /* a second try of assimp's */
        path += 2;
    const int rc = source_search(import, path, SOURCE_COMPANION, out, &err);
    if (rc < 0 && rc != ERR_LFS_POINTER) /* source_files_warn() */
        bake_warn(import->builder, "companion_missing", "'%s': %s", path, err.message);
    return rc;
}

static int read_file(const struct assimp_io *io, const char *path, struct source_bytes *out)
{
    struct err err;
    if (strcasecmp(path, io->file) != 0)
        return read_companion(io->import, path, out);
    return source_files_read(io->import->files, io->file, SOURCE_COMPANION, &out->bytes, &out->size_bytes, &err);
}

static struct aiFile *open_proc(struct aiFileIO *io, const char *path, const char *mode)
{
    const struct assimp_io *own = (const struct assimp_io *)(void *)io->UserData;
    struct source_bytes from;
    if (strpbrk(mode, "wa+") != NULL || ends_in(path, ".obj") || read_file(own, path, &from) < 0 ||
        is_threemf(from.bytes, from.size_bytes) || is_fbx(from.bytes, from.size_bytes) ||
        is_collada(from.bytes, from.size_bytes) || is_bvh(from.bytes, from.size_bytes))
        return NULL;
    struct open_file *open = mem_zalloc(1, sizeof *open);
    open->bytes = from.bytes;
    open->size_bytes = from.size_bytes;
    if (text_to_utf8(from.bytes, from.size_bytes, &open->own, &open->size_bytes))
        open->bytes = open->own;
    if (ends_in(path, ".3ds") && open->own == NULL)
        hide_keyframer(open);
    if (ends_in(path, ".lwo") && open->own == NULL)
        add_layer(open);
    mend(open, path);
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

bool assimp_is_format(const struct assimp_job *job, const char *extensions)
{
    const size_t length = strlen(job->extension);
    for (const char *extension = extensions; length > 0 && *extension != '\0'; extension += strspn(extension, " ")) {
        const size_t size = strcspn(extension, " ");
        if (size == length && memcmp(extension, job->extension, size) == 0)
            return true;
        extension += size;
    }
    return false;
}

const struct aiScene *assimp_load(struct import *import, const char *file, unsigned steps)
{
    struct assimp_io io = {.io = {.OpenProc = open_proc, .CloseProc = close_proc, .UserData = (aiUserData)(void *)&io},
                           .import = import,
                           .file = file};
    struct aiPropertyStore *settings = aiCreatePropertyStore();
    aiSetImportPropertyInteger(settings, AI_CONFIG_IMPORT_NO_SKELETON_MESHES, 1);
    aiSetImportPropertyInteger(settings, AI_CONFIG_IMPORT_MD5_NO_ANIM_AUTOLOAD, 1);
    const struct aiScene *scene = aiImportFileExWithProperties(file, steps, &io.io, settings);
    aiReleasePropertyStore(settings);
    return scene;
}
