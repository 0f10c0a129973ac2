/* Numbers of text files: what is parsed here has the bits of strtod(), and the rest is left to it. */
#include "tests/unit/support/check.h"

#include "import/text/text_number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TEST(text_numbers_have_the_bits_of_strtod)
{
    uint32_t parsed = 0;
    uint64_t chance = 7;
    for (int i = 0; i < 200000; i++) {
        char text[64];
        chance = chance * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const int64_t digits = (int64_t)(chance >> 14) % INT64_C(1000000000000000);
        const int exponent = (int)(chance >> 3 & 63) - 32, decimals = (int)(chance % 12);
        if (i % 3 == 0)
            snprintf(text, sizeof text, "%lld.%0*d", (long long)digits / 1000000000, decimals, i % 7);
        else
            snprintf(text, sizeof text, i % 3 == 1 ? "-%llde%d" : "%llde%+d", (long long)digits >> decimals, exponent);
        double value;
        if (!text_plain_number(text, strlen(text), &value))
            continue;
        const double expected = strtod(text, NULL);
        if (memcmp(&value, &expected, sizeof value) != 0)
            fail_msg("%s: %.17g, not %.17g", text, value, expected);
        parsed++;
    }
    assert_true(parsed > 100000);
}

TEST(text_numbers_of_other_forms_are_left_alone)
{
    static const char *const TEXTS[] = {"",    ".",  "-",  "+",   "e5",  "1e",  "1e+",  "1.2.3", "0x10",
                                        "1,5", " 1", "1 ", "nan", "inf", "--1", "1e23", "1e-23", "1234567890123456"};
    double value;
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++)
        if (text_plain_number(TEXTS[i], strlen(TEXTS[i]), &value))
            fail_msg("'%s' is read as %g", TEXTS[i], value);
    assert_true(text_plain_number("-.5e1x", 5, &value));
    CHECK_NEAR(value, -5, 0);
    assert_true(text_plain_number("1.", 2, &value));
    CHECK_NEAR(value, 1, 0);
}
