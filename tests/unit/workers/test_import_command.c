#include "tests/unit/support/check.h"

#include "daemon/importer/import_command.h"

#include <stdlib.h>
#include <string.h>

/* Arguments name the limits that are not as the importer knows them, and nothing of the daemon's environment leaks. */
TEST(import_command_holds_what_differs)
{
    struct config config = {.worker_dir = "/opt/posed"};
    for (int i = 0; i < LIMIT_COUNT; i++)
        config.limits.value[i] = LIMIT_INFO[i].initial;
    config.limits.value[LIMIT_IMPORT_CPU_S] = 3;
    config.limits.value[LIMIT_NAME_BYTES] = 5; /* fixed: no option */
    assert_int_equal(setenv("POSED_SECRET", "x", 1), 0);

    struct import_command command;
    import_command_init(&command, &config);
    *command.path = (char *)"-a.glb";
    static const char *const expected[] = {"/opt/posed/posed-import", "--import-cpu", "3", "--", "-a.glb"};
    for (size_t i = 0; i < 5; i++)
        assert_string_equal(command.args[i], expected[i]);
    assert_null(command.args[5]);
    assert_string_equal(command.program, "/opt/posed/posed-import");
    assert_string_equal(command.env[0], "LANG=C");
    for (size_t i = 0; command.env[i] != NULL; i++)
        assert_null(strstr(command.env[i], "SECRET"));
    import_command_fini(&command);
    unsetenv("POSED_SECRET");
}
