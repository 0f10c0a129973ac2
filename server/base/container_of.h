/* container_of.h - turns a pointer to a member of a struct into a pointer to the struct. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Returns the `type` whose `member` is at `pointer`. The pointer must have the member's type. */
#define container_of(pointer, type, member)                                                                            \
    ((type *)((uintptr_t)(1 ? (pointer) : &((type *)0)->member) - offsetof(type, member)))
