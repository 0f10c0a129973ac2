/* flip_probe BEFORE.png AFTER.png [PIXELS_PER_DEGREE]: prints posectl's differences between two pictures, as width and
 * height (uint32) and a double for each pixel; then the heat map as PNG. */
#include "clients/cli/moments/flip.h"
#include "clients/cli/moments/picture_file.h"

#include <stdio.h>
#include <stdlib.h>

static int read_picture(const char *path, struct picture *out)
{
    static char bytes[1 << 24];
    struct text problem = {0};
    FILE *file = fopen(path, "rb");
    const size_t size_bytes = file == NULL ? 0 : fread(bytes, 1, sizeof bytes, file);
    if (file != NULL)
        fclose(file);
    const int rc = picture_read(bytes, size_bytes, out, &problem);
    if (rc < 0)
        fprintf(stderr, "%s: %s\n", path, problem.at);
    text_free(&problem);
    return rc;
}

int main(int argc, char **argv)
{
    struct picture before, after;
    struct text png = {0}, problem = {0};
    if (argc < 3 || read_picture(argv[1], &before) < 0 || read_picture(argv[2], &after) < 0 ||
        before.width != after.width || before.height != after.height)
        return 1;
    const size_t count = (size_t)before.width * before.height;
    double *differences = must_alloc(count * sizeof *differences);
    flip_compare(before.pixels, after.pixels, before.width, before.height,
                 argc > 3 ? strtod(argv[3], NULL) : FLIP_PIXELS_PER_DEGREE, differences);
    fwrite(&before.width, sizeof before.width, 1, stdout);
    fwrite(&before.height, sizeof before.height, 1, stdout);
    fwrite(differences, sizeof *differences, count, stdout);
    for (size_t i = 0; i < count; i++)
        flip_heat(differences[i], before.pixels + 3 * i);
    if (picture_put(&before, &png, &problem) < 0)
        return 1;
    fwrite(png.at, 1, png.size_bytes, stdout);
    text_free(&png);
    free(differences);
    free(before.pixels);
    free(after.pixels);
    return 0;
}
