/* Models in memory: a large one is given back without making the caller wait. */
#include "tests/unit/support/check.h"
#include "tests/unit/support/fixture.h"

#include "daemon/model/imported_model.h"

#include <pthread.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static int large_memfd(void)
{
    struct fixture fixture;
    fixture_init(&fixture);
    fixture_root(&fixture, fixture_node(&fixture, -1, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE));
    assert_non_null(bake_add_key_value(&fixture.builder, 16 << 20));
    fixture_finish(&fixture);
    const int fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    assert_int_equal(write(fd, fixture.block, fixture.size_bytes), fixture.size_bytes);
    fixture_fini(&fixture);
    return fd;
}

/* 64 MiB take some ten milliseconds; the best of several, because a machine may be busy. */
TEST(baked_large_model_goes_beside)
{
    double waited_ms = 1e9, worked_ms = 1e9;
    for (int i = 0; i < 3; i++) {
        struct imported_model *imported;
        struct err err;
        const int fd = large_memfd();
        assert_int_equal(imported_model_open(fd, 1, &imported, &err), 0);
        double start_ms = now_ms();
        imported_model_unref(imported);
        const double unref_ms = now_ms() - start_ms;
        for (int wait = 0; fcntl(fd, F_GETFD) >= 0; wait++) {
            assert_true(wait < 10000);
            usleep(100);
        }
        assert_int_equal(errno, EBADF);
        const double all_ms = now_ms() - start_ms;
        waited_ms = unref_ms < waited_ms ? unref_ms : waited_ms;
        worked_ms = all_ms < worked_ms ? all_ms : worked_ms;
    }
    assert_true(waited_ms < worked_ms / 3);
}

/* --- sealing --- */

struct writer {
    void *bytes;
    size_t size_bytes;
};

static void *unmap_later(void *user)
{
    const struct writer *writer = user;
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    munmap(writer->bytes, writer->size_bytes);
    return NULL;
}

/* The kernel may hold the pages in the same way. */
TEST(imported_model_waits_for_a_writer_that_goes)
{
    struct writer writer = {.size_bytes = 4096};
    struct err err;
    pthread_t thread;
    const int fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    assert_true(fd >= 0 && ftruncate(fd, 4096) == 0);
    writer.bytes = mmap(NULL, writer.size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_true(writer.bytes != MAP_FAILED);
    assert_int_equal(imported_model_seal(fd, &err), ERR_BAD_BAKE);
    assert_int_equal(pthread_create(&thread, NULL, unmap_later, &writer), 0);
    assert_int_equal(imported_model_seal(fd, &err), 0);
    assert_int_equal(imported_model_seal(fd, &err), 0);
    pthread_join(thread, NULL);
    close(fd);
}
