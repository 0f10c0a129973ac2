#include "render/draw/debug_view_program.h"

#include "shaders.h"

static int init(struct debug_view_program *program, const struct gl *gl, const struct shader_sources *sources,
                bool is_full, struct err *err)
{
    *program = (struct debug_view_program){.paint = -1};
    if (program_link(&program->base, gl, sources, is_full, err) < 0)
        return err->code;
    program->has_surface = gl->GetUniformLocation(program->base.name, "has_surface");
    program->paint = gl->GetUniformLocation(program->base.name, "paint");
    program->depth_range = gl->GetUniformLocation(program->base.name, "depth_range");
    program->scale = gl->GetUniformLocation(program->base.name, "scale");
    return 0;
}

int debug_view_program_init(struct debug_view_program *program, const struct gl *gl, bool is_full, struct err *err)
{
    const struct shader_sources sources = {.vertex = {.text = shader_skin_vert, .name = "skin.vert"},
                                           .fragment = {shader_mesh_frag, "view.frag", shader_view_frag},
                                           .define = is_full ? "#define VIEW\n#define FILTERS\n#define FULL\n"
                                                             : "#define VIEW\n#define FILTERS\n"};
    return init(program, gl, &sources, is_full, err);
}

int debug_view_program_init_wire(struct debug_view_program *program, const struct gl *gl, bool is_full, struct err *err)
{
    const struct shader_sources sources = {.vertex = {.text = shader_skin_vert, .name = "skin.vert"},
                                           .geometry = {.text = shader_wire_geom, .name = "wire.geom"},
                                           .fragment = {.text = shader_wire_frag, .name = "wire.frag"},
                                           .define = is_full ? "#define VIEW\n#define FULL\n" : "#define VIEW\n"};
    return init(program, gl, &sources, is_full, err);
}

void debug_view_program_fini(struct debug_view_program *program, const struct gl *gl)
{
    if (program->base.name != 0)
        program_fini(&program->base, gl);
    *program = (struct debug_view_program){0};
}
