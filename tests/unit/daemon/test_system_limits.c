/* Cores and memory from made-up /proc and cgroup files. */
#include "tests/unit/support/check.h"

#include "daemon/config/system_limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char root[64];
static uint32_t all_cores;

static void lay(const char *path, const char *text)
{
    char full[512];
    snprintf(full, sizeof full, "%s%s", root, path);
    for (char *slash = full + strlen(root) + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        mkdir(full, 0700);
        *slash = '/';
    }
    FILE *file = fopen(full, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void begin(void)
{
    struct system_limits real;
    system_limits_read("", &real);
    all_cores = real.cores;
    snprintf(root, sizeof root, "%s/posed-machine-XXXXXX", P_tmpdir);
    assert_non_null(mkdtemp(root));
    lay("/proc/meminfo", "MemTotal:        1000000 kB\nMemFree:  5 kB\n");
}

static void end(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", root);
    assert_int_equal(system(command), 0);
}

TEST(machine_without_cgroup_files)
{
    struct system_limits machine;
    begin();
    system_limits_read(root, &machine);
    assert_int_equal(machine.memory_bytes, 1024000000);
    assert_true(machine.cores >= 1);
    end();
}

TEST(machine_least_limit_on_the_way_up_counts)
{
    struct system_limits machine;
    begin();
    lay("/proc/self/cgroup", "0::/a/b\n");
    lay("/sys/fs/cgroup/a/b/memory.max", "max\n");
    lay("/sys/fs/cgroup/a/memory.max", "5000000\n");
    lay("/sys/fs/cgroup/memory.max", "6000000\n");
    lay("/sys/fs/cgroup/a/b/cpu.max", "50000 100000\n");
    lay("/sys/fs/cgroup/a/cpu.max", "max 100000\n");
    system_limits_read(root, &machine);
    assert_int_equal(machine.memory_bytes, 5000000);
    assert_int_equal(machine.cores, 1);
    end();
}

TEST(machine_cgroup_version_1_in_a_container)
{
    struct system_limits machine;
    begin();
    lay("/proc/self/cgroup", "4:memory:/docker/abc\n3:cpu,cpuacct:/docker/abc\n1:name=systemd:/docker/abc\n");
    lay("/sys/fs/cgroup/memory/memory.limit_in_bytes", "268435456\n");
    lay("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "10000\n");
    lay("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
    system_limits_read(root, &machine);
    assert_int_equal(machine.memory_bytes, 268435456);
    assert_int_equal(machine.cores, 1);
    end();
}

TEST(machine_limits_that_do_not_bind)
{
    struct system_limits machine;
    begin();
    lay("/proc/self/cgroup", "4:memory:/\n3:cpu:/\n0::/\n");
    lay("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    lay("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
    lay("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
    lay("/sys/fs/cgroup/cpu.max", "max 100000\n");
    system_limits_read(root, &machine);
    assert_int_equal(machine.memory_bytes, 1024000000);
    assert_int_equal(machine.cores, all_cores);
    end();
}
