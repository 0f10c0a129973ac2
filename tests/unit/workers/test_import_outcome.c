#include "tests/unit/support/check.h"
#include "tests/unit/support/fixture.h"

#include "daemon/importer/import_outcome.h"
#include "worker/import_result.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int memfd_of(const void *bytes, size_t size_bytes)
{
    const int fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, size_bytes), size_bytes);
    return fd;
}

/* Returns the error for `bytes` in the memfd and this end. Fails the test if they give a model. */
static struct err outcome_of(const void *bytes, size_t size_bytes, struct import_exit end)
{
    struct limits limits;
    struct err err = {0};
    struct imported_model *imported = NULL;
    limits_default(&limits);
    limits.value[LIMIT_IMPORT_TIME_MS] = 1234;
    end.path = "a/fox.glb";
    end.limits = &limits;
    end.child.output = end.child.output != NULL ? end.child.output : "";
    const int fd = memfd_of(bytes, size_bytes);
    const int rc = import_outcome(fd, &end, 1, &imported, &err);
    assert_true(rc < 0);
    assert_int_equal(rc, err.code);
    assert_null(imported);
    assert_int_equal(close(fd), 0); /* still the caller's */
    assert_non_null(strstr(err.message, "a/fox.glb"));
    return err;
}

TEST(import_outcome_of_every_way_to_end)
{
    static const struct {
        struct import_exit end;
        int code;
        const char *word;
    } rows[] = {
        {{.child.term_signal = SIGSEGV}, ERR_IMPORT_CRASHED, "signal 11, Segmentation fault"},
        {{.child.term_signal = SIGBUS}, ERR_IMPORT_CRASHED, "signal 7"},
        {{.child.term_signal = SIGFPE}, ERR_IMPORT_CRASHED, "signal 8"},
        {{.child.term_signal = SIGABRT}, ERR_IMPORT_ABORTED, "aborted"},
        {{.child.term_signal = SIGABRT, .child.output = "warn\nx.cpp:7: f(): Assertion `n > 0' failed.\n"},
         ERR_IMPORT_ABORTED,
         "a check of its own"},
        {{.child.term_signal = SIGABRT,
          .child.output = "terminate called after throwing an instance of 'std::out_of_range'\n  what():  at\n"},
         ERR_IMPORT_ABORTED,
         "a check of its own"},
        {{.child.term_signal = SIGABRT, .child.output = "ai_assert failure in x.cpp(7): n > 0"},
         ERR_IMPORT_ABORTED,
         "a check of its own"},
        {{.child.term_signal = SIGABRT, .child.output = "terminate called\n  what():  std::bad_alloc\n"},
         ERR_IMPORT_MEMORY,
         "bytes"},
        {{.child.term_signal = SIGXCPU}, ERR_IMPORT_CPU, "limit of 15 s; see --import-cpu 15"},
        {{.child.term_signal = SIGKILL, .child.is_timeout = true},
         ERR_IMPORT_TIMEOUT,
         "limit of 1234 ms, twice; see --import-timeout 1234"},
        {{.child.term_signal = SIGKILL}, ERR_IMPORT_KILLED, "try again later"},
        {{.child.term_signal = SIGKILL}, ERR_IMPORT_KILLED, "out of memory"},
        {{.child.term_signal = SIGKILL, .is_killed_again = true}, ERR_IMPORT_MEMORY, "twice in a row"},
        {{.child.term_signal = SIGTERM}, ERR_IMPORT_KILLED, "signal 15"},
        {{.child.term_signal = SIGINT}, ERR_IMPORT_KILLED, "signal 2"},
        {{.child.term_signal = SIGHUP}, ERR_IMPORT_KILLED, "signal 1"},
        {{.child.term_signal = SIGQUIT}, ERR_IMPORT_KILLED, "signal 3"},
        {{.child.term_signal = SIGTERM, .is_killed_again = true}, ERR_IMPORT_CRASHED, "twice in a row"},
        {{.child.term_signal = SIGXFSZ}, ERR_IMPORT_TOO_LARGE, "larger"},
#if defined(__x86_64__)
        {{.child.term_signal = SIGSYS, .child.output = "x\nrefused system call 1\nrefused system call 0\n"},
         ERR_IMPORT_SYSCALL,
         "stopped at read()"},
#endif
        {{.child.term_signal = SIGSYS, .child.output = "refused system call 99999\n"},
         ERR_IMPORT_SYSCALL,
         "system call 99999"},
        {{.child.term_signal = SIGSYS}, ERR_IMPORT_SYSCALL, "foreign"},
        {{.child.term_signal = SIGKILL, .is_breach = true}, ERR_IMPORT_CRASHED, "no request"},
        {{.child.term_signal = SIGKILL, .is_starved = true}, ERR_OVERLOADED, "no file descriptor"},
        {{.child.status = 0}, ERR_BAD_BAKE, "empty"},
        {{.child.status = 1}, ERR_IMPORT_CRASHED, "status 1"},
        {{.child.status = 77}, ERR_IMPORT_CRASHED, "status 77"},
        {{.child.status = 2, .child.output = "unknown option '--x'\n"}, ERR_IMPORT_CRASHED, "unknown option '--x'"},
        {{.child.status = 127, .child.output = "not found"}, ERR_IMPORT_CRASHED, "not found"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct err err = outcome_of("", 0, rows[i].end);
        assert_int_equal(err.code, rows[i].code);
        assert_non_null(strstr(err.message, rows[i].word));
    }
}

static struct import_failure failure_of(uint32_t number, const char *message)
{
    struct import_failure failure = {.number = number};
    memcpy(failure.magic, IMPORT_FAILURE_MAGIC, sizeof failure.magic);
    memcpy(failure.message, message, strlen(message));
    return failure;
}

TEST(import_outcome_is_never_the_servers_fault)
{
    for (int status = 0; status < 256; status++) {
        const int http = err_http_status(outcome_of("", 0, (struct import_exit){.child.status = status}).code);
        assert_int_equal(http, 422);
    }
    for (int number = 1; number < 65; number++) {
        const int http = err_http_status(outcome_of("", 0, (struct import_exit){.child.term_signal = number}).code);
        assert_true(http == 422 || http == 503);
    }
}

TEST(import_outcome_believes_a_failure_only_so_far)
{
    const struct import_exit refused = {.child.status = 1};
    struct import_failure failure = failure_of(34, "a/fox.glb: accessor 3 has no buffer view");
    struct err err = outcome_of(&failure, sizeof failure, refused);
    assert_int_equal(err.code, ERR_BAD_MODEL);
    assert_string_equal(err.message, "a/fox.glb: accessor 3 has no buffer view");

    failure = failure_of(30, "no\nsuch\x01 ending");
    err = outcome_of(&failure, sizeof failure, refused);
    assert_int_equal(err.code, ERR_UNKNOWN_FORMAT);
    assert_string_equal(err.message, "a/fox.glb: no?such? ending");

    failure = failure_of(34, "");
    err = outcome_of(&failure, sizeof failure, refused);
    assert_non_null(strstr(err.message, err_meaning(ERR_BAD_MODEL)));

    static const uint32_t not_its_to_say[] = {0, 1, 7, 9, 28, 39, 50, 53, 54, 999, UINT32_MAX};
    for (size_t i = 0; i < sizeof not_its_to_say / sizeof *not_its_to_say; i++) {
        failure = failure_of(not_its_to_say[i], "x");
        err = outcome_of(&failure, sizeof failure, refused);
        assert_int_equal(err.code, ERR_IMPORT_CRASHED);
        assert_non_null(strstr(err.message, "the importer failed: x"));
    }
    failure = failure_of(55, "no memory for the outline of 8 vertices"); /* its own memory */
    assert_int_equal(outcome_of(&failure, sizeof failure, refused).code, ERR_IMPORT_MEMORY);
    for (uint32_t number = 0; number < 200; number++) {
        failure = failure_of(number, "x");
        const int http = err_http_status(outcome_of(&failure, sizeof failure, refused).code);
        assert_true((http >= 400 && http < 500) || (http == 503 && number == (uint32_t)-ERR_SOURCE_UNAVAILABLE));
    }
}

TEST(import_outcome_of_a_damaged_failure)
{
    const struct import_exit refused = {.child.status = 1};
    struct import_failure failure = failure_of(34, "x");
    memset(failure.message, 'x', sizeof failure.message); /* no NUL anywhere */
    struct err err = outcome_of(&failure, sizeof failure, refused);
    assert_int_equal(err.code, ERR_BAD_MODEL);
    assert_true(strlen(err.message) < ERR_MESSAGE_SIZE);

    assert_int_equal(outcome_of(&failure, sizeof failure - 1, refused).code, ERR_IMPORT_CRASHED);
    failure.magic[0] = 'X';
    assert_int_equal(outcome_of(&failure, sizeof failure, refused).code, ERR_IMPORT_CRASHED);
}

/* What an importer does to its result so that posed cannot seal it. */
TEST(import_outcome_of_a_result_that_cannot_be_sealed)
{
    static const struct import_exit good = {.child.output = "", .path = "a"};
    struct limits limits;
    limits_default(&limits);
    for (int i = 0; i < 3; i++) {
        struct import_exit end = good;
        struct err err = {0};
        struct imported_model *imported = NULL;
        end.limits = &limits;
        const int fd = memfd_of("nothing", 7);
        void *mapping = MAP_FAILED;
        if (i == 0)
            assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL), 0);
        else if (i == 1)
            mapping = mmap(NULL, 7, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        else /* which is what posed wants: it is no model all the same */
            assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL), 0);
        assert_int_equal(import_outcome(fd, &end, 1, &imported, &err), ERR_BAD_BAKE);
        assert_int_equal(strstr(err.message, "sealed") != NULL, i < 2);
        err = (struct err){0};
        assert_int_equal(import_outcome_archive(fd, &end, &err), i < 2 ? ERR_BAD_BAKE : 0);
        if (mapping != MAP_FAILED)
            munmap(mapping, 7);
        close(fd);
    }
}

TEST(import_outcome_of_a_model)
{
    struct fixture fixture;
    fixture_worked(&fixture);
    struct limits limits;
    struct err err = {0};
    struct imported_model *imported = NULL;
    limits_default(&limits);
    const struct import_exit end = {.path = "a", .child.output = "", .limits = &limits};
    const int fd = memfd_of(fixture.block, fixture.size_bytes);
    assert_int_equal(import_outcome(fd, &end, 7, &imported, &err), 0);
    assert_int_equal(imported->key, 7);
    assert_int_equal(imported->fd, fd);
    assert_int_equal(imported->model.node_count, fixture.model.node_count);
    assert_int_equal(strlen(imported->hash), 64);
    /* nobody can change it any more */
    assert_int_equal(pwrite(fd, "x", 1, 0), -1);
    assert_int_equal(ftruncate(fd, 0), -1);
    imported_model_unref(imported_model_ref(imported));
    imported_model_unref(imported);
    assert_int_equal(fcntl(fd, F_GETFD), -1);

    ((char *)fixture.block)[0] ^= 1;
    assert_int_equal(outcome_of(fixture.block, fixture.size_bytes, (struct import_exit){0}).code, ERR_BAD_BAKE);
    fixture_fini(&fixture);
}
