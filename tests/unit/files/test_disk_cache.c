/* Models on disk: found again by stamps and by content, never used if anything differs, and never trusted. */
#include "tests/unit/support/check.h"
#include "tests/unit/support/fixture.h"
#include "tests/unit/support/temp_tree.h"

#include "daemon/disk/disk_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

struct stand {
    struct temp_tree root, folder;
    struct config config;
    struct disk_cache *disk;
    struct disk_report report;
    char cache_path[96];
};

static void open_disk(struct stand *stand, const char *importer)
{
    struct err err = {0};
    if (disk_cache_open(&stand->config, importer, &stand->disk, &err) < 0)
        fail_msg("%s", err.message);
}

static void setup(struct stand *stand)
{
    *stand = (struct stand){0};
    temp_tree_init(&stand->root);
    temp_tree_init(&stand->folder);
    snprintf(stand->cache_path, sizeof stand->cache_path, "%s/deep/cache", stand->folder.path);
    limits_default(&stand->config.limits);
    stand->config.root = stand->root.path;
    stand->config.cache_dir = stand->cache_path;
    stand->config.cache_dir_bytes = 1 << 30;
    temp_tree_file(&stand->root, "m/a.glb", "the model");
    temp_tree_file(&stand->root, "m/a.bin", "its companion");
    open_disk(stand, "importer 1");
}

static void teardown(struct stand *stand)
{
    disk_cache_free(stand->disk);
    temp_tree_fini(&stand->root);
    temp_tree_fini(&stand->folder);
}

static void add_source(struct fixture *fixture, const struct stand *stand, const char *path, enum source_role role)
{
    struct stat stat = {0};
    root_lstat(stand->root.fd, path, &stat);
    const struct stamp stamp = stamp_of(&stat);
    *bake_add_source_file(&fixture->builder, 1) = (struct source_file){
        .path = bake_textz(&fixture->builder, path),
        .role = role,
        .is_missing = stat.st_ino == 0,
        .size_bytes = stamp.size_bytes,
        .mtime_ns = stamp.mtime_ns,
        .ctime_ns = stamp.ctime_ns,
        .inode = stamp.inode,
    };
}

/* As if `path` had just been imported, with a.bin, with a missing texture, and with pixel_bytes bytes of pixels. */
static struct imported_model *import_as(const struct stand *stand, const char *path, uint32_t pixel_bytes)
{
    struct fixture fixture;
    struct imported_model *imported;
    struct err err;
    fixture_init(&fixture);
    fixture_root(&fixture, fixture_node(&fixture, -1, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE));
    if (pixel_bytes > 0)
        memset(bake_add_pixel_byte(&fixture.builder, pixel_bytes), 0x77, pixel_bytes);
    add_source(&fixture, stand, path, SOURCE_MODEL);
    add_source(&fixture, stand, "m/a.bin", SOURCE_COMPANION);
    add_source(&fixture, stand, "m/tex/skin.png", SOURCE_TEXTURE);
    fixture_finish(&fixture);
    const int fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    assert_int_equal(write(fd, fixture.block, fixture.size_bytes), fixture.size_bytes);
    fixture_fini(&fixture);
    assert_int_equal(imported_model_open(fd, 1, &imported, &err), 0);
    return imported;
}

static struct imported_model *import(const struct stand *stand, uint32_t pixel_bytes)
{
    return import_as(stand, "m/a.glb", pixel_bytes);
}

static void store_as(struct stand *stand, const char *path, uint32_t pixel_bytes)
{
    struct imported_model *imported = import_as(stand, path, pixel_bytes);
    const uint32_t before = stand->report.stored;
    disk_cache_store(stand->disk, stand->root.fd, path, imported, &stand->report);
    assert_int_equal(stand->report.stored, before + 1);
    assert_int_equal(stand->report.errors, 0);
    imported_model_unref(imported);
}

static void store(struct stand *stand, uint32_t pixel_bytes) { store_as(stand, "m/a.glb", pixel_bytes); }

/* Returns whether the model is there; it must be the one of import(). */
static bool load(struct stand *stand, bool is_whole, uint32_t pixel_bytes)
{
    struct imported_model *imported;
    if (!disk_cache_load(stand->disk, stand->root.fd, "m/a.glb", is_whole, &imported, &stand->report)) {
        assert_null(imported);
        return false;
    }
    struct imported_model *expected = import(stand, pixel_bytes);
    assert_int_equal(imported->model.node_count, 1);
    assert_int_equal(imported->model.pixel_byte_count, pixel_bytes);
    assert_true(imported->has_pixels || !is_whole);
    if (imported->has_pixels && pixel_bytes > 0)
        assert_memory_equal(imported->model.pixels, expected->model.pixels, pixel_bytes);
    assert_true(sources_are_unchanged(stand->root.fd, imported->sources));
    assert_true(fcntl(imported->fd, F_GET_SEALS) & F_SEAL_WRITE);
    imported_model_unref(expected);
    imported_model_unref(imported);
    return true;
}

static bool is_there(struct stand *stand) { return load(stand, true, 0); }

/* Puts the path of our file with this extension, or "". */
static void find_file(const struct stand *stand, const char *extension, char out[512])
{
    DIR *dir = opendir(stand->cache_path);
    out[0] = '\0';
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
        if (strlen(entry->d_name) > strlen(extension) &&
            strcmp(entry->d_name + strlen(entry->d_name) - strlen(extension), extension) == 0)
            snprintf(out, 512, "%s/%s", stand->cache_path, entry->d_name);
    closedir(dir);
}

static int count_files(const struct stand *stand)
{
    int count = 0;
    DIR *dir = opendir(stand->cache_path);
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(dir);
    return count;
}

static uint64_t size_of_folder(const struct stand *stand)
{
    static const char *const extensions[] = {".index", ".model"};
    uint64_t size_bytes = 0;
    for (size_t e = 0; e < 2; e++) {
        char path[512];
        struct stat stat_now;
        find_file(stand, extensions[e], path);
        if (stat(path, &stat_now) == 0)
            size_bytes += (uint64_t)stat_now.st_blocks * 512;
    }
    return size_bytes;
}

/* Old enough that stamps are believed: else content is read every time. */
static void age(const struct stand *stand, const char *path)
{
    const struct timespec times[2] = {{1000000000, 0}, {1000000000, 0}};
    assert_int_equal(utimensat(stand->root.fd, path, times, 0), 0);
}

TEST(disk_cache_finds_what_was_stored)
{
    struct stand stand;
    setup(&stand);
    assert_false(is_there(&stand));
    store(&stand, 0);
    assert_int_equal(count_files(&stand), 2);
    assert_true(is_there(&stand));
    disk_cache_free(stand.disk);
    open_disk(&stand, "importer 1");
    assert_true(is_there(&stand));
    struct imported_model *imported;
    assert_false(disk_cache_load(stand.disk, stand.root.fd, "m/b.glb", true, &imported, &stand.report));
    teardown(&stand);
}

TEST(disk_cache_folder_and_files_are_ours_alone)
{
    struct stand stand;
    struct stat stat_now;
    char path[512];
    setup(&stand);
    store(&stand, 0);
    assert_int_equal(stat(stand.cache_path, &stat_now), 0);
    assert_int_equal(stat_now.st_mode & 0777, 0700);
    find_file(&stand, ".model", path);
    assert_int_equal(stat(path, &stat_now), 0);
    assert_int_equal(stat_now.st_mode & 0777, 0600);
    teardown(&stand);
}

TEST(disk_cache_other_content_is_another_model)
{
    static const char *const files[] = {"m/a.glb", "m/a.bin"};
    for (size_t i = 0; i < 2; i++) {
        struct stand stand;
        setup(&stand);
        store(&stand, 0);
        temp_tree_file(&stand.root, files[i], "tHe model");
        assert_false(is_there(&stand));
        teardown(&stand);
    }
}

TEST(disk_cache_missing_companion_that_appears)
{
    struct stand stand;
    setup(&stand);
    store(&stand, 0);
    temp_tree_file(&stand.root, "m/tex/skin.png", "png");
    assert_false(is_there(&stand));
    assert_int_equal(unlinkat(stand.root.fd, "m/tex/skin.png", 0), 0);
    assert_true(is_there(&stand));
    assert_int_equal(unlinkat(stand.root.fd, "m/a.bin", 0), 0);
    assert_false(is_there(&stand));
    teardown(&stand);
}

/* Touched, copied back, checked out again, or under another root: the content decides. */
TEST(disk_cache_same_content_under_other_stamps)
{
    struct stand stand;
    setup(&stand);
    store(&stand, 0);
    age(&stand, "m/a.glb");
    assert_true(is_there(&stand));
    assert_int_equal(unlinkat(stand.root.fd, "m/a.bin", 0), 0);
    temp_tree_file(&stand.root, "m/a.bin", "its companion");
    assert_true(is_there(&stand));

    struct temp_tree other;
    temp_tree_init(&other);
    temp_tree_file(&other, "m/a.glb", "the model");
    temp_tree_file(&other, "m/a.bin", "its companion");
    const struct temp_tree root = stand.root;
    stand.root = other;
    stand.config.root = other.path;
    disk_cache_free(stand.disk);
    open_disk(&stand, "importer 1");
    assert_true(is_there(&stand));
    assert_true(is_there(&stand));
    temp_tree_fini(&other);
    stand.root = root;
    teardown(&stand);
}

/* Back to a former content: its entry is still there. */
TEST(disk_cache_keeps_former_contents)
{
    struct stand stand;
    setup(&stand);
    store(&stand, 0);
    temp_tree_file(&stand.root, "m/a.glb", "another model");
    assert_false(is_there(&stand));
    store(&stand, 0);
    assert_int_equal(count_files(&stand), 3);
    assert_true(is_there(&stand));
    temp_tree_file(&stand.root, "m/a.glb", "the model");
    assert_true(is_there(&stand));
    teardown(&stand);
}

enum { KEPT_MAX = 8 };

/* The files of ours with this extension, in the order of their names. */
static int list_paths(const struct stand *stand, const char *extension, char out[KEPT_MAX][512])
{
    int count = 0;
    DIR *dir = opendir(stand->cache_path);
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        const char *dot = strrchr(entry->d_name, '.');
        if (dot == NULL || strcmp(dot, extension) != 0)
            continue;
        assert_true(count < KEPT_MAX);
        snprintf(out[count++], 512, "%s/%s", stand->cache_path, entry->d_name);
    }
    closedir(dir);
    qsort(out, (size_t)count, sizeof *out, (int (*)(const void *, const void *))strcmp);
    return count;
}

/* Makes all indexes say that they were written long after the files changed, so that stamps are trusted. */
static void settle(const struct stand *stand)
{
    enum { RECORDED_NS_AT = 16 + 32 + 32 + 8, RECORD_SIZE = 4096 };
    static const uint64_t LATE_NS = UINT64_C(1) << 62;
    char paths[KEPT_MAX][512], record[RECORD_SIZE];
    const int count = list_paths(stand, ".index", paths);
    for (int i = 0; i < count; i++) {
        const int fd = open(paths[i], O_RDWR | O_CLOEXEC);
        const ssize_t size = read(fd, record, sizeof record);
        assert_true(size > RECORDED_NS_AT + 16 && size < RECORD_SIZE);
        memcpy(record + RECORDED_NS_AT, &LATE_NS, sizeof LATE_NS);
        const uint64_t sum = XXH3_64bits(record, (size_t)size - 8);
        memcpy(record + size - 8, &sum, sizeof sum);
        assert_int_equal(pwrite(fd, record, (size_t)size, 0), size);
        close(fd);
    }
}

static void open_with(struct stand *stand, enum limit limit, uint64_t value)
{
    disk_cache_free(stand->disk);
    limits_default(&stand->config.limits);
    stand->config.limits.value[limit] = value;
    open_disk(stand, "importer 1");
}

TEST(disk_cache_other_importers_and_limits_have_other_entries)
{
    struct stand stand;
    setup(&stand);
    store(&stand, 0);
    disk_cache_free(stand.disk);
    open_disk(&stand, "importer 2");
    assert_false(is_there(&stand));
    open_with(&stand, LIMIT_TEXTURE_SIDE, 512);
    assert_false(is_there(&stand));
    open_with(&stand, LIMIT_URL_BYTES, 1000); /* says nothing about models */
    assert_true(is_there(&stand));
    teardown(&stand);
}

/* By content, and by stamps that are old enough. */
TEST(disk_cache_another_machines_memory)
{
    struct stand stand;
    for (int is_by_stamps = 0; is_by_stamps < 2; is_by_stamps++) {
        setup(&stand);
        store(&stand, 0);
        if (is_by_stamps)
            settle(&stand);
        open_with(&stand, LIMIT_IMPORT_MEMORY_BYTES, 1 << 20);
        assert_true(is_there(&stand));
        open_with(&stand, LIMIT_FILE_BYTES, strlen("its companion"));
        assert_true(is_there(&stand));
        open_with(&stand, LIMIT_FILE_BYTES, strlen("its companion") - 1);
        assert_false(is_there(&stand));
        open_with(&stand, LIMIT_BAKED_BYTES, 100);
        assert_false(is_there(&stand));
        assert_int_equal(stand.report.removed, 0);
        open_with(&stand, LIMIT_FILE_BYTES, UINT64_MAX / 2);
        assert_true(is_there(&stand));
        teardown(&stand);
    }
}

/* With more memory, or less, it might be another model. */
TEST(disk_cache_what_was_left_out_is_for_the_same_limits)
{
    struct stand stand;
    setup(&stand);
    open_with(&stand, LIMIT_FILE_BYTES, strlen("its companion") - 1);
    store(&stand, 0);
    assert_true(is_there(&stand));
    open_with(&stand, LIMIT_FILE_BYTES, strlen("its companion") - 2);
    assert_false(is_there(&stand));
    open_with(&stand, LIMIT_FILE_BYTES, strlen("its companion"));
    assert_false(is_there(&stand));
    stand.config.limits.value[LIMIT_IMPORT_MEMORY_BYTES] += 1;
    stand.config.limits.value[LIMIT_FILE_BYTES] = strlen("its companion") - 1;
    disk_cache_free(stand.disk);
    open_disk(&stand, "importer 1");
    assert_false(is_there(&stand));
    assert_int_equal(stand.report.removed, 0);
    teardown(&stand);
}

TEST(disk_cache_reads_textures_when_they_are_asked_for)
{
    enum { MANY = 1 << 20, FEW = 1000 };
    struct stand stand;
    struct imported_model *imported;
    setup(&stand);
    store(&stand, MANY);
    assert_true(load(&stand, true, MANY));
    assert_true(disk_cache_load(stand.disk, stand.root.fd, "m/a.glb", false, &imported, &stand.report));
    assert_false(imported->has_pixels);
    assert_int_equal(imported->held_bytes, imported->model.size_bytes - MANY);
    assert_int_equal(imported->model.pixels[MANY / 2], 0);
    imported_model_unref(imported);
    store(&stand, FEW);
    assert_true(disk_cache_load(stand.disk, stand.root.fd, "m/a.glb", false, &imported, &stand.report));
    assert_true(imported->has_pixels);
    imported_model_unref(imported);
    teardown(&stand);
}

static void flip(const char *path, off_t at)
{
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    char byte;
    assert_int_equal(pread(fd, &byte, 1, at), 1);
    byte = (char)(byte ^ 0x10);
    assert_int_equal(pwrite(fd, &byte, 1, at), 1);
    close(fd);
}

/* Changes one byte in each region of both files, except padding. */
TEST(disk_cache_removes_a_file_with_another_byte)
{
    static const char *const extensions[] = {".index", ".model"};
    for (size_t e = 0; e < 2; e++) {
        struct stand stand;
        struct stat stat_now;
        char path[512];
        setup(&stand);
        store(&stand, 0);
        find_file(&stand, extensions[e], path);
        assert_int_equal(stat(path, &stat_now), 0);
        const off_t record = e == 0 ? stat_now.st_size : 16 + 32 + 72 + 4 + 3 * 76 + 7 + 7 + 14 + 8;
        const off_t step = e == 0 ? 1 : 3;
        for (off_t at = 0; at < stat_now.st_size; at += step) {
            if (at >= record && at < 4096)
                continue;
            flip(path, at);
            stand.report = (struct disk_report){0};
            assert_false(is_there(&stand));
            assert_int_equal(stand.report.removed, 1);
            assert_int_equal(access(path, F_OK), -1);
            assert_int_equal(disk_cache_size(stand.disk), size_of_folder(&stand));
            store(&stand, 0);
            assert_true(is_there(&stand));
            assert_int_equal(disk_cache_size(stand.disk), size_of_folder(&stand));
        }
        teardown(&stand);
    }
}

TEST(disk_cache_removes_a_cut_file)
{
    static const char *const extensions[] = {".index", ".model"};
    struct stand stand;
    char path[512];
    setup(&stand);
    for (size_t e = 0; e < 2; e++) {
        static const off_t SIZES[] = {0, 1, 15, 16, 100, 4095, 4096, 4097};
        for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++) {
            struct stat stat_now;
            store(&stand, 0);
            find_file(&stand, extensions[e], path);
            assert_int_equal(stat(path, &stat_now), 0);
            if (SIZES[i] >= stat_now.st_size)
                continue;
            assert_int_equal(truncate(path, SIZES[i]), 0);
            assert_false(is_there(&stand));
            assert_int_equal(access(path, F_OK), -1);
        }
        store(&stand, 0);
        find_file(&stand, extensions[e], path);
        const int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
        assert_int_equal(write(fd, "x", 1), 1);
        close(fd);
        assert_false(is_there(&stand));
    }
    teardown(&stand);
}

TEST(disk_cache_trusts_no_file_that_others_may_write)
{
    struct stand stand;
    char path[512], to[600];
    setup(&stand);
    store(&stand, 0);
    find_file(&stand, ".model", path);
    assert_int_equal(chmod(path, 0666), 0);
    assert_false(is_there(&stand));
    assert_int_equal(access(path, F_OK), -1);
    store(&stand, 0);
    snprintf(to, sizeof to, "%s.old", path);
    assert_int_equal(rename(path, to), 0);
    assert_int_equal(symlink(to, path), 0);
    assert_false(is_there(&stand));
    assert_int_equal(access(to, F_OK), 0);
    teardown(&stand);
}

TEST(disk_cache_folder_that_others_may_write_is_refused)
{
    struct stand stand;
    struct disk_cache *disk;
    struct err err = {0};
    setup(&stand);
    assert_int_equal(chmod(stand.cache_path, 0777), 0);
    assert_int_equal(disk_cache_open(&stand.config, "", &disk, &err), ERR_UNAVAILABLE);
    assert_non_null(strstr(err.message, "chmod 700"));
    assert_int_equal(chmod(stand.cache_path, 0700), 0);
    stand.config.cache_dir = "/proc/nothing";
    assert_int_equal(disk_cache_open(&stand.config, "", &disk, &err), ERR_UNAVAILABLE);
    assert_non_null(strstr(err.message, "/proc/nothing"));
    teardown(&stand);
}

TEST(disk_cache_stores_nothing_of_files_that_changed_meanwhile)
{
    struct stand stand;
    setup(&stand);
    struct imported_model *imported = import(&stand, 0);
    temp_tree_file(&stand.root, "m/a.bin", "new");
    disk_cache_store(stand.disk, stand.root.fd, "m/a.glb", imported, &stand.report);
    assert_int_equal(stand.report.stored, 0);
    assert_int_equal(count_files(&stand), 0);
    imported_model_unref(imported);
    teardown(&stand);
}

TEST(disk_cache_drops_what_was_not_used_for_longest)
{
    enum { PIXELS = 100000 };
    struct stand stand;
    setup(&stand);
    stand.config.cache_dir_bytes = 1 << 20;
    disk_cache_free(stand.disk);
    open_disk(&stand, "importer 1");
    char text[32];
    for (int i = 0; i < 30; i++) {
        snprintf(text, sizeof text, "model %d", i);
        temp_tree_file(&stand.root, "m/a.glb", text);
        store(&stand, PIXELS);
        if (i > 0) { /* the first stays in use */
            temp_tree_file(&stand.root, "m/a.glb", "model 0");
            assert_true(load(&stand, true, PIXELS));
        }
        assert_true(disk_cache_size(stand.disk) <= 1 << 20);
    }
    assert_true(stand.report.evicted >= 20);
    temp_tree_file(&stand.root, "m/a.glb", "model 29");
    assert_true(load(&stand, true, PIXELS));
    temp_tree_file(&stand.root, "m/a.glb", "model 1");
    assert_false(load(&stand, true, PIXELS));
    teardown(&stand);
}

static void put_file(const struct stand *stand, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", stand->cache_path, name);
    const int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    close(fd);
}

/* Only our own files, and only those whose writer has ended, as a lock shows. */
TEST(disk_cache_tidies_what_killed_processes_left)
{
    struct stand stand;
    char path[512];
    setup(&stand);
    store(&stand, 0);
    put_file(&stand, ".tmp-12-0123456789abcdef");
    put_file(&stand, ".tmp-1-1");
    put_file(&stand, ".tmp-other");
    put_file(&stand, "letter.txt");
    snprintf(path, sizeof path, "%s/.tmp-1-1", stand.cache_path);
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    disk_cache_tidy(stand.disk, &stand.report);
    assert_int_equal(stand.report.removed, 1);
    assert_int_equal(count_files(&stand), 2 + 3);
    close(fd);
    disk_cache_tidy(stand.disk, &stand.report);
    assert_int_equal(stand.report.removed, 2);
    assert_int_equal(count_files(&stand), 2 + 2);
    assert_true(is_there(&stand));
    teardown(&stand);
}

/* --- files that belong to something else --- */

/* Whether there is something for the path; it is that path's. */
static bool is_found(struct stand *stand, const char *path)
{
    struct imported_model *imported;
    if (!disk_cache_load(stand->disk, stand->root.fd, path, true, &imported, &stand->report))
        return false;
    assert_string_equal(sources_find_model(imported->sources)->path, path);
    imported_model_unref(imported);
    return true;
}

static void exchange(const char *one, const char *other)
{
    assert_int_equal(renameat2(AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE), 0);
}

/* Both kinds of files, of a model beside it with the same bytes; by stamps and by content. */
TEST(disk_cache_believes_no_file_of_another_path)
{
    static const char *const extensions[] = {".index", ".model"};
    for (int row = 0; row < 4; row++) {
        struct stand stand;
        char paths[KEPT_MAX][512];
        setup(&stand);
        temp_tree_file(&stand.root, "m/b.glb", "the model");
        store_as(&stand, "m/a.glb", 0);
        store_as(&stand, "m/b.glb", 0);
        if (row >= 2)
            settle(&stand);
        assert_true(is_found(&stand, "m/a.glb") && is_found(&stand, "m/b.glb"));
        assert_int_equal(list_paths(&stand, extensions[row % 2], paths), 2);
        exchange(paths[0], paths[1]);
        stand.report = (struct disk_report){0};
        assert_false(is_found(&stand, "m/a.glb"));
        assert_false(is_found(&stand, "m/b.glb"));
        assert_int_equal(stand.report.removed, 2);
        assert_int_equal(list_paths(&stand, extensions[row % 2], paths), 0);
        store_as(&stand, "m/a.glb", 0);
        assert_true(is_found(&stand, "m/a.glb"));
        teardown(&stand);
    }
}

/* Its limits differ, or its name was changed to ours. */
TEST(disk_cache_believes_no_index_of_another_maker)
{
    struct stand stand;
    char ours[KEPT_MAX][512], both[KEPT_MAX][512];
    setup(&stand);
    store(&stand, 0);
    assert_int_equal(list_paths(&stand, ".index", ours), 1);
    disk_cache_free(stand.disk);
    open_disk(&stand, "importer 2");
    store(&stand, 0);
    settle(&stand);
    assert_int_equal(list_paths(&stand, ".index", both), 2);
    exchange(both[0], both[1]);
    assert_false(is_there(&stand));
    disk_cache_free(stand.disk);
    open_disk(&stand, "importer 1");
    assert_false(is_there(&stand));
    assert_int_equal(stand.report.removed, 2);
    teardown(&stand);
}

/* The same model file, made with another companion: as left by two servers that write at the same time, or by somebody
 * who put an older file back. */
TEST(disk_cache_believes_no_model_of_other_companions)
{
    struct stand stand;
    char path[KEPT_MAX][512], kept[600];
    setup(&stand);
    store(&stand, 0);
    assert_int_equal(list_paths(&stand, ".model", path), 1);
    snprintf(kept, sizeof kept, "%s.old", path[0]);
    assert_int_equal(rename(path[0], kept), 0);
    temp_tree_file(&stand.root, "m/a.bin", "its new companion");
    store(&stand, 0);
    settle(&stand);
    assert_true(is_there(&stand));
    assert_int_equal(rename(kept, path[0]), 0);
    assert_false(is_there(&stand));
    store(&stand, 0);
    settle(&stand);
    assert_true(is_there(&stand));
    teardown(&stand);
}

/* Their names are made from their version, so that nothing else would find them. */
TEST(disk_cache_tidies_files_of_another_version)
{
    static const char *const extensions[] = {".index", ".model"};
    for (size_t e = 0; e < 2; e++) {
        struct stand stand;
        char path[512];
        setup(&stand);
        store(&stand, 0);
        disk_cache_tidy(stand.disk, &stand.report);
        assert_int_equal(stand.report.removed, 0);
        find_file(&stand, extensions[e], path);
        flip(path, 8);
        disk_cache_tidy(stand.disk, &stand.report);
        assert_int_equal(stand.report.removed, 1);
        assert_int_equal(access(path, F_OK), -1);
        assert_int_equal(disk_cache_size(stand.disk), size_of_folder(&stand));
        teardown(&stand);
    }
}

/* --- who imports --- */

TEST(disk_cache_one_of_two_imports)
{
    struct stand stand, other;
    setup(&stand);
    other = stand;
    open_disk(&other, "importer 1");
    assert_int_equal(disk_cache_claim(stand.disk, "m/a.glb", 0), DISK_CLAIM_OURS);
    assert_int_equal(disk_cache_claim(stand.disk, "m/a.glb", 0), DISK_CLAIM_THEIRS);
    assert_int_equal(disk_cache_claim(other.disk, "m/a.glb", 0), DISK_CLAIM_THEIRS);
    assert_int_equal(disk_cache_claim(other.disk, "m/b.glb", 0), DISK_CLAIM_OURS);
    disk_cache_release(stand.disk, "m/a.glb");
    assert_int_equal(disk_cache_claim(other.disk, "m/a.glb", 0), DISK_CLAIM_OURS);
    assert_int_equal(disk_cache_claim(stand.disk, "m/a.glb", 0), DISK_CLAIM_THEIRS);
    disk_cache_free(other.disk); /* as the end of its process */
    assert_int_equal(disk_cache_claim(stand.disk, "m/a.glb", 0), DISK_CLAIM_OURS);
    assert_int_equal(disk_cache_claim(stand.disk, "m/b.glb", 0), DISK_CLAIM_OURS);
    teardown(&stand);
}

TEST(disk_cache_claim_of_what_was_stored_meanwhile)
{
    struct stand stand;
    setup(&stand);
    const uint64_t none = disk_cache_seen(stand.disk, "m/a.glb");
    assert_int_equal(none, 0);
    store(&stand, 0);
    assert_int_equal(disk_cache_claim(stand.disk, "m/a.glb", none), DISK_CLAIM_OVERTAKEN);
    settle(&stand);
    const uint64_t seen = disk_cache_seen(stand.disk, "m/a.glb");
    assert_true(is_there(&stand)); /* this marks it as used, which is no change */
    assert_int_equal(disk_cache_claim(stand.disk, "m/a.glb", seen), DISK_CLAIM_OURS);
    store(&stand, 0);
    disk_cache_release(stand.disk, "m/a.glb");
    assert_int_equal(disk_cache_claim(stand.disk, "m/a.glb", seen), DISK_CLAIM_OVERTAKEN);
    teardown(&stand);
}

/* The folder may be removed at any time: then nobody waits, and nothing fails. */
TEST(disk_cache_claims_without_their_file)
{
    struct stand stand, other;
    char path[512];
    setup(&stand);
    other = stand;
    assert_int_equal(disk_cache_claim(stand.disk, "m/a.glb", 0), DISK_CLAIM_OURS);
    snprintf(path, sizeof path, "%s/imports.lock", stand.cache_path);
    assert_int_equal(unlink(path), 0);
    open_disk(&other, "importer 1");
    assert_int_equal(disk_cache_claim(other.disk, "m/a.glb", 0), DISK_CLAIM_OURS);
    disk_cache_release(stand.disk, "m/a.glb");
    assert_int_equal(disk_cache_claim(stand.disk, "m/a.glb", 0), DISK_CLAIM_THEIRS);
    disk_cache_free(other.disk);
    assert_int_equal(chmod(path, 0644), 0); /* others could lock it */
    open_disk(&other, "importer 1");
    assert_int_equal(disk_cache_claim(other.disk, "m/a.glb", 0), DISK_CLAIM_NONE);
    disk_cache_free(other.disk);
    teardown(&stand);
}
