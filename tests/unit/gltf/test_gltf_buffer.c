/* Where buffers come from: the binary chunk, data URIs, files beside the model. */
#include "tests/unit/support/check.h"
#include "tests/unit/gltf/gltf_run.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MESH                                                                                                           \
    "'bufferViews':[{'buffer':0,'byteLength':12}],'accessors':[{'bufferView':0,'componentType':5126,'count':1,"        \
    "'type':'VEC3'}],'meshes':[{'primitives':[{'mode':0,'attributes':{'POSITION':0}}]}]}"
#define FILE_OF(buffer) "{'asset':{'version':'2.0'},'buffers':[" buffer "]," MESH

TEST(gltf_buffer_in_a_data_uri)
{
    struct gltf_run run;
    gltf_run_init(&run);
    /* 1, -2, 0.5 */
    gltf_run_json(&run, FILE_OF("{'byteLength':12,'uri':'data:application/octet-stream;base64,AACAPwAAAMAAAAA/'}"));
    assert_true(gltf_succeeded(&run));
    CHECK_NEAR(run.builder.positions[0].x, 1, 0);
    CHECK_NEAR(run.builder.positions[0].y, -2, 0);
    CHECK_NEAR(run.builder.positions[0].z, 0.5, 0);
    gltf_run_json(&run, FILE_OF("{'byteLength':13,'uri':'data:;base64,AACAPwAAAMAAAAA/'}"));
    assert_true(gltf_failed(&run, ERR_BAD_MODEL, "buffers[0] says 13 bytes, but its data URI has 12"));
    gltf_run_json(&run, FILE_OF("{'byteLength':12,'uri':'data:;base64,AACAPwAAAMAAAAA!'}"));
    assert_true(gltf_failed(&run, ERR_BAD_MODEL, "buffers[0]: the base64"));
    gltf_run_fini(&run);
}

TEST(gltf_buffer_of_a_glb)
{
    static const float FLOATS[4] = {3, 4, 5, 6};
    struct gltf_run run;
    gltf_run_init(&run);
    gltf_run_glb(&run, FILE_OF("{'byteLength':12}"), FLOATS, sizeof FLOATS); /* a longer chunk is fine */
    assert_true(gltf_succeeded(&run));
    CHECK_NEAR(run.builder.positions[0].z, 5, 0);
    assert_true(gltf_str_is(&run, run.builder.infos[0].format, "GLB 2.0"));
    gltf_run_glb(&run, FILE_OF("{'byteLength':12}"), FLOATS, 8);
    assert_true(gltf_failed(&run, ERR_BAD_MODEL, "buffers[0] says 12 bytes, but the binary chunk has 8"));
    gltf_run_glb(&run, FILE_OF("{'byteLength':12}"), NULL, 0);
    assert_true(gltf_failed(&run, ERR_BAD_MODEL, "buffers[0] has no uri and no binary chunk"));
    gltf_run_fini(&run);
}

static void write_file(int folder, const char *name, const void *bytes, size_t size)
{
    const int fd = openat(folder, name, O_CREAT | O_WRONLY | O_TRUNC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, size), size);
    close(fd);
}

static void run_beside(struct gltf_run *run, int folder, const char *uri)
{
    char json[1024];
    snprintf(json, sizeof json, FILE_OF("{'byteLength':12,'uri':'%s'}"), uri);
    for (char *c = json; *c != '\0'; c++)
        if (*c == '\'')
            *c = '"';
    gltf_run_bytes(run, folder, json, strlen(json));
}

TEST(gltf_buffer_beside_the_model)
{
    static const float FLOATS[3] = {7, 8, 9};
    char path[] = "/tmp/posed-test-XXXXXX";
    assert_non_null(mkdtemp(path));
    const int folder = open(path, O_RDONLY | O_DIRECTORY);
    write_file(folder, "my file.bin", FLOATS, sizeof FLOATS);
    write_file(folder, "short.bin", FLOATS, 8);
    struct gltf_run run;
    gltf_run_init(&run);
    run_beside(&run, folder, "my%20file.bin");
    assert_true(gltf_succeeded(&run));
    CHECK_NEAR(run.builder.positions[0].y, 8, 0);
    run_beside(&run, folder, "short.bin");
    assert_true(gltf_failed(&run, ERR_BAD_MODEL, "buffers[0] says 12 bytes, but short.bin has 8"));
    run_beside(&run, folder, "none.bin");
    assert_true(gltf_failed(&run, ERR_COMPANION_MISSING, "none.bin"));
    run_beside(&run, folder, "%2e%2e/%2e%2e/etc/passwd");
    assert_true(gltf_failed(&run, ERR_COMPANION_MISSING, "buffers[0]"));
    run_beside(&run, folder, "/etc/passwd");
    assert_true(gltf_failed(&run, ERR_COMPANION_MISSING, "buffers[0]"));
    gltf_run_fini(&run);
    unlinkat(folder, "my file.bin", 0);
    unlinkat(folder, "short.bin", 0);
    close(folder);
    rmdir(path);
}
