/* Files of the disk cache while they are written: a process that tidies up meanwhile removes none of them. */
#include "tests/unit/support/check.h"
#include "tests/unit/support/temp_tree.h"

#include "daemon/disk/disk_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

struct tidier {
    const struct temp_tree *tree;
    atomic_bool is_over;
};

static void *tidy(void *user)
{
    struct tidier *tidier = user;
    while (!atomic_load(&tidier->is_over)) {
        DIR *dir = opendir(tidier->tree->path);
        for (struct dirent *entry; dir != NULL && (entry = readdir(dir)) != NULL;)
            disk_temporary_remove(tidier->tree->fd, entry->d_name);
        if (dir != NULL)
            closedir(dir);
    }
    return NULL;
}

TEST(disk_file_that_is_being_written_is_not_tidied_away)
{
    enum { FILES = 3000 };
    struct temp_tree tree;
    struct err err;
    temp_tree_init(&tree);
    struct tidier tidier = {.tree = &tree};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, tidy, &tidier), 0);
    for (int i = 0; i < FILES; i++) {
        struct disk_writer writer;
        if (disk_writer_open(&writer, tree.fd, &err) < 0)
            fail_msg("%s", err.message);
        assert_int_equal(faccessat(tree.fd, writer.temporary, F_OK, 0), 0);
        if (i % 100 == 0) /* waits for the disk */
            assert_int_equal(disk_writer_finish(&writer, "whole", &err), 0);
        else
            disk_writer_abandon(&writer);
    }
    atomic_store(&tidier.is_over, true);
    pthread_join(thread, NULL);
    assert_int_equal(faccessat(tree.fd, "whole", F_OK, 0), 0);
    temp_tree_fini(&tree);
}
