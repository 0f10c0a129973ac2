/* framebuffer.c - creates framebuffers and reuses those of the same size. */
#include "render/gl/framebuffer.h"

#include <stddef.h>

/* Larger targets are not kept beside others, because 16 million pixels take 128 MB. */
static const uint64_t KEPT_PIXELS_MAX = 2048 * 2048;

static void drop(struct framebuffer *framebuffer, const struct gl *gl)
{
    if (framebuffer->width == 0)
        return;
    gl->DeleteFramebuffers(1, &framebuffer->name);
    gl->DeleteRenderbuffers(1, &framebuffer->color);
    gl->DeleteTextures(1, &framebuffer->depth);
    *framebuffer = (struct framebuffer){0};
}

static GLuint add_color(const struct gl *gl, uint32_t width, uint32_t height)
{
    GLuint buffer = 0;
    gl->GenRenderbuffers(1, &buffer);
    gl->BindRenderbuffer(GL_RENDERBUFFER, buffer);
    gl->RenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, (GLsizei)width, (GLsizei)height);
    gl->FramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, buffer);
    return buffer;
}

/* Makes a texture, because the CPU may provide the depths (draw_gathered.c). */
static GLuint add_depth(const struct gl *gl, uint32_t width, uint32_t height)
{
    GLuint texture = 0;
    gl->GenTextures(1, &texture);
    gl->ActiveTexture(GL_TEXTURE0);
    gl->BindTexture(GL_TEXTURE_2D, texture);
    gl->TexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH24_STENCIL8, (GLsizei)width, (GLsizei)height, 0, GL_DEPTH_STENCIL,
                   GL_UNSIGNED_INT_24_8, NULL);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    gl->FramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, GL_TEXTURE_2D, texture, 0);
    return texture;
}

static int make(struct framebuffer *framebuffer, const struct gl *gl, uint32_t width, uint32_t height, struct err *err)
{
    *framebuffer = (struct framebuffer){.width = width, .height = height};
    gl->GenFramebuffers(1, &framebuffer->name);
    gl->BindFramebuffer(GL_FRAMEBUFFER, framebuffer->name);
    framebuffer->color = add_color(gl, width, height);
    framebuffer->depth = add_depth(gl, width, height);
    const GLenum status = gl->CheckFramebufferStatus(GL_FRAMEBUFFER);
    int rc = gl_check(gl, "the picture", err);
    if (rc == 0 && status != GL_FRAMEBUFFER_COMPLETE)
        rc = err_set(err, ERR_NO_MEMORY, "the renderer cannot make a target of %u x %u pixels (status 0x%04x)", width,
                     height, status);
    if (rc < 0)
        drop(framebuffer, gl);
    return rc;
}

static struct framebuffer *find(struct framebuffer_cache *cache, uint32_t width, uint32_t height)
{
    for (int i = 0; i < FRAMEBUFFER_COUNT; i++)
        if (cache->kept[i].width == width && cache->kept[i].height == height)
            return &cache->kept[i];
    return NULL;
}

/* Returns an unused entry, or the one unused for longest. Large targets evict others. */
static struct framebuffer *make_capacity(struct framebuffer_cache *cache, const struct gl *gl, uint64_t pixels)
{
    struct framebuffer *oldest = &cache->kept[0];
    for (int i = 0; i < FRAMEBUFFER_COUNT; i++) {
        struct framebuffer *kept = &cache->kept[i];
        if (pixels > KEPT_PIXELS_MAX || (uint64_t)kept->width * kept->height > KEPT_PIXELS_MAX)
            drop(kept, gl);
        if (kept->used_at < oldest->used_at)
            oldest = kept;
    }
    drop(oldest, gl);
    return oldest;
}

int framebuffer_bind(struct framebuffer_cache *cache, const struct gl *gl, uint32_t width, uint32_t height,
                     struct err *err)
{
    struct framebuffer *framebuffer = find(cache, width, height);
    if (framebuffer == NULL) {
        framebuffer = make_capacity(cache, gl, (uint64_t)width * height);
        if (make(framebuffer, gl, width, height, err) < 0)
            return err->code;
    }
    framebuffer->used_at = ++cache->clock;
    gl->BindFramebuffer(GL_FRAMEBUFFER, framebuffer->name);
    gl->Viewport(0, 0, (GLsizei)width, (GLsizei)height);
    gl->DepthMask(GL_TRUE);
    gl->ClearColor(0, 0, 0, 0);
    gl->Clear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
    return 0;
}

const struct framebuffer *framebuffer_bound(const struct framebuffer_cache *cache)
{
    const struct framebuffer *bound = &cache->kept[0];
    for (int i = 1; i < FRAMEBUFFER_COUNT; i++)
        if (cache->kept[i].used_at > bound->used_at)
            bound = &cache->kept[i];
    return bound;
}
