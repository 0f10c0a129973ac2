#include "import/texture/texture_mix.h"

#include <math.h>

/* What every dielectric reflects at normal incidence (glTF 2.0, appendix B.3.5), and what metal lets through. */
static const double DIELECTRIC = 0.04;

static double clamp(double value) { return value > 0 ? value < 1 ? value : 1 : 0; }

/* Luminance of linear light (ITU-R BT.709). */
static double luminance(const float c[3])
{
    return 0.2126 * (double)c[0] + 0.7152 * (double)c[1] + 0.0722 * (double)c[2];
}

/* Both ways to say a surface have a diffuse colour and one that it reflects (F0):
 *   specular-glossy (KHR_materials_pbrSpecularGlossiness, appendix):  diffuse * (1 - max(specular)), specular
 *   metallic-rough (glTF 2.0, appendix B.2):  base * (1 - 0.04) * (1 - metallic), 0.04 * (1 - metallic) + base *
 * metallic With their brightnesses d and s for the colours, and base = d / (0.96 * (1 - metallic)) put into the second:
 *   0.04 * metallic^2 + (d / 0.96 + s - 0.08) * metallic + 0.04 - s = 0
 * of which the larger solution is the one between 0 and 1. */
static double solve_metallic(double d, double s)
{
    if (s <= DIELECTRIC)
        return 0;
    const double a = DIELECTRIC, b = d / (1 - DIELECTRIC) + s - 2 * DIELECTRIC, c = DIELECTRIC - s;
    return clamp((-b + sqrt(b * b - 4 * a * c)) / (2 * a)); /* c < 0: the root is real */
}

struct metallic_roughness specular_glossiness_to_metallic_roughness(const struct specular_glossiness *gloss)
{
    const float *specular = gloss->specular;
    const double largest = fmax((double)specular[0], fmax((double)specular[1], (double)specular[2]));
    const double through = 1 - clamp(largest);
    const double metallic = solve_metallic(luminance(gloss->diffuse) * through, luminance(specular));
    struct metallic_roughness out = {.metallic = (float)metallic,
                                     .roughness = (float)clamp(1 - (double)gloss->glossiness)};
    /* Each channel has two equations for its base: the more metal, the more the second counts. */
    for (int i = 0; i < 3; i++) {
        const double of_diffuse =
            metallic < 1 ? (double)gloss->diffuse[i] * through / ((1 - DIELECTRIC) * (1 - metallic)) : 0;
        const double of_specular = metallic > 0 ? ((double)specular[i] - DIELECTRIC * (1 - metallic)) / metallic : 0;
        const double part = metallic * metallic;
        out.base_color[i] = (float)clamp((1 - part) * clamp(of_diffuse) + part * clamp(of_specular));
    }
    return out;
}
