#include "tests/unit/fbx/fbx_material_run.h"

#include "tests/unit/support/check.h"
#include "tests/unit/support/root_files.h"

#include <stdio.h>
#include <string.h>

void fbx_material_run_init(struct fbx_material_run *run)
{
    *run = (struct fbx_material_run){0};
    temp_tree_init(&run->tree);
    limits_default(&run->limits);
    bake_builder_init(&run->builder, 1 << 24);
}

void fbx_material_run_fini(struct fbx_material_run *run)
{
    fbx_fini(&run->fbx);
    source_files_free(run->import.files);
    bake_builder_fini(&run->builder);
    temp_tree_fini(&run->tree);
}

void fbx_material_run_picture(const struct fbx_material_run *run, const char *path, const uint8_t texels[8])
{
    uint8_t bytes[18 + 8] = {[2] = 2, [12] = 2, [14] = 1, [16] = 32, [17] = 0x28};
    for (int t = 0; t < 2; t++) {
        const uint8_t bgra[4] = {texels[4 * t + 2], texels[4 * t + 1], texels[4 * t], texels[4 * t + 3]};
        memcpy(bytes + 18 + 4 * t, bgra, sizeof bgra);
    }
    temp_tree_bytes(&run->tree, path, bytes, sizeof bytes);
}

void fbx_material_run_read(struct fbx_material_run *run, const char *generator, const char *text, size_t size_bytes)
{
    run->import = (struct import){.path = "models/a.fbx",
                                  .bytes = (const uint8_t *)text,
                                  .size_bytes = size_bytes,
                                  .files = root_files_open(run->tree.fd, "models/a.fbx", &run->limits),
                                  .builder = &run->builder,
                                  .info = bake_add_info(&run->builder, 1),
                                  .limits = &run->limits};
    run->import.info->generator = bake_textz(&run->builder, generator);
    fbx_init(&run->fbx, &run->import);
    run->rc = fbx_scene_read(&run->fbx.scene, &run->import, &run->err);
    if (run->rc == 0)
        run->rc = fbx_read_materials(&run->fbx, &run->err);
}

void fbx_material_run_objects(struct fbx_material_run *run, const char *generator, const char *objects,
                              const char *connections)
{
    static char text[16384];
    const int length = snprintf(text, sizeof text,
                                "; FBX 7.4.0 project file\nFBXHeaderExtension:  {\n\tFBXVersion: 7400\n}\n"
                                "Objects:  {\n%s}\nConnections:  {\n%s}\n",
                                objects, connections);
    assert_true(length > 0 && (size_t)length < sizeof text);
    fbx_material_run_read(run, generator, text, (size_t)length);
    if (run->rc < 0)
        fail_msg("%s", run->err.message);
}

struct material fbx_material_of(const char *generator, const char *model, const char *properties)
{
    struct fbx_material_run run;
    char objects[4096];
    fbx_material_run_init(&run);
    snprintf(objects, sizeof objects,
             "\tMaterial: 3, \"Material::m\", \"\" {\n\t\tShadingModel: \"%s\"\n\t\tProperties70:  {\n%s\t\t}\n\t}\n",
             model, properties);
    fbx_material_run_objects(&run, generator, objects, "");
    assert_int_equal(run.builder.material_count, 1);
    const struct material out = run.builder.materials[0];
    fbx_material_run_fini(&run);
    return out;
}

bool fbx_material_run_warned(const struct fbx_material_run *run, const char *code)
{
    for (uint32_t i = 0; i < run->builder.warning_count; i++) {
        const struct str str = run->builder.warnings[i].code;
        if (str.size_bytes == strlen(code) && memcmp(run->builder.text + str.offset, code, str.size_bytes) == 0)
            return true;
    }
    return false;
}

const struct texture *fbx_material_run_texture(const struct fbx_material_run *run, enum texture_slot slot)
{
    const int32_t texture = run->builder.materials[0].textures[slot].texture;
    assert_true(texture >= 0);
    return &run->builder.textures[texture];
}
