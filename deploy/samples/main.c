/* make-samples FOLDER: writes the sample models that `make run` and the container serve. */
#include "sample.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: make-samples FOLDER\n");
        return 2;
    }
    static void (*const MAKERS[])(struct sample * sample) = {make_dragon, make_octopus, make_robot};
    for (size_t i = 0; i < sizeof MAKERS / sizeof *MAKERS; i++) {
        struct sample *sample = mem_zalloc(1, sizeof *sample);
        MAKERS[i](sample);
        sample_write(sample, argv[1]);
        printf("%s/%s.glb: %u vertices, %d joints, %d clips\n", argv[1], sample->name, sample->surface.vertex_count,
               sample->rig.joint_count, sample->clip_count);
        surface_free(&sample->surface);
        free(sample);
    }
    return 0;
}
