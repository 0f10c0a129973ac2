/* container_of.h - from a pointer to a member of a struct to the struct. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The `type` whose `member` is at `pointer`, which has that member's type. */
#define container_of(pointer, type, member)                                                                            \
    ((type *)((uintptr_t)(1 ? (pointer) : &((type *)0)->member) - offsetof(type, member)))
