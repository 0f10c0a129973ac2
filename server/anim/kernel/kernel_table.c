#include "anim/kernel/kernel.h"

#include <string.h>

/* True when the processor, and the system by the registers that it saves, runs the kernel at an index of kernel_at().
 */
static bool is_there(uint32_t index)
{
#if defined(__x86_64__)
    return index < 2 || (index == 2 && __builtin_cpu_supports("avx2")) ||
           (index == 3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
            __builtin_cpu_supports("avx512dq"));
#else
    return index < 2; /* NEON is part of AArch64; other machines have no second kernel */
#endif
}

const struct kernel *kernel_at(uint32_t index)
{
    static const struct kernel *const KERNELS[] = {
        &KERNEL_SCALAR,
#if defined(__x86_64__)
        &KERNEL_SSE2,
        &KERNEL_AVX2,
        &KERNEL_AVX512,
#elif defined(__aarch64__)
        &KERNEL_NEON,
#endif
    };
    return index < sizeof KERNELS / sizeof *KERNELS && is_there(index) ? KERNELS[index] : NULL;
}

const struct kernel *kernel_best(void)
{
    uint32_t last = 0;
    while (kernel_at(last + 1) != NULL)
        last++;
    return kernel_at(last);
}

const struct kernel *kernel_find(const char *name)
{
    if (strcmp(name, "auto") == 0)
        return kernel_best();
    for (uint32_t i = 0; kernel_at(i) != NULL; i++)
        if (strcmp(kernel_at(i)->name, name) == 0)
            return kernel_at(i);
    return NULL;
}
