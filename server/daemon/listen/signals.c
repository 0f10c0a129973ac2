#include "daemon/listen/signals.h"

#include "daemon/support/standard_streams.h"
#include "daemon/threads/wakeup.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

/* A shell that has sent SIGHUP and ends takes its terminal with it: in milliseconds, or in seconds on a busy machine.
 */
enum { TERMINAL_MS = 1000, TERMINAL_LOOKS = 10 };

/* Not uv_signal: when its last handle closes, a signal has its default action again, and a second signal at the very
 * end would end the process in another way than one a moment before. */
static struct {
    struct wakeup wakeup;
    uv_timer_t terminal; /* checks again whether it exists */
    int terminal_looks;  /* so often */
    const struct signal_events *events;
    void *user;
    bool has_terminal;
    bool is_stopping;
    pid_t session;
    unsigned end_limit_s;
    atomic_int stop_signal; /* the first that stops the server; 0: none came */
    atomic_bool has_hung_up, is_by_terminal;
} state;

static void stop(int number)
{
    if (state.is_stopping)
        return;
    state.is_stopping = true;
    state.events->stop(state.user, number);
}

static void stop_without_terminal(void)
{
    if (atomic_compare_exchange_strong(&state.stop_signal, &(int){0}, SIGHUP))
        alarm(state.end_limit_s);
    stop(SIGHUP);
}

static void on_terminal(uv_timer_t *timer)
{
    if (!standard_streams_has_terminal()) {
        uv_timer_stop(timer);
        stop_without_terminal();
    } else if (--state.terminal_looks == 0) {
        uv_timer_stop(timer);
    }
}

static void hang_up(bool is_by_terminal)
{
    const bool is_last_word = state.has_terminal && is_by_terminal;
    if (is_last_word && !standard_streams_has_terminal()) {
        stop_without_terminal();
        return;
    }
    if (is_last_word) { /* some shells send it to their jobs when they are told to exit */
        state.terminal_looks = TERMINAL_LOOKS;
        uv_timer_start(&state.terminal, on_terminal, TERMINAL_MS, TERMINAL_MS);
    }
    state.events->reload(state.user);
}

static void on_wakeup(struct wakeup *wakeup)
{
    (void)wakeup;
    const int number = state.stop_signal;
    if (number != 0)
        stop(number);
    else if (atomic_exchange(&state.has_hung_up, false))
        hang_up(atomic_exchange(&state.is_by_terminal, false));
}

/* Runs on any thread, also after the loop has ended. */
static void on_stop_signal(int number)
{
    const int before = errno;
    if (!atomic_compare_exchange_strong(&state.stop_signal, &(int){0}, number))
        _exit(128 + number);
    alarm(state.end_limit_s); /* a loop that hangs, perhaps this one, must not delay the end */
    wakeup_send(&state.wakeup);
    errno = before;
}

/* The system sends it when a terminal is closed, and so does the shell, which leads the session. */
static void on_hangup(int number, siginfo_t *info, void *context)
{
    const int before = errno;
    (void)number, (void)context;
    if (info->si_code == SI_KERNEL || info->si_pid == state.session)
        state.is_by_terminal = true;
    state.has_hung_up = true;
    wakeup_send(&state.wakeup);
    errno = before;
}

static void on_end_limit(int number)
{
    static const char WORDS[] = "posed: something could not be ended in time\n";
    (void)number;
    (void)!write(STDERR_FILENO, WORDS, sizeof WORDS - 1);
    _exit(EXIT_FAILURE);
}

void signals_start(uv_loop_t *loop, bool has_terminal, uint64_t end_limit_s, const struct signal_events *events,
                   void *user)
{
    state.events = events;
    state.user = user;
    state.has_terminal = has_terminal;
    state.session = getsid(0);
    state.end_limit_s = end_limit_s < UINT_MAX ? (unsigned)end_limit_s : UINT_MAX;
    wakeup_init(&state.wakeup, loop, on_wakeup);
    uv_timer_init(loop, &state.terminal);
    uv_unref((uv_handle_t *)&state.wakeup.poll);
    uv_unref((uv_handle_t *)&state.terminal);
    const struct sigaction stop_action = {.sa_handler = on_stop_signal, .sa_flags = SA_RESTART};
    sigaction(SIGTERM, &stop_action, NULL);
    sigaction(SIGINT, &stop_action, NULL);
    const struct sigaction hangup_action = {.sa_sigaction = on_hangup, .sa_flags = SA_RESTART | SA_SIGINFO};
    sigaction(SIGHUP, &hangup_action, NULL);
    const struct sigaction last = {.sa_handler = on_end_limit};
    sigaction(SIGALRM, &last, NULL);
}

void signals_stop(void)
{
    signal(SIGHUP, SIG_IGN); /* there is nothing to reload any more, and no handle that could tell of it */
    wakeup_close(&state.wakeup, NULL);
    uv_close((uv_handle_t *)&state.terminal, NULL);
}

void signals_drop(void)
{
    signal(SIGTERM, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    signals_stop();
}
