/* unit [WORDS]         runs the registered unit tests, those whose name contains WORDS where they are given
 * unit --shard I/N     runs each N-th of them, from the I-th on: N processes run all beside each other */
#include "tests/unit/support/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct CMUnitTest *tests;
static size_t test_count;
static bool (*stand_in)(char **args, int *status);

void check_register_stand_in(bool (*run)(char **args, int *status)) { stand_in = run; }

void check_register(const char *name, void (*run)(void **state))
{
    tests = realloc(tests, (test_count + 1) * sizeof *tests);
    if (tests == NULL)
        abort();
    tests[test_count++] = (struct CMUnitTest){.name = name, .test_func = run};
}

void check_near(double a, double b, double tolerance, const char *what, const char *file, int line)
{
    if (fabs(a - b) <= tolerance)
        return;
    print_error("%s is %.9g, expected %.9g within %.3g\n", what, a, b, tolerance);
    _fail(file, line);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct CMUnitTest *)a)->name, ((const struct CMUnitTest *)b)->name);
}

static void keep_those_with(const char *words)
{
    size_t kept = 0;
    for (size_t i = 0; i < test_count; i++)
        if (strstr(tests[i].name, words) != NULL)
            tests[kept++] = tests[i];
    test_count = kept;
}

static bool keep_shard(const char *text)
{
    size_t shard, shards, kept = 0;
    if (sscanf(text, "%zu/%zu", &shard, &shards) != 2 || shard < 1 || shard > shards)
        return false;
    for (size_t i = shard - 1; i < test_count; i += shards)
        tests[kept++] = tests[i];
    test_count = kept;
    return true;
}

int main(int argc, char **argv)
{
    int status;
    /* Whoever reads a pipe sees when a test ends, and what was said before a crash. */
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    if (stand_in != NULL && stand_in(argv, &status))
        _exit(status);
    qsort(tests, test_count, sizeof *tests, by_name);
    if (argc == 3 && strcmp(argv[1], "--shard") == 0) {
        if (!keep_shard(argv[2])) {
            fprintf(stderr, "unit: --shard wants I/N with 1 <= I <= N, and not %s\n", argv[2]);
            return 1;
        }
    } else if (argc > 1) {
        keep_those_with(argv[1]);
    }
    if (test_count == 0) {
        fprintf(stderr, "unit: no test runs\n");
        return 1;
    }
    return _cmocka_run_group_tests("unit", tests, test_count, NULL, NULL);
}
