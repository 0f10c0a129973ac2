#include "render/gl/target.h"

#include <stddef.h>

/* Larger targets are not kept beside others: 16 million pixels are 128 MB. */
static const uint64_t KEPT_PIXELS_MAX = 2048 * 2048;

static void drop(struct target *target, const struct gl *gl)
{
    if (target->width == 0)
        return;
    gl->DeleteFramebuffers(1, &target->framebuffer);
    gl->DeleteRenderbuffers(1, &target->color);
    gl->DeleteRenderbuffers(1, &target->depth);
    *target = (struct target){0};
}

static GLuint add_buffer(const struct gl *gl, GLenum attachment, GLenum format, uint32_t width, uint32_t height)
{
    GLuint buffer = 0;
    gl->GenRenderbuffers(1, &buffer);
    gl->BindRenderbuffer(GL_RENDERBUFFER, buffer);
    gl->RenderbufferStorage(GL_RENDERBUFFER, format, (GLsizei)width, (GLsizei)height);
    gl->FramebufferRenderbuffer(GL_FRAMEBUFFER, attachment, GL_RENDERBUFFER, buffer);
    return buffer;
}

static int make(struct target *target, const struct gl *gl, uint32_t width, uint32_t height, struct err *err)
{
    *target = (struct target){.width = width, .height = height};
    gl->GenFramebuffers(1, &target->framebuffer);
    gl->BindFramebuffer(GL_FRAMEBUFFER, target->framebuffer);
    target->color = add_buffer(gl, GL_COLOR_ATTACHMENT0, GL_RGBA8, width, height);
    target->depth = add_buffer(gl, GL_DEPTH_STENCIL_ATTACHMENT, GL_DEPTH24_STENCIL8, width, height);
    const GLenum status = gl->CheckFramebufferStatus(GL_FRAMEBUFFER);
    int rc = gl_check(gl, "the picture", err);
    if (rc == 0 && status != GL_FRAMEBUFFER_COMPLETE)
        rc = err_set(err, ERR_NO_MEMORY, "the renderer cannot make a target of %u x %u pixels (status 0x%04x)", width,
                     height, status);
    if (rc < 0)
        drop(target, gl);
    return rc;
}

static struct target *find(struct targets *targets, uint32_t width, uint32_t height)
{
    for (int i = 0; i < TARGET_COUNT; i++)
        if (targets->kept[i].width == width && targets->kept[i].height == height)
            return &targets->kept[i];
    return NULL;
}

/* The place to use next: an empty one or the one unused for longest. Large targets make room for themselves. */
static struct target *make_room(struct targets *targets, const struct gl *gl, uint64_t pixels)
{
    struct target *oldest = &targets->kept[0];
    for (int i = 0; i < TARGET_COUNT; i++) {
        struct target *kept = &targets->kept[i];
        if (pixels > KEPT_PIXELS_MAX || (uint64_t)kept->width * kept->height > KEPT_PIXELS_MAX)
            drop(kept, gl);
        if (kept->used_at < oldest->used_at)
            oldest = kept;
    }
    drop(oldest, gl);
    return oldest;
}

int target_bind(struct targets *targets, const struct gl *gl, uint32_t width, uint32_t height, struct err *err)
{
    struct target *target = find(targets, width, height);
    if (target == NULL) {
        target = make_room(targets, gl, (uint64_t)width * height);
        if (make(target, gl, width, height, err) < 0)
            return err->code;
    }
    target->used_at = ++targets->clock;
    gl->BindFramebuffer(GL_FRAMEBUFFER, target->framebuffer);
    gl->Viewport(0, 0, (GLsizei)width, (GLsizei)height);
    gl->DepthMask(GL_TRUE);
    gl->ClearColor(0, 0, 0, 0);
    gl->Clear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
    return 0;
}

void targets_fini(struct targets *targets, const struct gl *gl)
{
    for (int i = 0; i < TARGET_COUNT; i++)
        drop(&targets->kept[i], gl);
}
