/* check.h - unit tests on cmocka that register themselves: a test cannot be written and forgotten.
 *
 *   TEST(pose_palette_of_rotated_joint) { assert_int_equal(...); }
 *
 * cmocka has assert_true, assert_int_equal, assert_string_equal, assert_memory_equal, skip(), ... */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdbool.h>

void check_register(const char *name, void (*run)(void **state));
/* main() asks this first, if it is linked: true if the process acts as another program and does not test. */
void check_register_stand_in(bool (*run)(char **args, int *status));

#define TEST(name)                                                                                                     \
    static void test_##name(void **state);                                                                             \
    __attribute__((constructor)) static void register_##name(void) { check_register(#name, test_##name); }             \
    static void test_##name(void **state __attribute__((unused)))

/* Fails with both values and the place unless |a - b| <= tolerance; NaN fails. */
#define CHECK_NEAR(a, b, tolerance) check_near((double)(a), (double)(b), (double)(tolerance), #a, __FILE__, __LINE__)
void check_near(double a, double b, double tolerance, const char *what, const char *file, int line);

/* The number of random cases that are compared with a plain search. Sanitizers look for memory errors and undefined
 * behaviour, not for wrong numbers, and make such searches ten times as slow: with them it is a tenth. */
#ifndef __has_feature
#define __has_feature(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#define RANDOM_CASES(count) ((count) / 10)
#else
#define RANDOM_CASES(count) (count)
#endif
