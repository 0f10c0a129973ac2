/* For LD_PRELOAD under valgrind 3.19, which does not know openat2(): a syscall() that calls openat() instead. It
 * ignores the restrictions of openat2(), so use it only for your own models. x86-64. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/openat2.h>
#include <stdarg.h>
#include <sys/syscall.h>

long syscall(long number, ...)
{
    enum { ARGUMENTS = 6 };
    long a[ARGUMENTS];
    va_list list;
    va_start(list, number);
    for (int i = 0; i < ARGUMENTS; i++)
        a[i] = va_arg(list, long);
    va_end(list);
    if (number == SYS_openat2) {
        const struct open_how *how = (const void *)a[2];
        number = SYS_openat;
        a[2] = (long)how->flags;
        a[3] = (long)how->mode;
    }
    // cppcheck-suppress constStatement
    register long r10 __asm__("r10") = a[3];
    // cppcheck-suppress constStatement
    register long r8 __asm__("r8") = a[4];
    // cppcheck-suppress constStatement
    register long r9 __asm__("r9") = a[5];
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    if (result < 0 && result > -4096) {
        errno = (int)-result;
        return -1;
    }
    return result;
}
