/* Shared bytes, the budget they are counted in, and how files and memory are shared out. */
#include "check.h"

#include "../../server/app/budget.h"
#include "../../server/app/file_limit.h"
#include "../../server/app/options.h"
#include "../../server/base/blob.h"

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

TEST(budget_counts_shortages)
{
    struct budget budget = {.max_bytes = 100};
    size_t counted = 0, other = 0;
    budget_count(&budget, &counted, 60);
    budget_count(&budget, &other, 10);
    assert_int_equal(budget.used_bytes, 70);
    assert_true(budget_has_room(&budget, 30));
    assert_int_equal(budget.shortages, 0);
    assert_false(budget_has_room(&budget, 31));
    assert_int_equal(budget.shortages, 1);
    assert_false(budget_is_used_up(&budget));
    budget_count(&budget, &other, 40);
    assert_true(budget_is_used_up(&budget));
    budget_count(&budget, &other, 10);
    budget_count(&budget, &counted, 5);
    assert_int_equal(budget.used_bytes, 15);
    assert_int_equal(counted, 5);
    assert_true(budget_has_room(&budget, 85));
    assert_int_equal(budget.shortages, 1);
}

TEST(files_are_shared_out_between_connections_and_models)
{
    static const struct {
        uint64_t files, wanted, connections;
        uint32_t models;
    } rows[] = {
        {1 << 20, 10000, 10000, 16384},
        {20000, 10000, 10000, 9792},
        {1024, 10000, 612, 204},
        {1024, 100, 100, 716},
        {600, 10000, 294, 98},
        {100, 10000, 3, 1},
        {UINT64_MAX, 10000, 10000, 16384},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct config config = {.import_workers = 1, .render_workers = 1};
        config.limits.value[LIMIT_CONNECTIONS] = rows[i].wanted;
        file_limit_share(&config, rows[i].files);
        assert_int_equal(config.limits.value[LIMIT_CONNECTIONS], rows[i].connections);
        assert_int_equal(config.models_max, rows[i].models);
        /* what the rest needs is never given away */
        assert_true(rows[i].files < 300 || rows[i].connections + rows[i].models + 208 <= rows[i].files);
    }
}

static char *no_variable(const char *name)
{
    (void)name;
    return NULL;
}

static struct config defaults_with(uint64_t memory_bytes)
{
    const struct machine machine = {.cores = 2, .memory_bytes = memory_bytes};
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
