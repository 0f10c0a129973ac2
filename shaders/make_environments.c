/* make_environments.c - writes the lights defined by formulas as a C file at build time. Each takes a tenth of a
 * second, too long for program start. */
#include "anim/light/environment.h"

#include <stdio.h>
#include <stdlib.h>

static void put(const char *name, environment_radiance *radiance)
{
    static struct environment light;
    if (environment_make(radiance, NULL, 512, NULL, NULL, &light) < 0)
        exit(1);
    printf("const struct environment %s = {\n    .harmonics = {{", name);
    for (int i = 0; i < ENVIRONMENT_HARMONICS; i++)
        printf("{%.9ef, %.9ef, %.9ef},%s", (double)light.harmonics.c[i][0], (double)light.harmonics.c[i][1],
               (double)light.harmonics.c[i][2], i < ENVIRONMENT_HARMONICS - 1 ? "\n                   " : "");
    printf("}},\n    .map = {");
    for (int t = 0; t < ENVIRONMENT_TEXELS; t++)
        printf("{%u,%u,%u,%u},%s", light.map[t][0], light.map[t][1], light.map[t][2], light.map[t][3],
               t % 8 == 7 ? "\n" : "");
    printf("}};\n");
}

int main(void)
{
    printf("#include \"anim/light/environment.h\"\n");
    put("ENVIRONMENT_STUDIO", environment_studio);
    put("ENVIRONMENT_OUTDOOR", environment_outdoor);
    put("ENVIRONMENT_FLAT", environment_flat);
    return fflush(stdout) == 0 && ferror(stdout) == 0 ? 0 : 1;
}
