/* md2_clip.c - groups frames into clips by name: "stand01", "stand02" ... form the clip "stand".
 *
 * A name consists of letters and a number. The next frame belongs to the same clip if its letters are equal and its
 * number is one higher. Three-digit numbers from 100 on number several motions of one name: "death101" is the first
 * frame of "death1". */
#include "import/curve/track.h"
#include "import/quake/md2.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double FRAMES_PER_S = 10;

struct frame_name {
    char letters[MD2_FRAME_NAME_BYTES + 1];
    int digits; /* how many */
    uint32_t number;
};

static struct frame_name name_of(const struct md2_file *file, uint32_t frame)
{
    struct frame_name out = {0};
    md2_frame_name(file, frame, out.letters);
    size_t length = strlen(out.letters);
    while (length > 0 && out.digits < 9 && out.letters[length - 1] >= '0' && out.letters[length - 1] <= '9') {
        length--;
        out.digits++;
    }
    out.number = (uint32_t)strtoul(out.letters + length, NULL, 10);
    out.letters[length] = '\0';
    return out;
}

/* Returns the number of frames from `first` that form one clip. */
static uint32_t length_of(const struct md2_file *file, uint32_t first)
{
    struct frame_name last = name_of(file, first);
    uint32_t count = 1;
    for (; first + count < file->frame_count; count++) {
        const struct frame_name next = name_of(file, first + count);
        if (strcmp(last.letters, next.letters) != 0 || (next.digits > 0 && next.number != last.number + 1))
            break;
        last = next;
    }
    return count;
}

static void clip_name(const struct md2_file *file, uint32_t first, char out[MD2_FRAME_NAME_BYTES + 12])
{
    const struct frame_name name = name_of(file, first);
    const char *letters = name.letters[0] != '\0' ? name.letters : "frames";
    if (name.digits == 3 && name.number >= 100)
        snprintf(out, MD2_FRAME_NAME_BYTES + 12, "%s%u", letters, name.number / 100);
    else
        snprintf(out, MD2_FRAME_NAME_BYTES + 12, "%s", letters);
}

static int add_clip(struct md2 *md2, const char *name, uint32_t first, uint32_t count, struct err *err)
{
    struct bake_builder *builder = md2->import->builder;
    const uint32_t width = md2->file.frame_count - 1;
    const uint64_t values = (uint64_t)count * width;
    struct clip clip = {.name = bake_textz(builder, name), .channel_first = builder->channel_count};
    if (import_check_limit(md2->import, LIMIT_CLIPS, builder->clip_count, 1, "the frames", err) < 0 ||
        import_check_limit(md2->import, LIMIT_KEYS, builder->key_value_count, values, "the frames", err) < 0)
        return err->code;
    struct track track = {.count = count, .components = width};
    track.times_s = mem_alloc(count * sizeof *track.times_s);
    track.values = mem_zalloc((size_t)values, sizeof *track.values);
    for (uint32_t k = 0; k < count; k++) {
        track.times_s[k] = k / FRAMES_PER_S;
        if (first + k > 0) /* the first frame is the mesh itself */
            track.values[(size_t)k * width + first + k - 1] = 1;
    }
    const int rc = track_put(&track, md2->import, 0, PATH_WEIGHTS, err);
    track_fini(&track);
    clip.channel_count = 1;
    return rc < 0 ? rc : import_put_clip(md2->import, &clip, err);
}

/* Names that group no frames say nothing. */
static bool has_groups(const struct md2_file *file)
{
    for (uint32_t f = 0; f < file->frame_count; f++)
        if (length_of(file, f) > 1)
            return true;
    return false;
}

int md2_read_clips(struct md2 *md2, struct err *err)
{
    const struct md2_file *file = &md2->file;
    if (file->frame_count < 2)
        return 0;
    if (!has_groups(file))
        return add_clip(md2, "frames", 0, file->frame_count, err);
    for (uint32_t f = 0; f < file->frame_count;) {
        const uint32_t count = length_of(file, f);
        char name[MD2_FRAME_NAME_BYTES + 12];
        clip_name(file, f, name);
        if (add_clip(md2, name, f, count, err) < 0)
            return err->code;
        f += count;
    }
    return 0;
}
