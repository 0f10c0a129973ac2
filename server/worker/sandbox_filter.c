/* The allowed system calls. libseccomp knows each processor's call numbers, argument registers and foreign calling
 * conventions. */
#include "worker/resource_limits.h"
#include "worker/sandbox.h"

#include <errno.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { ALL = SANDBOX_IMPORT | SANDBOX_RENDER | SANDBOX_FORKS, FILES_FD = 3, RESULT_FD = 4, JOBS_FD = 3 };
/* Filters accumulate: what a fork server may not do, its importers may not do either. */
enum { IMPORTERS = SANDBOX_IMPORT | SANDBOX_FORKS };
/* First arguments of seccomp(). Others are refused everywhere, see on_refused(). */
enum { SET_FILTER = 1, ASK_FOR_ACTION = 2 };

struct rule {
    unsigned programs;
    int call;
    unsigned compared; /* 0 or 1 */
    struct scmp_arg_cmp argument;
};

#define ARG(number, operation, a, b)                                                                                   \
    1, { .arg = (number), .op = (operation), .datum_a = (a), .datum_b = (b) }
#define ANY                                                                                                            \
    0, { 0 }
#define IS(number, value) ARG(number, SCMP_CMP_EQ, value, 0)

static const struct rule ALLOWED[] = {
    /* memory; a parser never needs to execute what it wrote */
    {ALL, SCMP_SYS(brk), ANY},
    {ALL, SCMP_SYS(munmap), ANY},
    {ALL, SCMP_SYS(mremap), ANY},
    {ALL, SCMP_SYS(madvise), ANY},
    {IMPORTERS, SCMP_SYS(mmap), ARG(2, SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)},
    {IMPORTERS, SCMP_SYS(mprotect), ARG(2, SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)},
    /* descriptors that are already open; files and jobs come with theirs */
    {ALL, SCMP_SYS(read), ANY},
    {ALL, SCMP_SYS(close), ANY},
    {ALL, SCMP_SYS(write), IS(0, STDERR_FILENO)},
    {ALL, SCMP_SYS(writev), IS(0, STDERR_FILENO)}, /* the C library's last message about a broken heap */
    {ALL, SCMP_SYS(recvmsg), IS(0, FILES_FD)},
    {IMPORTERS, SCMP_SYS(sendmsg), IS(0, FILES_FD)},
    {IMPORTERS, SCMP_SYS(write), IS(0, RESULT_FD)},
    {SANDBOX_RENDER, SCMP_SYS(sendto), IS(0, JOBS_FD)},
    {SANDBOX_RENDER, SCMP_SYS(lseek), ANY}, /* size of a model's memory file */
    /* ending itself, including by abort(): see add_abort() */
    {ALL, SCMP_SYS(exit), ANY},
    {ALL, SCMP_SYS(exit_group), ANY},
    {ALL, SCMP_SYS(getpid), ANY},
    {ALL, SCMP_SYS(gettid), ANY},
    {ALL, SCMP_SYS(rt_sigprocmask), ANY},
    {ALL, SCMP_SYS(restart_syscall), ANY}, /* recvmsg() after SIGSTOP and SIGCONT */
    /* the C library: locks, random numbers for its heap, the clock where the vDSO has none, qsort()'s query of the
     * memory size */
    {ALL, SCMP_SYS(futex), ANY},
    {ALL, SCMP_SYS(getrandom), ANY},
    {ALL, SCMP_SYS(clock_gettime), ANY},
    {ALL, SCMP_SYS(gettimeofday), ANY},
    {ALL, SCMP_SYS(time), ANY},
    {ALL, SCMP_SYS(sysinfo), ANY},
    /* a fork server makes copies of itself, which then become importers: resource_limits_set(), sandbox_enter() */
    {SANDBOX_FORKS, SCMP_SYS(clone), IS(0, CLONE_PARENT | SIGCHLD)},
    {SANDBOX_FORKS, SCMP_SYS(dup2), ANY},
    {SANDBOX_FORKS, SCMP_SYS(dup3), ANY},
    {SANDBOX_FORKS, SCMP_SYS(setpgid), IS(0, 0)},
    {SANDBOX_FORKS, SCMP_SYS(getppid), ANY},
    {SANDBOX_FORKS, SCMP_SYS(prctl), IS(0, PR_SET_NAME)},
    {SANDBOX_FORKS, SCMP_SYS(prctl), IS(0, PR_SET_PDEATHSIG)},
    {SANDBOX_FORKS, SCMP_SYS(prctl), IS(0, PR_SET_NO_NEW_PRIVS)},
    {SANDBOX_FORKS, SCMP_SYS(prctl), IS(0, PR_SET_SECCOMP)},
    {SANDBOX_FORKS, SCMP_SYS(getrlimit), ANY},
    {SANDBOX_FORKS, SCMP_SYS(setrlimit), ANY},
    {SANDBOX_FORKS, SCMP_SYS(prlimit64), IS(0, 0)},
    {SANDBOX_FORKS, SCMP_SYS(rt_sigaction), ANY},
    {SANDBOX_FORKS, SCMP_SYS(seccomp), IS(0, SET_FILTER)},
    {SANDBOX_FORKS, SCMP_SYS(seccomp), IS(0, ASK_FOR_ACTION)},
    /* the driver compiles shaders: memory that is written, then executed */
    {SANDBOX_RENDER, SCMP_SYS(mmap), ANY},
    {SANDBOX_RENDER, SCMP_SYS(mprotect), ANY},
    {SANDBOX_RENDER, SCMP_SYS(sched_yield), ANY},
    {SANDBOX_RENDER, SCMP_SYS(sched_getaffinity), ANY},
    /* its threads may still be starting, or in the C library's handler for privileges_leave_root() */
    {SANDBOX_RENDER, SCMP_SYS(set_robust_list), ANY},
    {SANDBOX_RENDER, SCMP_SYS(rseq), ANY},
    {SANDBOX_RENDER, SCMP_SYS(rt_sigreturn), ANY},
};

/* Drivers try several optional things, such as their shader cache and the number of processors. Calls that are not
 * listed here give them EPERM. A worker that could write to the shader cache could leave code there for the next one.
 * No driver tries the calls in this list. */
static const int ENDS_RENDER[] = {
    SCMP_SYS(socket),
    SCMP_SYS(connect),
    SCMP_SYS(bind),
    SCMP_SYS(execve),
    SCMP_SYS(execveat),
    SCMP_SYS(fork),
    SCMP_SYS(vfork),
    SCMP_SYS(ptrace),
    SCMP_SYS(kill),
    SCMP_SYS(process_vm_readv),
    SCMP_SYS(process_vm_writev),
    SCMP_SYS(pidfd_open),
    SCMP_SYS(openat2),
    SCMP_SYS(unshare),
    SCMP_SYS(setns),
    SCMP_SYS(mount),
    SCMP_SYS(io_uring_setup),
    SCMP_SYS(bpf),
    SCMP_SYS(userfaultfd),
    SCMP_SYS(perf_event_open),
    SCMP_SYS(seccomp),
    SCMP_SYS(rt_sigaction),
    SCMP_SYS(setuid),
    SCMP_SYS(setreuid),
    SCMP_SYS(setresuid),
    SCMP_SYS(setfsuid),
    SCMP_SYS(capset),
    SCMP_SYS(keyctl),
    SCMP_SYS(add_key),
};

/* abort() raises SIGABRT, and a failed assertion must be distinguishable from a refused call. A fork server's filter
 * cannot know the process ids of its importers; their own filter does. */
static int add_abort(scmp_filter_ctx filter, enum sandbox_program program)
{
    if (program == SANDBOX_FORKS)
        return seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1, SCMP_A2(SCMP_CMP_EQ, SIGABRT, 0));
    return seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 2,
                            SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)getpid(), 0), SCMP_A2(SCMP_CMP_EQ, SIGABRT, 0));
}

/* An importer lowers its priority: resource_limits_yield(). */
static int add_yield(scmp_filter_ctx filter)
{
    return seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(setpriority), 3, SCMP_A0(SCMP_CMP_EQ, PRIO_PROCESS, 0),
                            SCMP_A1(SCMP_CMP_EQ, 0, 0), SCMP_A2(SCMP_CMP_EQ, RESOURCE_LIMITS_NICE, 0));
}

/* The driver has all its threads once it has drawn (warm_up.h), so no more are made. A new thread gets the error of a
 * full machine, which drivers tolerate; a new process can only be an attack. The flags of clone3() are in memory, where
 * a filter cannot see them, so it is refused, and the C library falls back to clone(). */
static int refuse_threads(scmp_filter_ctx filter)
{
    int rc = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
    if (rc == 0)
        rc = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EAGAIN), SCMP_SYS(clone), 1,
                              SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD));
    if (rc == 0)
        rc = seccomp_rule_add(filter, SCMP_ACT_TRAP, SCMP_SYS(clone), 1, SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0));
    return rc;
}

static int add_rules(scmp_filter_ctx filter, enum sandbox_program program)
{
    int rc = add_abort(filter, program);
    for (size_t i = 0; i < sizeof ALLOWED / sizeof *ALLOWED && rc == 0; i++)
        if ((ALLOWED[i].programs & program) != 0)
            rc = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, ALLOWED[i].call, ALLOWED[i].compared,
                                        &ALLOWED[i].argument);
    if (program == SANDBOX_FORKS && rc == 0)
        rc = add_yield(filter);
    if (program != SANDBOX_RENDER)
        return rc;
    for (size_t i = 0; i < sizeof ENDS_RENDER / sizeof *ENDS_RENDER && rc == 0; i++)
        rc = seccomp_rule_add(filter, SCMP_ACT_TRAP, ENDS_RENDER[i], 0);
    return rc == 0 ? refuse_threads(filter) : rc;
}

/* Uses only calls that are safe in a signal handler. A second refused call finds no handler and ends the process. */
static void on_refused(int number __attribute__((unused)), siginfo_t *info, void *context __attribute__((unused)))
{
    static const char words[] = "\n" SANDBOX_REFUSED;
    char digits[16];
    size_t at = sizeof digits;
    digits[--at] = '\n';
    for (unsigned call = (unsigned)info->si_syscall; at > 0; call /= 10) {
        digits[--at] = (char)('0' + call % 10);
        if (call < 10)
            break;
    }
    if (write(STDERR_FILENO, words, sizeof words - 1) < 0 || write(STDERR_FILENO, digits + at, sizeof digits - at) < 0)
        at = 0;
    for (;;)
        syscall(SYS_seccomp, -1, 0, NULL); /* refused everywhere */
}

static int catch_refusals(void)
{
    struct sigaction action = {.sa_sigaction = on_refused, .sa_flags = (int)(SA_SIGINFO | SA_RESETHAND | SA_NODEFER)};
    sigemptyset(&action.sa_mask);
    return sigaction(SIGSYS, &action, NULL);
}

const char *sandbox_filter(enum sandbox_program program)
{
    /* TRAP lets the handler report the call. Foreign calling conventions end the process without a message. */
    scmp_filter_ctx filter = seccomp_init(program == SANDBOX_RENDER ? SCMP_ACT_ERRNO(EPERM) : SCMP_ACT_TRAP);
    if (filter == NULL)
        return "libseccomp cannot make a filter";
    int rc = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
    if (rc == 0)
        rc = seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, program == SANDBOX_RENDER);
    if (rc == 0)
        rc = add_rules(filter, program);
    if (rc == 0)
        rc = catch_refusals() == 0 ? seccomp_load(filter) : -errno;
    seccomp_release(filter);
    return rc == 0 ? NULL : "the kernel or the container refuses one";
}
