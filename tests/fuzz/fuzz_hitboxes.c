/* Hitbox files, beside a model of a few nodes: accepted ones keep the rules of the baked model. */
#include "tests/fuzz/reader_target.h"

#include "anim/bake/bake.h"
#include "anim/hits/hit_set.h"
#include "import/hitboxes/hitboxes.h"

#include <stdlib.h>

static void add_nodes(struct bake_builder *builder)
{
    static const char *const NAMES[] = {"root", "head", "hand", "twin", "twin", NULL};
    for (size_t n = 0; n < sizeof NAMES / sizeof *NAMES; n++) {
        const struct str name = bake_textz(builder, NAMES[n]);
        struct node *node = bake_add_node(builder, 1);
        *node = (struct node){.name = name,
                              .parent = (int32_t)n - 1,
                              .mesh = -1,
                              .skin = -1,
                              .matrix = -1,
                              .rotation = {0, 0, 0, 1},
                              .scale = {1, 1, 1}};
    }
    *bake_add_root(builder, 1) = 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bake_builder builder;
    struct limits limits;
    struct err err = {0};
    limits_default(&limits);
    bake_builder_init(&builder, 0);
    bake_add_info(&builder, 1);
    add_nodes(&builder);
    struct import import = {.path = "hero.glb", .builder = &builder, .limits = &limits};
    uint8_t *copy = reader_copy(data, size);
    const int rc = hitboxes_read(&import, "hero.hitboxes.json", copy, size, &err);
    free(copy);
    if ((rc != 0 && rc != ERR_BAD_HITBOXES) || (rc != 0 && builder.hitbox_count > 0))
        abort();
    if (rc == 0) {
        if (bake_finish(&builder, &err) < 0) /* this checks every field */
            abort();
        const struct model model = bake_builder_view(&builder);
        struct hit_set *set;
        if (hit_set_new(&model, VOLUME_CAPSULE, 1000, &set, &err) < 0)
            abort();
        for (uint32_t v = 0; v < set->count; v++) {
            static const double ORIGIN[3] = {3, 4, 5}, DIRECTION[3] = {-3, -4, -5};
            struct volume_entry entry;
            volume_ray(&set->volumes[v].volume, ORIGIN, DIRECTION, &entry);
        }
        hit_set_free(set);
    }
    bake_builder_fini(&builder);
    return 0;
}
