#include "daemon/support/standard_streams.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

void standard_streams_open(void)
{
    /* open() returns the lowest free number */
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
            _exit(126);
}

bool standard_streams_has_terminal(void)
{
    const int terminal = open("/dev/tty", O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (terminal < 0)
        return false;
    close(terminal);
    return true;
}

bool standard_streams_hangup_ends(void)
{
    struct sigaction given;
    if (sigaction(SIGHUP, NULL, &given) == 0 && given.sa_handler == SIG_IGN)
        return false;
    if (standard_streams_has_terminal())
        return true;
    signal(SIGHUP, SIG_IGN);
    return false;
}

size_t standard_streams_columns(void)
{
    struct winsize size;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}
