/* The remaining rights of a user, each time in a process of its own. */
#include "tests/unit/support/check.h"

#include "worker/privileges.h"

#include <linux/capability.h>
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static bool is_user(uid_t user)
{
    uid_t real, effective, saved;
    return getresuid(&real, &effective, &saved) == 0 && real == user && effective == user && saved == user;
}

static bool has_capabilities(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3], none[_LINUX_CAPABILITY_U32S_3] = {{0}, {0}};
    return syscall(SYS_capget, &header, data) != 0 || memcmp(data, none, sizeof none) != 0;
}

static bool is_left(const struct privileges *privileges)
{
    const uid_t expected = privileges->is_leaving_root ? 65534 : privileges->own;
    return is_user(expected) && !has_capabilities();
}

/* Exit status 0: it went as it should. */
static int run(int (*in_child)(void))
{
    int status = -1;
    const pid_t child = fork();
    if (child == 0)
        _exit(in_child());
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static int leave(void)
{
    struct privileges privileges;
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    privileges_prepare(&privileges, false);
    privileges_drop();
    if (has_capabilities() || geteuid() != privileges.own)
        return 1;
    privileges_leave_root(&privileges);
    int signal = 0;
    if (privileges.is_leaving_root && (prctl(PR_GET_PDEATHSIG, &signal, 0, 0, 0) != 0 || signal == 0))
        return 2;
    if (!privileges_read(&privileges) || strncmp(privileges.capabilities, "none", 4) != 0)
        return 3;
    /* there is no way back */
    return is_left(&privileges) && setuid(privileges.own == 0 && privileges.is_leaving_root ? 0 : 1) != 0 ? 0 : 4;
}

TEST(privileges_leave) { assert_int_equal(run(leave), 0); }

static struct privileges shared;
static pthread_barrier_t both;

static void *wait_for_it(void *context)
{
    bool *is_good = context;
    pthread_barrier_wait(&both);
    pthread_barrier_wait(&both);
    *is_good = is_left(&shared);
    return NULL;
}

static int leave_with_a_thread(void)
{
    pthread_t thread;
    bool is_good = false;
    pthread_barrier_init(&both, NULL, 2);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    privileges_prepare(&shared, false);
    privileges_drop();
    if (pthread_create(&thread, NULL, wait_for_it, &is_good) != 0)
        return 1;
    pthread_barrier_wait(&both);
    privileges_leave_root(&shared);
    pthread_barrier_wait(&both);
    pthread_join(thread, NULL);
    return is_good ? 0 : 2;
}

TEST(privileges_leave_in_all_threads) { assert_int_equal(run(leave_with_a_thread), 0); }

static int stay(void)
{
    struct privileges privileges;
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    privileges_prepare(&privileges, true);
    privileges_drop();
    privileges_leave_root(&privileges);
    return privileges_read(&privileges) && !privileges.is_leaving_root && is_left(&privileges) ? 0 : 1;
}

TEST(privileges_stay_the_same_user) { assert_int_equal(run(stay), 0); }

static int keep(void)
{
    struct privileges privileges;
    privileges_prepare(&privileges, true);
    return privileges_read(&privileges) || strncmp(privileges.capabilities, "none", 4) == 0;
}

TEST(privileges_that_are_left_are_told)
{
    if (!has_capabilities())
        skip();
    assert_int_equal(run(keep), 0);
}
