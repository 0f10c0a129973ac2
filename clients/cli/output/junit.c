/* Writes the frame of JUnit XML: junit.h. */
#include "clients/cli/output/junit.h"

void junit_begin(struct text *out, const char *name, const struct junit_counts *counts, double seconds)
{
    text_printf(out,
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
                "  <testsuite name=\"%s\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\" time=\"%.3f\">\n",
                name, counts->tests, counts->failures, counts->skipped, seconds);
}

void junit_end(struct text *out) { text_put(out, "  </testsuite>\n</testsuites>\n"); }

void junit_put_case(struct text *out, const char *class_name, const char *model, int is_empty)
{
    text_printf(out, "    <testcase classname=\"%s\" name=\"", class_name);
    text_put_xml(out, model);
    text_put(out, is_empty ? "\"/>\n" : "\">\n");
}

void junit_end_case(struct text *out) { text_put(out, "    </testcase>\n"); }
