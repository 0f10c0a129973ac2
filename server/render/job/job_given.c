#include "render/job/job_given.h"

#include "anim/given/given_store.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

static int read_all(struct job_given *given, const struct render_job *job, const char *bytes, const struct model *model,
                    struct err *err)
{
    for (size_t at = 0; at < job->given_bytes;) {
        if (given->count == RENDER_GIVEN_MAX)
            return err_set(err, ERR_BAD_PARAMETER, "a job has at most %d given poses", RENDER_GIVEN_MAX);
        struct given_pose *pose = &given->poses[given->count++];
        if (given_store_get(bytes, (size_t)job->given_bytes, &at, pose, err) < 0 ||
            given_pose_finish(pose, model, err) < 0)
            return err->code;
    }
    return 0;
}

int job_given_init(struct job_given *given, const struct render_job *job, int fd, const struct model *model,
                   struct err *err)
{
    given->count = 0;
    if (job->given_bytes == 0)
        return 0;
    void *bytes = mmap(NULL, (size_t)job->given_bytes, PROT_READ, MAP_SHARED, fd, 0);
    if (bytes == MAP_FAILED)
        return err_set(err, ERR_INTERNAL, "cannot map the given poses: %s", strerror(errno));
    const int rc = read_all(given, job, bytes, model, err);
    munmap(bytes, (size_t)job->given_bytes);
    return rc;
}

void job_given_fini(struct job_given *given)
{
    for (uint32_t i = 0; i < given->count; i++)
        given_pose_fini(&given->poses[i]);
    given->count = 0;
}

const struct given_pose *job_given_pose(const struct job_given *given, uint32_t number)
{
    return number >= 1 && number <= given->count ? &given->poses[number - 1] : NULL;
}
