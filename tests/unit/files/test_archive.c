/* server/daemon/upload/archive.h: the server checks everything that an importer unpacked, and finds the model of a zip.
 */
#include "tests/unit/support/check.h"

#include "daemon/upload/archive.h"
#include "base/buf.h"

#include <stdlib.h>
#include <string.h>

struct file {
    const char *name, *text;
};

/* In memory of exactly its size, aligned. */
static void *pack(const struct file *files, uint32_t count, size_t *size_bytes)
{
    struct buf out, names, data;
    buf_init(&out, 0);
    buf_init(&names, 0);
    buf_init(&data, 0);
    struct archive_header header = {.count = count};
    memcpy(header.magic, ARCHIVE_MAGIC, sizeof header.magic);
    for (uint32_t i = 0; i < count; i++) {
        header.names_bytes += (uint32_t)strlen(files[i].name);
        header.data_bytes += strlen(files[i].text);
    }
    buf_put(&out, &header, sizeof header);
    for (uint32_t i = 0; i < count; i++) {
        const struct archive_entry entry = {(uint32_t)names.size_bytes, (uint32_t)strlen(files[i].name),
                                            data.size_bytes, strlen(files[i].text)};
        buf_put(&out, &entry, sizeof entry);
        buf_put_text(&names, files[i].name);
        buf_put_text(&data, files[i].text);
    }
    buf_put(&out, names.data, names.size_bytes);
    buf_put(&out, data.data, data.size_bytes);
    *size_bytes = out.size_bytes;
    void *bytes = malloc(out.size_bytes);
    assert_non_null(bytes);
    memcpy(bytes, out.data, out.size_bytes);
    buf_fini(&out);
    buf_fini(&names);
    buf_fini(&data);
    return bytes;
}

static int check_names(const char *name)
{
    const struct file files[] = {{"a.glb", "x"}, {name, "yz"}};
    size_t size;
    struct archive archive;
    struct err err;
    void *bytes = pack(files, 2, &size);
    const int rc = archive_check(bytes, size, &archive, &err);
    free(bytes);
    return rc;
}

TEST(archive_takes_what_is_whole)
{
    static const struct file FILES[] = {{"hero.gltf", "{}"}, {"tex/\xc3\xbc.png", ""}, {"a/b/c.bin", "12345"}};
    size_t size;
    struct archive archive;
    struct err err;
    char path[ARCHIVE_PATH_SIZE];
    void *bytes = pack(FILES, 3, &size);
    assert_int_equal(archive_check(bytes, size, &archive, &err), 0);
    assert_int_equal(archive.count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        archive_path(&archive, i, path);
        assert_string_equal(path, FILES[i].name);
        assert_int_equal(archive.entries[i].size_bytes, strlen(FILES[i].text));
        assert_memory_equal(archive.data + archive.entries[i].data_offset, FILES[i].text, strlen(FILES[i].text));
    }
    assert_int_equal(archive_find_model(&archive, "other", &err), 0);
    free(bytes);
}

TEST(archive_names_are_paths)
{
    static const char *const BAD[] = {"",    "/a",   "a/",   "a//b",     "..",      "../a", "a/../b",
                                      "a/.", ".a/b", "a/.b", "\xff.glb", "./a.glb", "a/..", "/"};
    assert_int_equal(check_names("b/c.png"), 0);
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++)
        if (check_names(BAD[i]) != ERR_BAD_BAKE)
            fail_msg("'%s' was taken", BAD[i]);
}

TEST(archive_refuses_every_truncation_and_changed_size)
{
    static const struct file FILES[] = {{"hero.gltf", "{}"}, {"tex/a.png", "123"}};
    size_t size;
    struct archive archive;
    struct err err;
    uint8_t *bytes = pack(FILES, 2, &size);
    for (size_t cut = 0; cut < size; cut++) {
        void *part = malloc(cut == 0 ? 1 : cut);
        assert_non_null(part);
        memcpy(part, bytes, cut);
        assert_int_equal(archive_check(part, cut, &archive, &err), ERR_BAD_BAKE);
        free(part);
    }
    const size_t numbers_end = sizeof(struct archive_header) + 2 * sizeof(struct archive_entry);
    for (size_t at = 0; at < numbers_end; at++)
        for (int bit = 0; bit < 8; bit++) {
            bytes[at] ^= (uint8_t)(1 << bit);
            if (archive_check(bytes, size, &archive, &err) == 0)
                fail_msg("bit %d of byte %zu was taken", bit, at);
            bytes[at] ^= (uint8_t)(1 << bit);
        }
    assert_int_equal(archive_check(bytes, size, &archive, &err), 0);
    free(bytes);
}

static int find(const struct file *files, uint32_t count, const char *stem)
{
    size_t size;
    struct archive archive;
    struct err err;
    void *bytes = pack(files, count, &size);
    assert_int_equal(archive_check(bytes, size, &archive, &err), 0);
    const int rc = archive_find_model(&archive, stem, &err);
    free(bytes);
    return rc;
}

TEST(archive_finds_the_model)
{
    const struct file nearest[] = {{"a/b/deep.glb", ""}, {"a/top.glb", ""}, {"a/tex.png", ""}};
    const struct file several[] = {{"run.fbx", ""}, {"hero.fbx", ""}, {"x/hero.fbx", ""}};
    const struct file none[] = {{"readme.txt", ""}, {"tex.png", ""}};
    const struct file companions[] = {{"walk.md5anim", ""}, {"bob.md5mesh", ""}};
    assert_int_equal(find(nearest, 3, "x"), 1);
    assert_int_equal(find(several, 3, "hero"), 1);
    assert_int_equal(find(several, 3, "her"), ERR_AMBIGUOUS_NAME);
    assert_int_equal(find(none, 2, "x"), ERR_UNKNOWN_FORMAT);
    assert_int_equal(find(companions, 2, "x"), 1);
}
