#include "tests/unit/fbx/fbx_run.h"

#include "tests/unit/support/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fbx_run_nodes(struct fbx_run *run, const char *settings, const char *objects, const char *connections)
{
    *run = (struct fbx_run){0};
    limits_default(&run->limits);
    bake_builder_init(&run->builder, 1 << 26);
    const int size =
        asprintf(&run->text,
                 "; FBX 7.4.0 project file\nFBXHeaderExtension: {\n FBXVersion: 7400\n Creator: 'a test'\n}\n"
                 "GlobalSettings: {\n Properties70: {\n%s}\n}\nObjects: {\n%s}\nConnections: {\n%s}\n",
                 settings, objects, connections);
    assert_true(size > 0);
    for (char *c = run->text; *c != '\0'; c++)
        if (*c == '\'')
            *c = '"';
    run->import = (struct import){
        .path = "a.fbx",
        .bytes = (const uint8_t *)run->text,
        .size_bytes = (size_t)size,
        .builder = &run->builder,
        .info = bake_add_info(&run->builder, 1),
        .limits = &run->limits,
    };
    fbx_init(&run->fbx, &run->import);
    run->rc = fbx_scene_read(&run->fbx.scene, &run->import, &run->err);
    if (run->rc < 0)
        return;
    fbx_read_settings(&run->fbx);
    run->rc = fbx_read_nodes(&run->fbx, &run->err);
}

void fbx_run_fini(struct fbx_run *run)
{
    fbx_fini(&run->fbx);
    bake_builder_fini(&run->builder);
    free(run->text);
}

bool fbx_run_is_text(const struct fbx_run *run, struct str str, const char *text)
{
    return str.offset != STR_NONE && str.size_bytes == strlen(text) &&
           memcmp(run->builder.text + str.offset, text, str.size_bytes) == 0;
}

bool fbx_run_warned(const struct fbx_run *run, const char *code)
{
    for (uint32_t w = 0; w < run->builder.warning_count; w++)
        if (fbx_run_is_text(run, run->builder.warnings[w].code, code))
            return true;
    return false;
}
