/* collada_archive.c - finds the document and the textures of a .zae. */
#include "import/collada_model/collada_archive.h"

#include "import/collada/collada_xml.h"
#include "import/collada_model/collada_image.h"
#include "import/source/source_path.h"
#include "import/texture/texture.h"

#include "base/mem.h"
#include "worker/archive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { PATH_MAX_BYTES = 1024 };

struct file {
    const char *name; /* [name_bytes] */
    size_t name_bytes;
    const uint8_t *bytes;
    size_t size_bytes;
};

static struct archive_header header_of(const struct collada_archive *archive)
{
    struct archive_header header = {0};
    if (archive->files.size_bytes >= sizeof header)
        memcpy(&header, archive->files.data, sizeof header);
    return header;
}

/* What zip_unpack() wrote in this process. */
static struct file file_of(const struct collada_archive *archive, uint32_t index)
{
    const struct archive_header header = header_of(archive);
    const char *entries = archive->files.data + sizeof header;
    const char *names = entries + header.count * sizeof(struct archive_entry);
    struct archive_entry entry;
    memcpy(&entry, entries + index * sizeof entry, sizeof entry);
    return (struct file){names + entry.name_offset, entry.name_bytes,
                         (const uint8_t *)names + header.names_bytes + entry.data_offset, (size_t)entry.size_bytes};
}

static bool ends_in(const struct file *file, const char *extension)
{
    const size_t size = strlen(extension);
    return file->name_bytes >= size && strncasecmp(file->name + file->name_bytes - size, extension, size) == 0;
}

static bool is_called(const struct file *file, const char *name)
{
    return file->name_bytes == strlen(name) && strncasecmp(file->name, name, file->name_bytes) == 0;
}

/* Joins folder and path in out[PATH_MAX_BYTES] and resolves "." and "..". Returns false if the path is too long or
 * leaves the archive. */
static bool join(const char *folder, size_t folder_bytes, const char *path, char *out)
{
    size_t size = folder_bytes;
    if (size + strlen(path) + 2 > PATH_MAX_BYTES)
        return false;
    memcpy(out, folder, size);
    while (*path != '\0') {
        const size_t part = strcspn(path, "/\\");
        if (part == 2 && path[0] == '.' && path[1] == '.') {
            if (size == 0)
                return false;
            for (size--; size > 0 && out[size - 1] != '/';)
                size--;
        } else if (part > 0 && !(part == 1 && path[0] == '.')) {
            memcpy(out + size, path, part);
            size += part;
            if (path[part] != '\0')
                out[size++] = '/';
        }
        path += part + (path[part] != '\0');
    }
    out[size] = '\0';
    return size > 0;
}

static int64_t find(const struct collada_archive *archive, const char *path, bool by_base_name)
{
    const uint32_t count = header_of(archive).count;
    for (uint32_t i = 0; i < count; i++) {
        struct file file = file_of(archive, i);
        const char *slash = by_base_name ? memrchr(file.name, '/', file.name_bytes) : NULL;
        if (slash != NULL) {
            file.name_bytes -= (size_t)(slash + 1 - file.name);
            file.name = slash + 1;
        }
        if (is_called(&file, path))
            return i;
    }
    return -1;
}

uint32_t collada_archive_find(const struct collada_archive *archive, const char *path, const uint8_t **bytes,
                              size_t *size_bytes)
{
    char joined[PATH_MAX_BYTES];
    const char *name = source_path_base_name(path);
    int64_t index = join(archive->folder, archive->folder_bytes, path, joined) ? find(archive, joined, false) : -1;
    if (index < 0 && name[0] != '\0')
        index = find(archive, name, true);
    if (index < 0)
        return 0;
    const struct file file = file_of(archive, (uint32_t)index);
    *bytes = file.bytes;
    *size_bytes = file.size_bytes;
    return (uint32_t)index + 1;
}

/* --- the document --- */

/* Copies the path in <dae_root>, without its "#id", to out[PATH_MAX_BYTES]. */
static int read_manifest(const struct file *manifest, char *out, struct err *err)
{
    struct xml xml;
    if (collada_xml_parse(&xml, manifest->bytes, manifest->size_bytes, err) < 0)
        return err_prefix(err, "manifest.xml");
    const uint32_t root = xml_is(&xml, 0, "dae_root") ? 0 : xml_child(&xml, 0, "dae_root");
    const char *text = root == XML_NONE ? "" : xml_text(&xml, root);
    char *path = mem_strndup(text, strcspn(text, "#")), *uri = collada_uri(path);
    snprintf(out, PATH_MAX_BYTES, "%s", strlen(uri) < PATH_MAX_BYTES ? uri : "");
    free(path);
    free(uri);
    xml_fini(&xml);
    return out[0] != '\0' ? 0 : err_set(err, ERR_BAD_MODEL, "manifest.xml has no <dae_root>");
}

/* The file that the manifest names. */
static int find_root(const struct collada_archive *archive, int64_t manifest, int64_t *found, struct err *err)
{
    char path[PATH_MAX_BYTES], joined[PATH_MAX_BYTES];
    const struct file file = file_of(archive, (uint32_t)manifest);
    if (read_manifest(&file, path, err) < 0)
        return err->code;
    *found = join("", 0, path, joined) ? find(archive, joined, false) : -1;
    if (*found < 0)
        *found = find(archive, source_path_base_name(path), true);
    return *found >= 0 ? 0 : err_set(err, ERR_BAD_MODEL, "manifest.xml names '%.200s', which is not in the zip", path);
}

int collada_archive_open(struct collada_archive *archive, const struct import *import, struct err *err)
{
    *archive = (struct collada_archive){.folder = ""};
    buf_init(&archive->files, (size_t)import->limits->value[LIMIT_BAKED_BYTES]);
    if (zip_unpack(import, &archive->files, err) < 0)
        return err->code;
    const int64_t manifest = find(archive, "manifest.xml", false);
    const uint32_t count = header_of(archive).count;
    int64_t found = -1;
    if (manifest >= 0 && find_root(archive, manifest, &found, err) < 0)
        return err->code;
    for (uint32_t i = 0; i < count && found < 0; i++) {
        const struct file file = file_of(archive, i);
        if (ends_in(&file, ".dae"))
            found = i;
    }
    if (found < 0)
        return err_set(err, ERR_NOT_A_MODEL, "the zip holds no .dae");
    const struct file file = file_of(archive, (uint32_t)found);
    const char *slash = memrchr(file.name, '/', file.name_bytes);
    archive->folder = file.name;
    archive->folder_bytes = slash == NULL ? 0 : (size_t)(slash + 1 - file.name);
    archive->document_name = mem_strndup(file.name + archive->folder_bytes, file.name_bytes - archive->folder_bytes);
    archive->document = mem_alloc(file.size_bytes + 1);
    memcpy(archive->document, file.bytes, file.size_bytes);
    archive->document[file.size_bytes] = 0;
    archive->document_bytes = file.size_bytes;
    return 0;
}

void collada_archive_fini(struct collada_archive *archive)
{
    free(archive->document_name);
    free(archive->document);
    buf_fini(&archive->files);
    *archive = (struct collada_archive){0};
}
