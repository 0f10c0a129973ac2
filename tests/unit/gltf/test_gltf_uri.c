#include "import/gltf_file/gltf_uri.h"
#include "tests/unit/support/check.h"

#include <stdlib.h>
#include <string.h>

static bool reads_as(const char *uri, const char *expected)
{
    struct err err = {0};
    struct data_uri data;
    const bool is_same = uri_read_data(uri, &data, &err) == 0 && data.size_bytes == strlen(expected) &&
                         memcmp(data.bytes, expected, data.size_bytes) == 0;
    free(data.bytes);
    return is_same;
}

static bool is_refused(const char *uri)
{
    struct err err = {0};
    struct data_uri data;
    const bool is_bad = uri_read_data(uri, &data, &err) == ERR_BAD_MODEL && err.message[0] != '\0';
    free(data.bytes);
    return is_bad;
}

TEST(gltf_uri_base64_of_rfc_4648)
{
    assert_true(reads_as("data:;base64,", ""));
    assert_true(reads_as("data:;base64,Zg==", "f"));
    assert_true(reads_as("data:;base64,Zm8=", "fo"));
    assert_true(reads_as("data:;base64,Zm9v", "foo"));
    assert_true(reads_as("data:;base64,Zm9vYg==", "foob"));
    assert_true(reads_as("data:;base64,Zm9vYmE=", "fooba"));
    assert_true(reads_as("data:application/octet-stream;base64,Zm9vYmFy", "foobar"));
    assert_true(reads_as("DATA:;BASE64,Zm9vYg", "foob")); /* without padding */
    assert_true(reads_as("data:;base64,+/+/", "\xfb\xff\xbf"));
    assert_true(reads_as("data:;base64,Zg%3D%3D", "f"));
}

TEST(gltf_uri_broken_base64)
{
    assert_true(is_refused("data:;base64,Z"));
    assert_true(is_refused("data:;base64,Zg="));
    assert_true(is_refused("data:;base64,Z==="));
    assert_true(is_refused("data:;base64,Zg==Zg=="));
    assert_true(is_refused("data:;base64,Zm 9-"));
    assert_true(is_refused("data:;base64,Zm9-"));
    assert_true(is_refused("data:;base64,Zm9\xc3"));
    assert_true(is_refused("data:base64"));
}

TEST(gltf_uri_base64_with_blanks)
{
    struct err err;
    struct data_uri data;
    assert_true(reads_as("data:;base64,\n Zm9v\r\n\tYm%0AFy\f", "foobar"));
    assert_true(reads_as("data:;base64,Z m 8 =", "fo"));
    assert_int_equal(uri_read_data("data:;base64,Zm 8=", &data, &err), 0);
    assert_true(data.has_blanks);
    free(data.bytes);
    assert_int_equal(uri_read_data("data:;base64,Zm8=", &data, &err), 0);
    assert_false(data.has_blanks);
    free(data.bytes);
}

TEST(gltf_uri_percent_data)
{
    assert_true(reads_as("data:,a%20b", "a b"));
    assert_true(reads_as("data:text/plain,a%2", "a%2"));
    assert_true(reads_as("data:,%41%4a%4A", "AJJ"));
}

TEST(gltf_uri_relative)
{
    struct err err = {0};
    char *path;
    assert_int_equal(uri_decode("my%20file%2Ebin", &path, &err), 0);
    assert_string_equal(path, "my file.bin");
    free(path);
    assert_int_equal(uri_decode("100%.bin", &path, &err), 0);
    assert_string_equal(path, "100%.bin");
    free(path);
    assert_int_equal(uri_decode("a%00b", &path, &err), ERR_BAD_MODEL);
    assert_true(uri_is_data("Data:x") && !uri_is_data("dat") && !uri_is_data("data.bin"));
}
