#include "tests/unit/support/check.h"

#include "import/source/import.h"

#include <string.h>

static int verdict(const char *path, const char *text, size_t size_bytes)
{
    struct err err;
    const struct file_format *format = file_format_of(path);
    assert_non_null(format);
    return format_check(format, (const uint8_t *)text, size_bytes, &err);
}

#define VERDICT(path, text) verdict(path, text, sizeof(text) - 1)

TEST(formats_go_by_the_ending)
{
    assert_string_equal(file_format_of("a/b.c/Fox.GLB")->name, "GLB 2.0");
    assert_int_equal(file_format_of("fox.gltf")->reader, READER_GLTF);
    assert_int_equal(file_format_of("fox.fbx")->reader, READER_FBX);
    assert_int_equal(file_format_of("fox.obj")->reader, READER_OBJ);
    assert_int_equal(file_format_of("fox.off")->reader, READER_ASSIMP);
    assert_string_equal(file_format_of("bob.MD5ANIM")->companion_of, "md5mesh");
    assert_string_equal(file_format_of("bob.md5mesh")->companion_of, "");
    assert_null(file_format_of("fox.glb/readme"));
    assert_null(file_format_of("fox.glb.bak"));
    assert_null(file_format_of("glb"));
    assert_null(file_format_of("fox."));
    assert_null(file_format_of("fox.txt"));
    assert_null(file_format_of(""));
}

TEST(formats_have_unique_lower_case_endings)
{
    assert_true(FILE_FORMAT_COUNT > 20);
    for (size_t i = 0; i < FILE_FORMAT_COUNT; i++) {
        for (const char *c = FILE_FORMATS[i].extension; *c != '\0'; c++)
            assert_true((*c >= 'a' && *c <= 'z') || (*c >= '0' && *c <= '9'));
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(FILE_FORMATS[i].extension, FILE_FORMATS[k].extension);
        assert_true(FILE_FORMATS[i].name[0] != '\0' && FILE_FORMATS[i].fidelity[0] != '\0');
    }
}

TEST(formats_tell_empty_files_and_lfs_pointers_apart)
{
    static const char POINTER[] = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n";
    assert_int_equal(VERDICT("a.obj", ""), ERR_EMPTY_FILE);
    assert_int_equal(VERDICT("a.gltf", " \r\n\t"), ERR_EMPTY_FILE);
    assert_int_equal(VERDICT("a.x", "\xef\xbb\xbf\n"), ERR_EMPTY_FILE);
    assert_int_equal(VERDICT("a.glb", POINTER), ERR_LFS_POINTER);
    assert_int_equal(VERDICT("a.obj", POINTER), ERR_LFS_POINTER);
    assert_int_equal(VERDICT("a.obj", "version https://git-lfs.github.com"), 0);
}

TEST(formats_look_at_the_content)
{
    assert_int_equal(VERDICT("a.gltf", "\xef\xbb\xbf \n{}"), 0);
    assert_int_equal(VERDICT("a.gltf", "glTF\2\0\0\0"), 0);
    assert_int_equal(VERDICT("a.gltf", "[1]"), ERR_NOT_A_MODEL);
    assert_int_equal(VERDICT("a.glb", "glT"), ERR_NOT_A_MODEL);
    assert_int_equal(VERDICT("a.fbx", "Kaydara FBX Binary  \0\x1a"), 0);
    assert_int_equal(VERDICT("a.fbx", "; FBX 7.3.0 project file"), 0);
    assert_int_equal(VERDICT("a.fbx", "Kaydara"), ERR_NOT_A_MODEL);
    assert_int_equal(VERDICT("a.dae", "<?xml version='1.0'?>\n<COLLADA"), 0);
    assert_int_equal(VERDICT("a.dae", "\xff\xfe<\0C\0O\0L\0L\0A\0D\0A\0"), 0);
    assert_int_equal(VERDICT("a.dae", "<html>"), ERR_NOT_A_MODEL);
    assert_int_equal(VERDICT("a.md5mesh", "MD5Version 10"), 0);
    assert_int_equal(VERDICT("a.bvh", "\r\nhierarchy"), 0);
    assert_int_equal(VERDICT("a.x", "xof 0303txt"), 0);
    assert_int_equal(VERDICT("a.x", "XOF 0303txt"), ERR_NOT_A_MODEL);
    assert_int_equal(VERDICT("a.3ds", "\xc2\x3d"), 0);
    assert_int_equal(VERDICT("a.3ds", "PK"), ERR_NOT_A_MODEL);
    assert_int_equal(VERDICT("a.obj", "anything"), 0);
}

TEST(formats_search_only_the_beginning)
{
    static char text[70000];
    memset(text, 'x', sizeof text);
    memcpy(text + 60000, "<COLLADA", 8);
    assert_int_equal(verdict("a.dae", text, sizeof text), 0);
    memset(text, 'x', sizeof text);
    memcpy(text + 66000, "<COLLADA", 8);
    assert_int_equal(verdict("a.dae", text, sizeof text), ERR_NOT_A_MODEL);
}
