/* Where files that a model names are found: the order of source_search.h, place by place. */
#include "tests/unit/support/check.h"
#include "tests/unit/support/root_files.h"
#include "tests/unit/support/temp_tree.h"

#include "import/source/source_search.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

struct searched {
    struct temp_tree tree;
    struct limits limits;
    struct bake_builder builder;
    struct import import;
    struct source_bytes found;
    struct err err;
};

static void open_as(struct searched *s, const char *model)
{
    source_files_free(s->import.files);
    bake_builder_fini(&s->builder);
    bake_builder_init(&s->builder, 1 << 20);
    s->import = (struct import){.path = model,
                                .files = root_files_open(s->tree.fd, model, &s->limits),
                                .builder = &s->builder,
                                .limits = &s->limits};
}

static void setup(struct searched *s)
{
    *s = (struct searched){0};
    temp_tree_init(&s->tree);
    limits_default(&s->limits);
    bake_builder_init(&s->builder, 1 << 20);
    temp_tree_file(&s->tree, "art/hero/hero.obj", "o hero\n");
    open_as(s, "art/hero/hero.obj");
}

static void teardown(struct searched *s)
{
    bake_builder_fini(&s->builder);
    source_files_free(s->import.files);
    temp_tree_fini(&s->tree);
}

static void file(struct searched *s, const char *path) { temp_tree_file(&s->tree, path, path); }

static int look(struct searched *s, const char *reference)
{
    return source_search(&s->import, reference, SOURCE_TEXTURE, &s->found, &s->err);
}

/* Searches again and expects `path`, or nothing if it is NULL; a warning says whether it is elsewhere. */
static void expect(struct searched *s, const char *reference, const char *path, bool is_elsewhere)
{
    open_as(s, s->import.path);
    const int rc = look(s, reference);
    const char *found = rc == 0 ? s->found.path : NULL;
    const bool is_right = (found == NULL) == (path == NULL) && (path == NULL || strcmp(found, path) == 0) &&
                          s->builder.warning_count == (is_elsewhere ? 1 : 0);
    if (!is_right)
        print_error("'%s': '%s' (%s), expected '%s'; %u warnings\n", reference, found != NULL ? found : "nothing",
                    rc < 0 ? s->err.message : "", path != NULL ? path : "nothing", s->builder.warning_count);
    assert_true(is_right);
    if (path != NULL)
        assert_string_equal((const char *)s->found.bytes, path);
    else
        assert_int_equal(rc, ERR_COMPANION_MISSING);
}

/* Each place is taken away once the search has found it. */
TEST(source_search_order)
{
    static const char *const PLACES[] = {
        "art/hero/Skins/A.png", /* as written */
        "art/hero/Skins/a.PNG",
        "art/hero/sKins/A.png",
        "art/hero/A.png",
        "art/hero/a.png",
        "art/hero/textures/A.png",
        "art/hero/Textures/A.PNG",
        "art/hero/tex/A.png",
        "art/hero/MAPS/a.png",
        "art/hero/images/A.png",
        "art/textures/A.png",
        "art/TEXTURES/a.png",
        "art/materials/textures/A.png",
        "art/Materials/Textures/a.png",
        "art/hero/Skins/A.jpg",
        "art/hero/skins/a.JPG",
        "art/hero/a.jpg",
        "art/hero/maps/a.jpg",
        "art/materials/textures/a.jpg",
        "art/hero/Skins/a.jpeg",
        "art/hero/tex/a.tga",
        "art/textures/A.webp",
        "art/hero/a.bmp",
    };
    enum { COUNT = sizeof PLACES / sizeof *PLACES };
    struct searched s;
    char path[128];
    setup(&s);
    for (int i = 0; i < COUNT; i++)
        file(&s, PLACES[i]);
    for (int i = 0; i < COUNT; i++) {
        expect(&s, "Skins/A.png", PLACES[i], i > 0);
        snprintf(path, sizeof path, "%s/%s", s.tree.path, PLACES[i]);
        assert_int_equal(remove(path), 0);
    }
    expect(&s, "Skins/A.png", NULL, false);
    assert_non_null(strstr(s.err.message, "there is no file 'art/hero/Skins/A.png', and no 'A.png' in its folder"));
    teardown(&s);
}

TEST(source_search_of_other_extensions)
{
    struct searched s;
    setup(&s);
    file(&s, "art/hero/skin.png");
    file(&s, "art/hero/tex/a.b.tga");
    file(&s, "art/hero/face.psd");
    file(&s, "art/hero/.png");
    expect(&s, "skin.DDS", "art/hero/skin.png", true);
    expect(&s, "C:\\art\\Skin.tga", "art/hero/skin.png", true);
    expect(&s, "skin", "art/hero/skin.png", true);
    expect(&s, "a.b.dds", "art/hero/tex/a.b.tga", true);
    expect(&s, "a.tga", NULL, false);
    expect(&s, "face.tga", NULL, false); /* .psd is none of the extensions */
    expect(&s, ".tga", NULL, false);
    open_as(&s, s.import.path);
    assert_int_equal(source_search(&s.import, "skin.mtl", SOURCE_COMPANION, &s.found, &s.err), ERR_COMPANION_MISSING);
    teardown(&s);
}

TEST(source_search_of_paths_of_other_systems)
{
    struct searched s;
    setup(&s);
    file(&s, "art/hero/tex/Skin 1.png");
    file(&s, "art/hero/maps/100%25.png");
    static const struct {
        const char *reference;
        bool is_elsewhere;
    } ROWS[] = {
        {"tex/Skin 1.png", false},
        {".\\tex\\Skin 1.png", false},
        {"file:tex/Skin%201.png", false},
        {"file://tex/Skin%201.png", false},
        {"tex/Skin%201.png", true},
        {"TEX/skin%201.png", true},
        {"C:\\Users\\me\\skin 1.PNG", true},
        {"C:/Users/me/Skin 1.png", true},
        {"\\\\server\\art\\Skin 1.png", true},
        {"/home/me/Skin 1.png", true},
        {"//tex/Skin 1.png", true},
        {"file:///C:/Users/me/Skin%201.png", true},
        {"../../../../up/Skin 1.png", true},
        {"http://example.com/a/Skin%201.png", true},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++)
        expect(&s, ROWS[i].reference, "art/hero/tex/Skin 1.png", ROWS[i].is_elsewhere);
    expect(&s, "maps/100%25.png", "art/hero/maps/100%25.png", false); /* as written before decoded */
    temp_tree_file(&s.tree, "art/hero/hero.blend", "BLENDER");
    open_as(&s, "art/hero/hero.blend");
    expect(&s, "//tex\\Skin 1.png", "art/hero/tex/Skin 1.png", false);
    expect(&s, "//TEX\\skin 1.png", "art/hero/tex/Skin 1.png", true);
    teardown(&s);
}

/* Where the folder of the reference is beside the model, it comes before the others. */
TEST(source_search_in_the_folder_of_the_same_name)
{
    struct searched s;
    setup(&s);
    file(&s, "art/hero/Body/skin.png");
    file(&s, "art/hero/skin.png");
    expect(&s, "C:\\art\\body\\skin.png", "art/hero/Body/skin.png", true);
    expect(&s, "C:\\art\\head\\skin.png", "art/hero/skin.png", true);
    expect(&s, "C:\\skin.png", "art/hero/skin.png", true);
    expect(&s, "/..\\skin.png", "art/hero/skin.png", true);
    teardown(&s);
}

TEST(source_search_above_the_model)
{
    struct searched s;
    setup(&s);
    file(&s, "art/Shared/deep/Skin.png");
    file(&s, "art/Hero/only.png");
    file(&s, "top.png");
    expect(&s, "../shared/DEEP/skin.png", "art/Shared/deep/Skin.png", true);
    expect(&s, "../HERO/only.png", "art/Hero/only.png", true);
    expect(&s, "../../Top.PNG", "top.png", true);
    expect(&s, "../../../top.png", NULL, false); /* outside the root, and not by its name beside the model */
    teardown(&s);
}

/* Of several names that differ in case only, the one as written, then by bytes; a folder without the file is no end. */
TEST(source_search_of_names_alike)
{
    struct searched s;
    setup(&s);
    file(&s, "art/hero/TEX/skin.png");
    file(&s, "art/hero/tex/other.png");
    expect(&s, "tex/skin.png", "art/hero/TEX/skin.png", true);
    file(&s, "art/hero/TeX/skin.png");
    file(&s, "art/hero/tEX/SKIN.png");
    expect(&s, "tex/skin.png", "art/hero/TEX/skin.png", true);
    expect(&s, "tEX/skin.png", "art/hero/tEX/SKIN.png", true);
    file(&s, "art/hero/TEX/Skin.png");
    file(&s, "art/hero/TEX/SKIN.png");
    expect(&s, "tex/skiN.png", "art/hero/TEX/SKIN.png", true);
    teardown(&s);
}

TEST(source_search_takes_regular_files_only)
{
    struct searched s;
    setup(&s);
    char path[128];
    snprintf(path, sizeof path, "%s/art/hero/Skin.png", s.tree.path);
    assert_int_equal(mkdir(path, 0700), 0);
    temp_tree_link(&s.tree, "art/hero/sKin.png", "../../secret.png");
    file(&s, "secret.png");
    temp_tree_link(&s.tree, "art/hero/textures", "../..");
    file(&s, "art/hero/.hidden.png");
    expect(&s, "skin.png", NULL, false);
    expect(&s, "secret.png", NULL, false);
    expect(&s, "C:\\.hidden.png", NULL, false);
    expect(&s, "C:\\", NULL, false);
    expect(&s, "", NULL, false);
    expect(&s, "..", NULL, false);
    file(&s, "art/hero/skiN.png");
    expect(&s, "skin.png", "art/hero/skiN.png", true);
    teardown(&s);
}

/* What cannot be read is not passed over for a file of the same name elsewhere. */
TEST(source_search_ends_at_what_cannot_be_read)
{
    struct searched s;
    setup(&s);
    file(&s, "art/hero/Skin.png");
    file(&s, "art/hero/tex/skin.png");
    s.limits.value[LIMIT_FILE_BYTES] = 4;
    assert_int_equal(look(&s, "skin.png"), ERR_MODEL_LIMIT);
    assert_non_null(strstr(s.err.message, "art/hero/Skin.png"));
    assert_null(s.found.bytes);
    teardown(&s);
}

TEST(source_search_of_a_guess)
{
    struct searched s;
    setup(&s);
    file(&s, "art/hero/HERO.mtl");
    file(&s, "art/hero/tex/else.mtl");
    assert_int_equal(source_search_guess(&s.import, "hero.mtl", SOURCE_COMPANION, &s.found, &s.err), 0);
    assert_string_equal(s.found.path, "art/hero/HERO.mtl");
    assert_int_equal(source_search_guess(&s.import, "else.mtl", SOURCE_COMPANION, &s.found, &s.err),
                     ERR_COMPANION_MISSING);
    assert_int_equal(s.builder.warning_count, 0);
    teardown(&s);
}

TEST(source_search_of_several_references)
{
    static const char *const PATHS[] = {"a/skin.png", "C:\\x\\skin.png", "B/skin.png"};
    struct searched s;
    setup(&s);
    assert_int_equal(source_search_best(&s.import, PATHS, 3, SOURCE_TEXTURE), 0);
    file(&s, "art/hero/skin.png");
    open_as(&s, "art/hero/hero.obj");
    assert_int_equal(source_search_best(&s.import, PATHS, 3, SOURCE_TEXTURE), 0); /* by its name, as all */
    file(&s, "art/hero/b/skin.png");
    open_as(&s, "art/hero/hero.obj");
    assert_int_equal(source_search_best(&s.import, PATHS, 3, SOURCE_TEXTURE), 2); /* in any case */
    assert_int_equal(s.builder.warning_count, 0);
    teardown(&s);
}

/* All that was looked at decides whether the model is what it was: files that are not there, and folders. */
TEST(source_search_records_where_it_looked)
{
    struct searched s;
    setup(&s);
    file(&s, "art/hero/tex/other.png");
    file(&s, "art/hero/else/other.png");
    look(&s, "skin.png");
    look(&s, "TEX"); /* was asked for as a file first */
    source_files_record(s.import.files, &s.builder);
    static const struct {
        const char *path;
        uint32_t role, is_missing;
    } ROWS[] = {
        {"art/hero/skin.png", SOURCE_TEXTURE, 1}, {"art/hero", SOURCE_SEARCHED, 0},
        {"art/hero/tex", SOURCE_SEARCHED, 0},     {"art", SOURCE_SEARCHED, 0},
        {"art/hero/TEX", SOURCE_TEXTURE, 1},
    };
    assert_int_equal(s.builder.source_file_count, sizeof ROWS / sizeof *ROWS);
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        const struct source_file *source = &s.builder.source_files[i];
        assert_int_equal(source->path.size_bytes, strlen(ROWS[i].path));
        assert_memory_equal(s.builder.text + source->path.offset, ROWS[i].path, strlen(ROWS[i].path));
        assert_int_equal(source->role, ROWS[i].role);
        assert_int_equal(source->is_missing, ROWS[i].is_missing);
    }
    teardown(&s);
}

/* A folder that was asked for as if it were a file is watched like one. */
TEST(source_search_records_a_folder_as_one)
{
    struct searched s;
    setup(&s);
    file(&s, "art/hero/tex/other.png");
    look(&s, "tex");
    look(&s, "tex/skin.png");
    source_files_record(s.import.files, &s.builder);
    for (uint32_t i = 0; i < s.builder.source_file_count; i++) {
        const struct source_file *source = &s.builder.source_files[i];
        const bool is_tex = source->path.size_bytes == strlen("art/hero/tex");
        assert_true(!is_tex || source->role == SOURCE_SEARCHED);
    }
    teardown(&s);
}

/* Many folders whose names differ only in case, each with more: the search is bounded, and still finds files. */
TEST(source_search_is_bounded)
{
    enum { DEEP = 7 };
    struct searched s;
    setup(&s);
    for (int bits = 0; bits < 1 << DEEP; bits++) {
        char path[128] = "art/hero";
        for (int i = 0; i < DEEP; i++)
            strcat(path, (bits >> i & 1) != 0 ? "/A" : "/a");
        strcat(path, "/other.png");
        file(&s, path);
    }
    file(&s, "art/hero/skin.png");
    expect(&s, "a/a/a/a/a/a/a/none.png", NULL, false);
    source_files_record(s.import.files, &s.builder);
    uint32_t folders = 0;
    for (uint32_t i = 0; i < s.builder.source_file_count; i++)
        folders += s.builder.source_files[i].role == SOURCE_SEARCHED;
    assert_int_equal(folders, IMPORT_FOLDERS_MAX);
    assert_int_equal(look(&s, "SKIN.png"), 0); /* folders that were read before still count */
    teardown(&s);
}

TEST(source_search_keeps_the_limit_of_files)
{
    struct searched s;
    setup(&s);
    file(&s, "art/hero/tex/skin.png");
    s.limits.value[LIMIT_SOURCE_FILES] = 2; /* the path as written, and the model's folder */
    assert_int_equal(look(&s, "skin.png"), ERR_COMPANION_MISSING);
    assert_int_equal(look(&s, "other.png"), ERR_MODEL_LIMIT);
    teardown(&s);
}
