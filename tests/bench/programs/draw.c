/* draw - reads a baked model of the disk cache, and measures how long the renderer takes for pictures of it.
 *
 *   draw NAME.model [SIDE [PICTURES [OUT.png]]]
 *
 * Each picture is different: the camera turns, as in thumbnails.py. Prints one line of JSON: the time until the first
 * context was made and had drawn (a shader cache saves compiling), the time of the first picture, and the least and the
 * median of the others. All times are CPU time of this process, so that other work on the machine counts little.
 * OUT.png receives the last picture. */
#include "anim/bake/bake.h"
#include "daemon/disk/disk_record.h"
#include "base/mem.h"
#include "render/renderer.h"
#include "tests/bench/programs/measure.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PICTURES_MAX = 100000 };

static double times_ms[PICTURES_MAX];

static double now_ms(void) { return clock_ns(CLOCK_PROCESS_CPUTIME_ID) / 1e6; }

static void check(bool is_good, const char *what, const char *why)
{
    if (is_good)
        return;
    fprintf(stderr, "draw: %s: %s\n", what, why);
    exit(1);
}

/* Puts the bake into a memory file, as the daemon would send it, and finds the length of its first clip. */
static int load(const char *path, uint64_t *size_bytes, double *end_s)
{
    struct err err = {0};
    struct stat status;
    uint32_t head_bytes = 0;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    check(fd >= 0 && fstat(fd, &status) == 0, path, "cannot be read");
    const uint8_t *file = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    check(file != MAP_FAILED && disk_record_size(file, false, &head_bytes, &err) == 0, path,
          "no model of a disk cache");
    *size_bytes = (uint64_t)status.st_size - disk_bake_offset(head_bytes);
    void *bake = aligned_alloc(64, (*size_bytes + 63) / 64 * 64);
    struct model model;
    check(bake != NULL, path, "no memory");
    memcpy(bake, file + disk_bake_offset(head_bytes), *size_bytes);
    check(bake_decode(bake, *size_bytes, &model, &err) == 0, path, err.message);
    *end_s = model.clip_count > 0 ? model.clips[0].duration_s : -1;
    const int out = memfd_create("bench", MFD_CLOEXEC);
    check(out >= 0 && write(out, bake, *size_bytes) == (ssize_t)*size_bytes, path, "no memory file");
    free(bake);
    munmap((void *)file, (size_t)status.st_size);
    close(fd);
    return out;
}

int main(int argc, char **argv)
{
    struct err err = {0};
    struct renderer *renderer;
    struct render_work *work = mem_zalloc(1, sizeof *work);
    const uint32_t side = argc > 2 ? (uint32_t)atoi(argv[2]) : 256;
    const int count = argc > 3 ? atoi(argv[3]) : 200;
    double end_s = 0;
    check(argc > 1 && count > 1 && count <= PICTURES_MAX, "usage", "draw NAME.model [SIDE [PICTURES [OUT.png]]]");
    const int fd = load(argv[1], &work->job.model_bytes, &end_s);
    const double begin_ms = now_ms();
    check(renderer_new("auto", 1 << 30, &renderer, &err) == 0, "renderer", err.message);
    const double start_ms = now_ms() - begin_ms;
    work->job.picture = (struct picture_spec){.width = side, .height = side, .flags = PICTURE_AUTO_TIME};
    work->job.width = work->job.height = side;
    work->job.cell_count = 1;
    work->job.model_key = 1;
    work->cells[0].end_s = end_s;
    work->cells[0].clip = end_s < 0 ? -1 : 0;
    struct buf png;
    buf_init(&png, 0);
    for (int i = 0; i < count; i++) {
        buf_clear(&png);
        work->job.picture.yaw_deg = 30 + 0.1 * i;
        const double from_ms = now_ms();
        check(renderer_draw(renderer, work, fd, NULL, &png, NULL, &err) == 0, argv[1], err.message);
        times_ms[i] = now_ms() - from_ms;
    }
    const double first_ms = times_ms[0];
    qsort(times_ms + 1, (size_t)count - 1, sizeof *times_ms, by_size);
    printf("{\"start_ms\":%.1f,\"first_ms\":%.2f,\"least_ms\":%.3f,\"median_ms\":%.3f,\"bytes\":%zu}\n", start_ms,
           first_ms, times_ms[1], times_ms[1 + (count - 1) / 2], png.size_bytes);
    FILE *out = argc > 4 ? fopen(argv[4], "wb") : NULL;
    if (out != NULL) {
        fwrite(png.data, 1, png.size_bytes, out);
        fclose(out);
    }
    buf_fini(&png);
    free(work);
    close(fd);
    return 0;
}
