#include "tests/unit/support/shared_renderer.h"

#include "anim/pose/pose.h"
#include "tests/unit/support/check.h"

#include <sys/mman.h>
#include <unistd.h>

/* What LeakSanitizer is told: Mesa never frees a few bytes of each context. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:libOSMesa.so\nleak:libEGL\nleak:_dri.so\n"; }

struct renderer *shared_renderer(void)
{
    static struct renderer *shared;
    struct err err = {0};
    if (shared != NULL)
        return shared;
    const int rc = renderer_new("auto", 64 << 20, &shared, &err);
    if (rc == ERR_UNAVAILABLE)
        skip();
    if (rc < 0)
        fail_msg("%s", err.message);
    return shared;
}

uint64_t shared_renderer_key(void)
{
    static uint64_t key;
    return ++key;
}

int shared_renderer_draw(const struct fixture *f, const struct picture_spec *picture, uint32_t joint, struct buf *png)
{
    static struct render_work work;
    struct err err = {0};
    work = (struct render_work){.job = {.picture = *picture,
                                        .width = picture->width,
                                        .height = picture->height,
                                        .cell_count = 1,
                                        .drawn_count = 1,
                                        .joint = joint,
                                        .model_key = shared_renderer_key(),
                                        .model_bytes = f->size_bytes},
                                .cells = {{.clip = POSE_REST}}};
    const int fd = memfd_create("test", MFD_CLOEXEC);
    assert_int_equal(write(fd, f->block, f->size_bytes), f->size_bytes);
    buf_init(png, 0);
    const int rc = renderer_draw(shared_renderer(), &work, fd, NULL, png, NULL, &err);
    close(fd);
    return rc;
}
