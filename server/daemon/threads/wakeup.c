#include "daemon/threads/wakeup.h"

#include "base/container_of.h"
#include "base/mem.h"

#include <errno.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static void on_readable(uv_poll_t *poll, int status __attribute__((unused)), int events __attribute__((unused)))
{
    struct wakeup *wakeup = container_of(poll, struct wakeup, poll);
    uint64_t count;
    (void)!read(wakeup->fd, &count, sizeof count); /* EAGAIN: it was taken already */
    wakeup->is_sent = false;                       /* later sends wake again */
    wakeup->taken(wakeup);
}

void wakeup_init(struct wakeup *wakeup, uv_loop_t *loop, void (*taken)(struct wakeup *wakeup))
{
    const int fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    wakeup->fd = fd;
    wakeup->is_sent = false;
    wakeup->taken = taken;
    if (fd < 0 || uv_poll_init(loop, &wakeup->poll, fd) != 0 ||
        uv_poll_start(&wakeup->poll, UV_READABLE, on_readable) != 0)
        mem_exhausted();
}

void wakeup_send(struct wakeup *wakeup)
{
    static const uint64_t ONE = 1;
    const int before = errno;
    if (!atomic_exchange(&wakeup->is_sent, true))
        (void)!write(wakeup->fd, &ONE, sizeof ONE); /* it cannot be full: each is taken before the next */
    errno = before;
}

void wakeup_close(struct wakeup *wakeup, uv_close_cb closed)
{
    uv_close((uv_handle_t *)&wakeup->poll, closed);
    close(atomic_exchange(&wakeup->fd, -1));
}
