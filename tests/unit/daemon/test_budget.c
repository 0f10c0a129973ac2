/* Shared bytes, the budget that counts them, and the division of files and memory. */
#include "tests/unit/support/check.h"

#include "daemon/support/budget.h"
#include "daemon/support/file_limit.h"
#include "daemon/config/options.h"
#include "base/blob.h"

#include <string.h>

TEST(blob_is_freed_by_the_last_holder)
{
    atomic_uint_fast64_t held_bytes = 5;
    struct buf bytes;
    buf_init(&bytes, 0);
    buf_put_text(&bytes, "picture");
    const char *data = bytes.data;
    struct blob *blob = blob_new(&bytes, &held_bytes);
    assert_null(bytes.data);
    assert_ptr_equal(blob->data, data); /* moved, not copied */
    assert_int_equal(blob->size_bytes, 7);
    assert_ptr_equal(blob_ref(blob), blob);
    assert_int_equal(held_bytes, 12); /* once, however many hold it */
    blob_unref(blob);
    assert_memory_equal(blob->data, "picture", 7);
    assert_int_equal(held_bytes, 12);
    blob_unref(blob);
    assert_int_equal(held_bytes, 5);
    blob_unref(NULL);
}

TEST(budget_leaves_half_of_the_memory_to_answers)
{
    struct budget budget = {.max_bytes = 100};
    assert_true(budget_request_begins(&budget, 30));
    assert_false(budget_request_begins(&budget, 21));
    assert_true(budget_request_begins(&budget, 20));
    assert_false(budget_request_begins(&budget, 1));
    budget_request_ends(&budget, 30);
    assert_true(budget_request_begins(&budget, 30));
    budget_request_ends(&budget, 30);
    budget_request_ends(&budget, 20);
    assert_int_equal(budget.waiting_bytes, 0);
}

TEST(budget_counts_shortages)
{
    struct budget budget = {.max_bytes = 100};
    size_t counted = 0, other = 0;
    budget_count(&budget, &counted, 60);
    budget_count(&budget, &other, 10);
    assert_int_equal(budget.used_bytes, 70);
    assert_true(budget_has_capacity(&budget, 30));
    assert_int_equal(budget.shortages, 0);
    assert_false(budget_has_capacity(&budget, 31));
    assert_int_equal(budget.shortages, 1);
    assert_false(budget_is_used_up(&budget));
    budget_count(&budget, &other, 40);
    assert_true(budget_is_used_up(&budget));
    budget_count(&budget, &other, 10);
    budget_count(&budget, &counted, 5);
    assert_int_equal(budget.used_bytes, 15);
    assert_int_equal(counted, 5);
    assert_true(budget_has_capacity(&budget, 85));
    assert_int_equal(budget.shortages, 1);
}

TEST(files_are_shared_out_between_connections_and_models)
{
    static const struct {
        uint64_t files, wanted, connections;
        uint32_t models, refused;
    } rows[] = {
        {1 << 20, 10000, 10000, 16384, 64},
        {20000, 10000, 10000, 9868, 64},
        {1024, 10000, 668, 224, 64},
        {1024, 100, 100, 792, 64},
        {600, 10000, 350, 118, 64},
        {128, 10000, 44, 16, 8},
        {64, 10000, 8, 3, 1},
        {60, 10000, 5, 2, 1},
        {UINT64_MAX, 10000, 10000, 16384, 64},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct config config = {.http = "127.0.0.1:0", .loops = 1, .import_workers = 1, .render_workers = 1};
        struct err err;
        config.limits.value[LIMIT_CONNECTIONS] = rows[i].wanted;
        assert_int_equal(file_limit_share(&config, rows[i].files, &err), 0);
        assert_int_equal(config.limits.value[LIMIT_CONNECTIONS], rows[i].connections);
        assert_int_equal(config.models_max, rows[i].models);
        assert_int_equal(config.refused_max, rows[i].refused);
        /* the files that a bare server has open are never given away */
        assert_true(rows[i].connections + rows[i].models + rows[i].refused + 24 +
                        2 * (config.work_threads + config.file_threads) <=
                    rows[i].files);
    }
}

TEST(few_files_mean_less_of_everything)
{
    static const struct {
        uint64_t files;
        uint32_t loops, imports, renders; /* wanted */
        uint32_t loops_then, imports_then, renders_then, uploads_then;
    } rows[] = {
        {1024, 4, 3, 3, 4, 3, 3, 16},     {128, 4, 1, 1, 4, 1, 1, 2}, {96, 4, 1, 1, 2, 1, 1, 2},
        {96, 1, 9, 2, 1, 3, 2, 2},        {72, 4, 3, 3, 1, 1, 2, 1},  {72, 1, 1, 1, 1, 1, 1, 1},
        {1024, 4, 63, 63, 4, 63, 63, 16},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct config config = {.http = "127.0.0.1:0",
                                .tcp = "127.0.0.1:0",
                                .unix_path = "/run/posed.sock",
                                .uploads = "in",
                                .loops = rows[i].loops,
                                .import_workers = rows[i].imports,
                                .render_workers = rows[i].renders};
        struct err err;
        config.limits.value[LIMIT_CONNECTIONS] = 10000;
        config.limits.value[LIMIT_UPLOADS] = 16;
        assert_int_equal(file_limit_share(&config, rows[i].files, &err), 0);
        assert_int_equal(config.loops, rows[i].loops_then);
        assert_int_equal(config.import_workers, rows[i].imports_then);
        assert_int_equal(config.render_workers, rows[i].renders_then);
        assert_int_equal(config.limits.value[LIMIT_UPLOADS], rows[i].uploads_then);
        assert_true(config.limits.value[LIMIT_CONNECTIONS] >= 4 && config.models_max >= 2 && config.refused_max >= 1);
        assert_true(config.work_threads >= 2 && config.file_threads >= 2);
    }
}

/* All files that may be open at once are no more than the limit, whatever is requested, or there is an error. */
TEST(no_file_is_given_away_twice)
{
    for (uint64_t files = 0; files < 600; files++)
        for (uint32_t loops = 1; loops <= 64; loops = 2 * loops + 1)
            for (uint32_t workers = 1; workers <= 1024; workers = 4 * workers) {
                struct config config = {
                    .http = "a:1", .tcp = "none", .loops = loops, .import_workers = workers, .render_workers = 1};
                struct err err;
                config.limits.value[LIMIT_CONNECTIONS] = 10000;
                if (file_limit_share(&config, files, &err) < 0) {
                    assert_true(files < 64 && config.loops == 1 && config.import_workers == 1);
                    assert_non_null(strstr(err.message, "ulimit -Hn"));
                    continue;
                }
                assert_true(17 + 6 * config.loops + 6 * config.import_workers +
                                2 * (config.work_threads + config.file_threads) +
                                config.limits.value[LIMIT_CONNECTIONS] + config.refused_max + config.models_max <=
                            files);
            }
}

static char *no_variable(const char *name)
{
    (void)name;
    return NULL;
}

static struct config defaults_with(uint64_t memory_bytes)
{
    const struct system_limits machine = {.cores = 2, .memory_bytes = memory_bytes};
    struct config config;
    struct err err;
    char *args[] = {(char[]){"posed"}, NULL};
    assert_int_equal(options_parse(&config, 1, args, no_variable, &machine, &err), OPTIONS_SERVE);
    return config;
}

TEST(limits_are_parts_of_the_memory)
{
    const uint64_t mib = 1 << 20;
    const struct config large = defaults_with(65536 * mib), small = defaults_with(512 * mib), none = defaults_with(0);
    for (int i = 0; i < LIMIT_COUNT; i++) {
        assert_int_equal(large.limits.value[i], none.limits.value[i]);
        assert_true(small.limits.value[i] <= large.limits.value[i]);
    }
    assert_int_equal(large.limits.value[LIMIT_CONNECTIONS], 10000);
    assert_int_equal(small.limits.value[LIMIT_CONNECTIONS], 4096);
    assert_int_equal(small.limits.value[LIMIT_CLIENT_MEMORY_BYTES], 64 * mib);
    assert_int_equal(small.limits.value[LIMIT_ANSWER_BYTES], 16 * mib);
    assert_int_equal(small.limits.value[LIMIT_FILE_BYTES], 64 * mib);
    assert_int_equal(small.limits.value[LIMIT_BAKED_BYTES], 128 * mib);
    assert_int_equal(small.cache_bytes, 128 * mib);
}

TEST(odd_memory_is_rounded_down)
{
    const uint64_t mib = 1 << 20;
    const struct config config = defaults_with(1001 * mib + 12345);
    assert_int_equal(config.limits.value[LIMIT_ANSWER_BYTES], 31 * mib);
    assert_int_equal(config.limits.value[LIMIT_CONNECTIONS], (1001 * mib + 12345) / 131072);
}
