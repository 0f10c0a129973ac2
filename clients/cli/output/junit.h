/* junit.h - writes the frame of JUnit XML for Jenkins, GitLab and others: one suite with test cases. */
#pragma once

#include "clients/cli/output/text.h"

struct junit_counts {
    size_t tests, failures, skipped;
};

/* `name`: the name of the suite, "posectl check". */
void junit_begin(struct text *out, const char *name, const struct junit_counts *counts, double seconds);
void junit_end(struct text *out);
/* Puts the test case of one model, up to the ">" of its start tag. An empty case is complete. */
void junit_put_case(struct text *out, const char *class_name, const char *model, int is_empty);
void junit_end_case(struct text *out);
