/* attempt.c - one function for each forbidden call, and their table. */
#include "worker/attempt.h"

#include "worker/resource_limits.h"
#include "worker/sandbox_contract.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { ATTEMPT_TIME_S = 30 };

/* Each function returns a negative value and sets errno when the call fails. A call that succeeds must not change
 * anything outside the process, because it does succeed without a sandbox. */
static long try_open(void) { return open("/etc/passwd", O_RDONLY | O_CLOEXEC); }
static long try_create(void) { return open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600); }
static long try_openat2(void)
{
    static const uint64_t how[3] = {O_RDONLY};
    return syscall(SYS_openat2, AT_FDCWD, "/etc/passwd", how, sizeof how);
}
static long try_socket_inet(void) { return socket(AF_INET, SOCK_STREAM, 0); }
static long try_socket_unix(void) { return socket(AF_UNIX, SOCK_STREAM, 0); }
static long try_execve(void)
{
    char *const none[] = {(char[]){"true"}, NULL};
    return execve("/bin/true", none, none + 1);
}
static long try_fork(void)
{
    const pid_t child = fork();
    if (child == 0)
        _exit(0);
    return child;
}
static long try_vfork(void)
{
    const long child = syscall(SYS_clone, CLONE_VFORK | SIGCHLD, 0, 0, 0, 0);
    if (child == 0)
        _exit(0);
    return child;
}
static int do_nothing(void *context __attribute__((unused))) { return 0; }
/* Does not use pthread_create(), which asks for a signal first. */
static long try_thread(void)
{
    static _Alignas(64) char stack[16384];
    return clone(do_nothing, stack + sizeof stack,
                 CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM, NULL);
}
static long try_ptrace(void) { return ptrace(PTRACE_TRACEME, 0, NULL, NULL); }
static long try_kill(void) { return kill(1, 0); }
static long try_kill_self_group(void) { return syscall(SYS_kill, 0, 0); }
static long try_process_vm_readv(void)
{
    char byte;
    const struct iovec here = {&byte, 1};
    return process_vm_readv(getpid(), &here, 1, &here, 1, 0);
}
static long try_unshare(void) { return unshare(CLONE_NEWUSER); }
static long try_setuid(void) { return syscall(SYS_setresuid, 0, 0, 0); }
static long try_capset(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    const struct __user_cap_data_struct kill_any = {.effective = 1u << CAP_KILL, .permitted = 1u << CAP_KILL};
    const struct __user_cap_data_struct wanted[_LINUX_CAPABILITY_U32S_3] = {kill_any, {0}};
    return syscall(SYS_capset, &header, wanted);
}
static long try_setrlimit(void)
{
    const struct rlimit limit = {0, 0};
    return setrlimit(RLIMIT_CORE, &limit);
}
static long try_setpriority(void) { return setpriority(PRIO_PROCESS, 0, RESOURCE_LIMITS_NICE); }
static long try_sigaction(void) { return signal(SIGSYS, SIG_IGN) == SIG_ERR ? -1 : 0; }
static long try_ioctl(void)
{
    int waiting;
    return ioctl(STDERR_FILENO, FIONREAD, &waiting);
}
static long try_memfd(void) { return memfd_create("attempt", MFD_CLOEXEC); }
static long try_io_uring(void)
{
    uint64_t parameters[16] = {0};
    return syscall(SYS_io_uring_setup, 1, parameters);
}
static long try_bpf(void)
{
    union bpf_attr attributes = {.map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 4, .max_entries = 1};
    return syscall(SYS_bpf, BPF_MAP_CREATE, &attributes, sizeof attributes);
}
static long try_userfaultfd(void) { return syscall(SYS_userfaultfd, O_CLOEXEC); }
static long try_seccomp(void) { return syscall(SYS_seccomp, 2 /* SECCOMP_GET_ACTION_AVAIL */, 0, &(uint32_t){0}); }
static long try_write_elsewhere(void) { return write(STDOUT_FILENO, "", 0); }

static long try_writev_elsewhere(void)
{
    const struct iovec nothing = {NULL, 0};
    return writev(STDOUT_FILENO, &nothing, 1);
}

/* Computing is allowed; the limit on processor time ends it. */
static long try_processor_time(void)
{
    while (clock() < ATTEMPT_TIME_S * CLOCKS_PER_SEC)
        continue;
    return 0;
}

/* This call is allowed; the limit on memory makes it fail. */
static long try_much_memory(void)
{
    void *much =
        mmap(NULL, (size_t)1 << 40, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return much == MAP_FAILED ? -1 : 0;
}

static const struct {
    const char *name;
    long (*run)(void);
    const char *what;
} ATTEMPTS[] = {
    {"open", try_open, "open a file that everybody may read"},
    {"create", try_create, "make a file"},
    {"openat2", try_openat2, "open a file by the newer call"},
    {"socket", try_socket_inet, "make an internet socket"},
    {"socket-unix", try_socket_unix, "make a local socket"},
    {"execve", try_execve, "start a program"},
    {"fork", try_fork, "make a process"},
    {"vfork", try_vfork, "make a process that shares the rest"},
    {"thread", try_thread, "make a thread"},
    {"ptrace", try_ptrace, "trace or be traced"},
    {"kill", try_kill, "look for a process by a signal"},
    {"kill-group", try_kill_self_group, "signal its group"},
    {"process-vm-readv", try_process_vm_readv, "read a process's memory"},
    {"unshare", try_unshare, "make a user namespace"},
    {"setuid", try_setuid, "become root"},
    {"capset", try_capset, "take a capability"},
    {"setrlimit", try_setrlimit, "change its limits"},
    {"setpriority", try_setpriority, "change who goes first"},
    {"sigaction", try_sigaction, "catch the filter's signal"},
    {"ioctl", try_ioctl, "speak to a device"},
    {"memfd", try_memfd, "make a memory file"},
    {"io-uring", try_io_uring, "make calls behind the filter's back"},
    {"bpf", try_bpf, "load a program into the kernel"},
    {"userfaultfd", try_userfaultfd, "handle page faults"},
    {"seccomp", try_seccomp, "speak to the filter"},
    {"write", try_write_elsewhere, "write to a descriptor that is not its own"},
    {"writev", try_writev_elsewhere, "write to one by another call"},
    {"memory", try_much_memory, "take a terabyte of memory"},
    {ATTEMPT_PROCESSOR_TIME, try_processor_time, "compute for ever"},
};

enum { ATTEMPT_COUNT = sizeof ATTEMPTS / sizeof *ATTEMPTS };

void attempt_list(void)
{
    for (size_t i = 0; i < ATTEMPT_COUNT; i++)
        printf("%s\t%s\n", ATTEMPTS[i].name, ATTEMPTS[i].what);
}

/* The C library's message about it must leave the sandbox, because the daemon passes it on. */
static void break_heap(void)
{
    static _Alignas(16) char no_heap[64];
    volatile uintptr_t at = (uintptr_t)no_heap + 24; /* no heap block has this alignment */
    free((void *)at);
}

bool attempt(const char *name)
{
    if (strcmp(name, "report") == 0)
        return true;
    if (strcmp(name, "broken-heap") == 0)
        break_heap();
    for (size_t i = 0; i < ATTEMPT_COUNT; i++) {
        if (strcmp(ATTEMPTS[i].name, name) != 0)
            continue;
        if (ATTEMPTS[i].run() >= 0)
            fputs(SANDBOX_POSSIBLE "\n", stderr);
        else
            fprintf(stderr, SANDBOX_FAILED "%s\n", strerror(errno));
        return true;
    }
    return false;
}
