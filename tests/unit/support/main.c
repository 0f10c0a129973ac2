/* Runs the registered unit tests, those whose name contains argv[1] when it is given. */
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

int main(int argc, char **argv)
{
    int status;
    /* Whoever reads a pipe sees when a test ends, and what was said before a crash. */
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    if (stand_in != NULL && stand_in(argv, &status))
        _exit(status);
    qsort(tests, test_count, sizeof *tests, by_name);
    if (argc > 1) {
        size_t kept = 0;
        for (size_t i = 0; i < test_count; i++)
            if (strstr(tests[i].name, argv[1]) != NULL)
                tests[kept++] = tests[i];
        test_count = kept;
    }
    if (test_count == 0) {
        fprintf(stderr, "unit: no test runs\n");
        return 1;
    }
    return _cmocka_run_group_tests("unit", tests, test_count, NULL, NULL);
}
