#include "tests/unit/support/check.h"

#include "daemon/process/worker_command.h"

#include <stdlib.h>
#include <string.h>

static void check_words(char *const *words, const char *const *expected, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_string_equal(words[i], expected[i]);
    assert_null(words[count]);
}

static bool has(char *const *env, const char *variable)
{
    while (*env != NULL && strcmp(*env, variable) != 0)
        env++;
    return *env != NULL;
}

/* Arguments name the limits that are not as the importer knows them, and nothing of the daemon's environment leaks. */
TEST(worker_command_of_an_importer)
{
    struct config config = {.worker_dir = "/opt/posed", .sandbox = SANDBOX_REQUIRE};
    for (int i = 0; i < LIMIT_COUNT; i++)
        config.limits.value[i] = LIMIT_INFO[i].initial;
    config.limits.value[LIMIT_IMPORT_CPU_S] = 3;
    config.limits.value[LIMIT_NAME_BYTES] = 5; /* fixed: no option */
    assert_int_equal(setenv("POSED_SECRET", "x", 1) | setenv("MESA_DEBUG", "y", 1), 0);

    struct worker_command command;
    worker_command_import(&command, &config);
    worker_command_add(&command, "--");
    worker_command_add(&command, "-a.glb");
    static const char *const expected[] = {
        "/opt/posed/posed-import", "--sandbox", "require", "--import-cpu", "3", "--", "-a.glb"};
    check_words(command.args, expected, sizeof expected / sizeof *expected);
    assert_string_equal(command.env[0], "LANG=C");
    for (size_t i = 0; command.env[i] != NULL; i++)
        assert_true(strstr(command.env[i], "SECRET") == NULL && strstr(command.env[i], "MESA") == NULL);
    worker_command_fini(&command);
    unsetenv("POSED_SECRET");
    unsetenv("MESA_DEBUG");
}

TEST(worker_command_of_a_renderer)
{
    struct config config = {.worker_dir = ".", .sandbox = SANDBOX_TRY, .gl = "osmesa"};
    limits_default(&config.limits);
    config.limits.value[LIMIT_RENDER_MEMORY_BYTES] = 7;
    config.limits.value[LIMIT_RENDER_CPU_S] = 10;
    assert_int_equal(setenv("POSED_SECRET", "x", 1) | setenv("MESA_DEBUG", "y", 1), 0);
    struct worker_command command;
    worker_command_render(&command, &config, "MESA_DEBUG=z");
    static const char *const expected[] = {"./posed-render", "--sandbox", "try", "--gl",
                                           "osmesa",         "--memory",  "7",   "--cpu"};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_string_equal(command.args[i], expected[i]);
    assert_true(atoi(command.args[8]) >= 3600);
    assert_null(command.args[9]);
    assert_true(has(command.env, "LANG=C") && has(command.env, "MESA_DEBUG=y"));
    assert_true(!has(command.env, "MESA_DEBUG=z") && !has(command.env, "POSED_SECRET=x"));
    worker_command_fini(&command);
    unsetenv("MESA_DEBUG");
    worker_command_render(&command, &config, "MESA_DEBUG=z");
    assert_true(has(command.env, "MESA_DEBUG=z"));
    worker_command_fini(&command);
    unsetenv("POSED_SECRET");
}
