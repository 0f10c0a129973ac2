#include "tests/unit/support/check.h"
#include "tests/unit/support/temp_tree.h"

#include "daemon/model/root_look.h"
#include "daemon/model/source_access.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

TEST(source_access_keeps_the_first_error_of_the_file_system)
{
    source_forget_error();
    source_enter();
    errno = 77;
    source_leave(ENOENT, "a");
    assert_int_equal(errno, 77);
    assert_int_equal(source_error(), 0);
    source_enter();
    source_leave(ESTALE, "b");
    source_enter();
    source_leave(EIO, "c");
    assert_int_equal(source_error(), ESTALE);
    assert_string_equal(source_error_path(), "b");
    source_forget_error();
    assert_int_equal(source_error(), 0);
}

TEST(source_access_knows_how_long_a_call_lasts)
{
    const uint64_t before_ns = uv_hrtime();
    source_enter();
    usleep(30000);
    assert_true(source_longest_call_ms(0) >= 30);
    assert_true(source_longest_call_ms(before_ns - 1) >= 30);
    assert_int_equal(source_longest_call_ms(uv_hrtime()), 0);
    source_leave(0, "");
    assert_int_equal(source_longest_call_ms(before_ns - 1), 0);
}

TEST(root_place_of_what_lies_beneath_a_mount_is_refused)
{
    struct temp_tree tree;
    struct root_place place;
    temp_tree_init(&tree);
    assert_int_equal(root_place_of(tree.fd, &place), 0);
    assert_non_null(root_place_refusal(&place, &place, tree.fd)); /* it is empty */
    temp_tree_file(&tree, "a.gltf", "x");
    assert_null(root_place_refusal(&place, &place, tree.fd));
    struct root_place mount = place;
    mount.is_mount = true;
    mount.device++;
    assert_non_null(root_place_refusal(&mount, &place, tree.fd));
    assert_null(root_place_refusal(&place, &mount, tree.fd)); /* a mount that comes is taken */
    strcpy(mount.path, "/elsewhere");                         /* a link that was turned away from a mount */
    assert_null(root_place_refusal(&mount, &place, tree.fd));
    assert_int_equal(root_probe(tree.fd, "a.gltf"), 0);
    assert_int_equal(root_probe(tree.fd, "none"), 0);
    temp_tree_fini(&tree);
}
