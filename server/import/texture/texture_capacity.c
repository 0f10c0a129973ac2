/* texture_capacity.c - allocates the pixels of a picture within the limits. */
#include "import/texture/texture_image.h"

#include <stdlib.h>

int image_check(const struct image *image, const struct limits *limits, struct err *err)
{
    const uint64_t side_max = limits->value[LIMIT_IMAGE_SIDE], pixels_max = limits->value[LIMIT_IMAGE_PIXELS];
    const uint64_t pixels = (uint64_t)image->width * image->height;
    if (pixels == 0)
        return err_set(err, ERR_BAD_MODEL, "the picture is %u x %u pixels", image->width, image->height);
    if (image->width > side_max || image->height > side_max || pixels > pixels_max)
        return err_set(err, ERR_MODEL_LIMIT, "%u x %u pixels are more than %s or %s", image->width, image->height,
                       LIMIT_TEXT(limits, LIMIT_IMAGE_SIDE), LIMIT_TEXT(limits, LIMIT_IMAGE_PIXELS));
    return 0;
}

int image_alloc(struct image *image, const struct limits *limits, struct err *err)
{
    if (image_check(image, limits, err) < 0)
        return err->code;
    image->rgba = malloc((size_t)image->width * image->height * 4);
    if (image->rgba == NULL)
        return err_set(err, ERR_IMPORT_MEMORY, "no memory for %u x %u pixels", image->width, image->height);
    return 0;
}

void image_fini(struct image *image)
{
    free(image->rgba);
    *image = (struct image){0};
}
