#include "tests/unit/support/fake_imports.h"

#include "tests/unit/support/check.h"
#include "tests/unit/support/fixture.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct fake_imports fake;
static struct stat begun; /* the file, when its import began */

#define POOL ((struct import_pool *)(void *)&fake)

struct import_pool *fake_imports(const struct temp_tree *root)
{
    fake = (struct fake_imports){.root = root};
    return POOL;
}

void fake_imports_for_services(const struct temp_tree *root)
{
    fake_imports(root);
    fake.is_of_services = true;
}

struct import_pool *__real_import_pool_new(uv_loop_t *loop, const struct config *config, int root_fd);
struct import_pool *__wrap_import_pool_new(uv_loop_t *loop, const struct config *config, int root_fd);
struct import_pool *__wrap_import_pool_new(uv_loop_t *loop, const struct config *config, int root_fd)
{
    return fake.is_of_services ? POOL : __real_import_pool_new(loop, config, root_fd);
}

void __real_import_pool_free(struct import_pool *pool);
void __wrap_import_pool_free(struct import_pool *pool);
void __wrap_import_pool_free(struct import_pool *pool)
{
    if (pool != POOL)
        __real_import_pool_free(pool);
}

int __real_import_pool_submit(struct import_pool *pool, struct import_job *job, struct err *err);
int __wrap_import_pool_submit(struct import_pool *pool, struct import_job *job, struct err *err);
int __wrap_import_pool_submit(struct import_pool *pool, struct import_job *job, struct err *err)
{
    if (pool != POOL)
        return __real_import_pool_submit(pool, job, err);
    if (fake.is_full)
        return err_set(err, ERR_OVERLOADED, "the queue is full");
    assert_true(fake.submitted < sizeof fake.jobs / sizeof *fake.jobs);
    fake.jobs[fake.submitted++] = job;
    begun.st_ino = 0;
    return 0;
}

bool __real_import_pool_drop(struct import_pool *pool, struct import_job *job);
bool __wrap_import_pool_drop(struct import_pool *pool, struct import_job *job);
bool __wrap_import_pool_drop(struct import_pool *pool, struct import_job *job)
{
    if (pool != POOL)
        return __real_import_pool_drop(pool, job);
    if (begun.st_ino != 0)
        return false;
    fake.dropped++;
    fake.jobs[fake.submitted - 1] = NULL;
    return true;
}

static struct import_job *last_job(void)
{
    assert_true(fake.submitted > 0);
    assert_non_null(fake.jobs[fake.submitted - 1]);
    return fake.jobs[fake.submitted - 1];
}

void fake_begin(void)
{
    struct import_job *job = last_job();
    assert_int_equal(fstatat(fake.root->fd, job->path, &begun, 0), 0);
    job->starting(job);
}

static struct import_job *take_job(void)
{
    struct import_job *job = last_job();
    if (begun.st_ino == 0)
        fake_begin();
    fake.jobs[fake.submitted - 1] = NULL;
    return job;
}

void fake_end_well(void)
{
    static uint64_t key = 1000;
    struct import_job *job = take_job();
    struct fixture fixture;
    struct imported_model *imported;
    struct err err;
    fixture_init(&fixture);
    fixture_root(&fixture, fixture_node(&fixture, -1, FIXTURE_ZERO, FIXTURE_NO_TURN, FIXTURE_ONE));
    const struct stamp stamp = stamp_of(&begun);
    *bake_add_source_file(&fixture.builder, 1) = (struct source_file){
        .path = bake_textz(&fixture.builder, job->path),
        .role = SOURCE_MODEL,
        .size_bytes = stamp.size_bytes,
        .mtime_ns = stamp.mtime_ns,
        .ctime_ns = stamp.ctime_ns,
        .inode = stamp.inode,
    };
    fixture_finish(&fixture);
    const int fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    assert_int_equal(write(fd, fixture.block, fixture.size_bytes), fixture.size_bytes);
    fixture_fini(&fixture);
    assert_int_equal(imported_model_open(fd, key++, &imported, &err), 0);
    job->done(job, imported, NULL);
}

void fake_end_badly(int code)
{
    struct import_job *job = take_job();
    struct err err;
    err_set(&err, code, "%s: the importer says so", job->path);
    job->done(job, NULL, &err);
}
