/* What importers say of files in a stage, as the client is told it. */
#include "check.h"

#include "../../server/app/upload_words.h"

#include <string.h>

#define STAGE ".posed-upload-0123456789abcdef/"

static const struct row {
    struct upload_words words;
    const char *said, *told;
} ROWS[] = {
    {{"in/" STAGE, "birds/crow.gltf", NULL}, "in/" STAGE "crow.gltf: bad", "birds/crow.gltf: bad"},
    {{"in/" STAGE, "crow.gltf", NULL}, "in/" STAGE "crow.gltf: bad", "crow.gltf: bad"},
    {{"in/" STAGE, "birds/crow.gltf", NULL},
     "in/" STAGE "crow.gltf: cannot open 'in/" STAGE "crow.bin': no such file",
     "birds/crow.gltf: cannot open 'birds/crow.bin': no such file"},
    {{STAGE, "crow.gltf", NULL}, STAGE "crow.gltf: '" STAGE "x' and '" STAGE "y'", "crow.gltf: 'x' and 'y'"},
    {{"in/" STAGE, "people/hero.zip", NULL}, "in/" STAGE "hero.zip: entry 3", "people/hero.zip: entry 3"},
    {{"in/" STAGE, "people/hero.zip", "hero"},
     "in/" STAGE "hero/mesh/a.gltf: cannot open 'in/" STAGE "hero/tex/b.png'",
     "people/hero.zip: mesh/a.gltf: cannot open 'tex/b.png'"},
    {{"in/" STAGE, "hero.zip", "hero"},
     "the importer failed: in/" STAGE "hero/a.gltf: b",
     "the importer failed: a.gltf: b"},
    {{"in/" STAGE, "a.gltf", NULL}, "a.gltf: cannot open 'in/.posed-upl", "a.gltf: cannot open '"},
    {{"in/" STAGE, "a.gltf", NULL}, "a.gltf: cannot open 'in/.posed-upload-01234': no", "a.gltf: cannot open '': no"},
    {{STAGE, "a.gltf", NULL}, "a.gltf: '../.posed-upload-fedcba9876543210/x'", "a.gltf: '../x'"},
    {{"in/" STAGE, "a.gltf", NULL}, "a.gltf: cannot open 'in/.hidden'", "a.gltf: cannot open 'in/.hidden'"},
    {{"in/" STAGE, "a.gltf", NULL}, "no path.", "no path."},
};

TEST(upload_words_are_the_clients)
{
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        struct err err;
        err_set(&err, ERR_BAD_MODEL, "%s", ROWS[i].said);
        upload_words_put(&ROWS[i].words, &err);
        assert_int_equal(err.code, ERR_BAD_MODEL);
        assert_string_equal(err.message, ROWS[i].told);
    }
}

TEST(upload_words_wherever_the_message_is_cut)
{
    const struct upload_words words = {"in/" STAGE, "birds/crow.gltf", NULL};
    static const char SAID[] = "in/" STAGE "crow.gltf: cannot open 'in/" STAGE "crow.bin'";
    for (size_t bytes = 1; bytes < sizeof SAID; bytes++) {
        struct err err;
        err_set(&err, ERR_BAD_MODEL, "%.*s", (int)bytes, SAID);
        upload_words_put(&words, &err);
        assert_null(strstr(err.message, ".posed"));
    }
}
