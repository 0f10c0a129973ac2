/* server/render/job/job_sources.h, job_channel.h, draw/model_cache.h: a job's other models, from their descriptors to
 * the clips. */
#include "render/job/job_sources.h"
#include "anim/pose/pose.h"
#include "render/draw/model_cache.h"
#include "render/job/job_channel.h"
#include "tests/unit/support/check.h"
#include "tests/unit/support/fixture.h"
#include "tests/unit/support/human.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

static const double TIMES[2] = {0, 1};
static const float UNEVEN[3] = {2, 1, 0.5F}, PLACE[3] = {5, -1, 2}, STEP[3] = {0, 2, 0};
static const float QUARTER_TURN_Z[4] = {0, 0, 0.70710678F, 0.70710678F};

static void name_node(struct fixture *f, uint32_t node, const char *name)
{
    f->builder.nodes[node].name = bake_textz(&f->builder, name);
}

/* root (turned, unevenly scaled, off the origin) > tip; a clip that moves the tip to (x, 2, 0), if x is not 0. */
static void make_model(struct fixture *f, float x, const char *tip)
{
    const float values[6] = {x, 2, 0, x, 2, 0};
    fixture_init(f);
    const uint32_t root = fixture_node(f, -1, PLACE, QUARTER_TURN_Z, UNEVEN);
    fixture_node(f, (int32_t)root, STEP, FIXTURE_NO_TURN, FIXTURE_ONE);
    name_node(f, 0, "root");
    name_node(f, 1, tip);
    fixture_root(f, root);
    if (x != 0) {
        fixture_clip(f);
        fixture_channel(f, 1, PATH_TRANSLATION, INTERPOLATION_LINEAR, 3, TIMES, 2, values);
    }
    fixture_finish(f);
}

static int file_of(const struct fixture *f)
{
    const int fd = memfd_create("test", MFD_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, f->block, f->size_bytes), f->size_bytes);
    return fd;
}

enum { COUNT = RENDER_SOURCES_MAX };

/* As the renderer does it; none of the models is drawn, so nothing is asked of GL. */
static int init_sources(struct job_sources *sources, struct model_cache *cache, const struct render_work *work,
                        const int *fds, const struct model *model, struct buf *unmatched, struct err *err)
{
    const struct render_source *from = work->job.sources;
    const struct model *clips[COUNT];
    struct loaded_model *loaded;
    sources->count = 0;
    model_cache_begin(cache);
    for (uint32_t s = 0; s < work->job.source_count && work->job.source_count <= COUNT; s++) {
        if (model_cache_map(cache, NULL, from[s].key, fds[s], from[s].size_bytes, &loaded, err) < 0)
            return err->code;
        clips[s] = &loaded->mapped.model;
    }
    return job_sources_init(sources, work, model, clips, unmatched, err);
}

/* As many files as a job can have, none of which may leave while it lasts though all are more than the limit. */
TEST(job_sources_stay_while_the_job_lasts)
{
    struct fixture model, clips[COUNT];
    struct model_cache cache = {.limit_bytes = 1};
    static struct render_work work;
    struct render_job *job = &work.job;
    *job = (struct render_job){.cell_count = 1, .drawn_count = 1, .source_count = COUNT, .blend.layer_count = COUNT};
    struct job_sources sources;
    struct buf unmatched;
    struct err err = {0};
    int fds[COUNT];
    make_model(&model, 0, "tip");
    buf_init(&unmatched, 0);
    for (uint32_t i = 0; i < COUNT; i++) {
        make_model(&clips[i], (float)(i + 1), "tip");
        fds[i] = file_of(&clips[i]);
        job->sources[i] = (struct render_source){.key = 100 + i, .size_bytes = clips[i].size_bytes};
        job->blend.layers[i].clip_source = i + 1;
    }
    for (int round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < COUNT;
             i++) /* the second time they are there, the third others have taken their place */
            job->sources[i].key = 100 + i + (round == 2 ? 1000 : 0);
        buf_clear(&unmatched);
        assert_int_equal(init_sources(&sources, &cache, &work, fds, &model.model, &unmatched, &err), 0);
        assert_int_equal(sources.count, COUNT);
        for (uint32_t i = 0; i < COUNT; i++) {
            struct pose pose;
            pose_init(&pose);
            pose_evaluate(&pose, job_source(&sources, i + 1), 0, 0.5);
            /* (i + 1, 2, 0) scaled to (2 i + 2, 2, 0), turned to (-2, 2 i + 2, 0), moved by (5, -1, 2) */
            CHECK_NEAR(pose.scene_from_node[1].m[12], 3, 1e-5);
            CHECK_NEAR(pose.scene_from_node[1].m[13], 2 * (double)i + 1, 1e-5);
            CHECK_NEAR(pose.scene_from_node[1].m[14], 2, 1e-5);
            pose_fini(&pose);
        }
        assert_memory_equal(unmatched.data, "0;joints=0", unmatched.size_bytes);
        const struct model *movers[COUNT + 1];
        assert_int_equal(job_movers(&sources, &work, movers), COUNT);
        job_sources_fini(&sources);
    }
    model_cache_fini(&cache, NULL);
    for (uint32_t i = 0; i < COUNT; i++) {
        close(fds[i]);
        fixture_fini(&clips[i]);
    }
    buf_fini(&unmatched);
    fixture_fini(&model);
}

TEST(job_sources_refuse_what_is_not_there)
{
    struct fixture model, clips, stranger;
    struct model_cache cache = {.limit_bytes = 1 << 20};
    struct job_sources sources;
    struct buf unmatched;
    struct err err = {0};
    make_model(&model, 3, "tip");
    make_model(&clips, 1, "tip");
    make_model(&stranger, 1, "tail");
    const int fds[2] = {file_of(&clips), file_of(&stranger)};
    const struct render_job good = {
        .cell_count = 1,
        .drawn_count = 1,
        .source_count = 2,
        .sources = {{.key = 1, .size_bytes = clips.size_bytes}, {.key = 2, .size_bytes = stranger.size_bytes}}};
    static struct render_work work;
    buf_init(&unmatched, 0);
    const struct {
        uint32_t source_count, clip_source;
        int32_t clip;
        uint64_t size_bytes;
        int code;
    } rows[] = {
        {2, 1, 0, clips.size_bytes, 0},
        {2, 0, 0, clips.size_bytes, 0},
        {2, 1, 7, clips.size_bytes, 0}, /* refused with the rest of the job */
        {2, 3, 0, clips.size_bytes, ERR_BAD_PARAMETER},
        {2, UINT32_MAX, 0, clips.size_bytes, ERR_BAD_PARAMETER},
        {COUNT + 1, 1, 0, clips.size_bytes, ERR_BAD_PARAMETER},
        {2, 2, 0, clips.size_bytes, ERR_CLIP_NO_MATCH},
        {2, 1, 0, clips.size_bytes + 1, ERR_INTERNAL},
        {2, 1, 0, 0, ERR_INTERNAL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        work.job = good;
        work.job.source_count = rows[i].source_count;
        work.cells[0] = (struct render_cell){.clip = rows[i].clip, .clip_source = rows[i].clip_source};
        work.job.sources[0].size_bytes = rows[i].size_bytes;
        work.job.sources[0].key = 10 + i;
        assert_int_equal(init_sources(&sources, &cache, &work, fds, &model.model, &unmatched, &err), rows[i].code);
        job_sources_fini(&sources);
    }
    model_cache_fini(&cache, NULL);
    close(fds[0]);
    close(fds[1]);
    buf_fini(&unmatched);
    fixture_fini(&model);
    fixture_fini(&clips);
    fixture_fini(&stranger);
}

/* Rules are sent as NUL-terminated texts. An invalid list is refused before any of it is used. */
TEST(job_sources_rename_joints)
{
    struct fixture model, clips;
    struct model_cache cache = {.limit_bytes = 1 << 20};
    struct job_sources sources;
    struct buf unmatched;
    struct err err = {0};
    make_model(&model, 0, "tip");
    make_model(&clips, 1, "rig:end");
    const int fds[1] = {file_of(&clips)};
    static struct render_work work;
    static const struct {
        const char *text;
        uint32_t size_bytes;
        int code;
    } ROWS[] = {
        {"rig:end=tip", 12, 0},
        {"x:*=*\0rig:end=tip", 18, 0},
        {"", 0, ERR_CLIP_NO_MATCH},
        {"x:*=*", 6, ERR_CLIP_NO_MATCH},
        {"rig:end=tip", 11, ERR_BAD_PARAMETER},
        {"", 1, ERR_BAD_PARAMETER},
        {"rig:end=tip\0tip", 16, ERR_BAD_PARAMETER},
        {"", UINT32_MAX, ERR_BAD_PARAMETER},
    };
    buf_init(&unmatched, 0);
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        work.job = (struct render_job){
            .cell_count = 1,
            .drawn_count = 1,
            .source_count = 1,
            .rename_bytes = ROWS[i].size_bytes,
            .sources = {{.key = 1, .size_bytes = clips.size_bytes}},
        };
        work.cells[0] = (struct render_cell){.clip_source = 1};
        memcpy(work.renames, ROWS[i].text, ROWS[i].size_bytes < 32 ? ROWS[i].size_bytes : 0);
        buf_clear(&unmatched);
        assert_int_equal(init_sources(&sources, &cache, &work, fds, &model.model, &unmatched, &err), ROWS[i].code);
        if (i == 0)
            assert_memory_equal(unmatched.data, "0;joints=0", unmatched.size_bytes);
        if (i == 1)
            assert_memory_equal(unmatched.data, "0;joints=0;rules=1;rule_texts=\"x%3A%2A%3D%2A\"",
                                unmatched.size_bytes);
        job_sources_fini(&sources);
    }
    for (uint32_t i = 0; i <= RENDER_RENAMES_MAX; i++)
        memcpy(work.renames + 4 * (size_t)i, "a=b", 4);
    work.job.rename_bytes = 4 * (RENDER_RENAMES_MAX + 1);
    assert_int_equal(init_sources(&sources, &cache, &work, fds, &model.model, &unmatched, &err), ERR_BAD_PARAMETER);
    job_sources_fini(&sources);
    model_cache_fini(&cache, NULL);
    close(fds[0]);
    buf_fini(&unmatched);
    fixture_fini(&model);
    fixture_fini(&clips);
}

/* Roles index nodes: those that are not there, and a node of two roles, are refused before they are used. */
TEST(job_sources_refuse_roles_that_are_none)
{
    struct fixture model, clips;
    struct model_cache cache = {.limit_bytes = 1 << 20};
    struct job_sources sources;
    struct buf unmatched;
    struct err err = {0};
    struct human_rig rig;
    static struct render_work work;
    human_begin(&rig, &model, &HUMAN_A);
    fixture_finish(&model);
    human_begin(&rig, &clips, &HUMAN_T);
    human_walk(&rig);
    fixture_finish(&clips);
    const int fds[1] = {file_of(&clips)};
    const struct humanoid_choice any = {0};
    struct humanoid own, other;
    assert_int_equal(humanoid_find(&model.model, &any, &own, &err), 0);
    assert_int_equal(humanoid_find(&clips.model, &any, &other, &err), 0);
    static const struct {
        int role;
        int32_t node;
        int code;
    } ROWS[] = {{ROLE_JAW, -1, 0},
                {ROLE_JAW, 1000, ERR_BAD_PARAMETER},
                {ROLE_JAW, INT32_MIN, ERR_BAD_PARAMETER},
                {ROLE_HIPS, -1, ERR_BAD_PARAMETER},
                {ROLE_LEFT_FOOT, 1, ERR_BAD_PARAMETER}}; /* the hips */
    buf_init(&unmatched, 0);
    for (size_t i = 0; i < 2 * sizeof ROWS / sizeof *ROWS; i++) {
        work.job = (struct render_job){
            .cell_count = 1,
            .drawn_count = 1,
            .source_count = 1,
            .sources = {{.key = 1, .size_bytes = clips.size_bytes, .is_by_rest = 1}},
        };
        work.cells[0] = (struct render_cell){.clip_source = 1};
        memcpy(work.job.roles, own.nodes, sizeof own.nodes);
        memcpy(work.job.sources[0].roles, other.nodes, sizeof other.nodes);
        (i % 2 == 0 ? work.job.roles : work.job.sources[0].roles)[ROWS[i / 2].role] = ROWS[i / 2].node;
        buf_clear(&unmatched);
        assert_int_equal(init_sources(&sources, &cache, &work, fds, &model.model, &unmatched, &err), ROWS[i / 2].code);
        if (i == 0)
            assert_memory_equal(unmatched.data + unmatched.size_bytes - 12, ";slide=0.054", 12);
        job_sources_fini(&sources);
    }
    model_cache_fini(&cache, NULL);
    close(fds[0]);
    buf_fini(&unmatched);
    fixture_fini(&model);
    fixture_fini(&clips);
}

/* Sends the first bytes of a job with fd_count descriptors and receives it. */
static int pass_bytes(const struct render_work *work, size_t size_bytes, uint32_t fd_count, struct job_fds *fds,
                      struct err *err)
{
    static struct render_work received;
    const size_t cells = render_cells_bytes(&work->job), times = render_layer_moments_bytes(&work->job);
    int ends[2], sent[COUNT + 3] = {0};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof sent)];
    } control = {.header = {.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS}};
    struct buf bytes;
    buf_init(&bytes, 0);
    buf_put(&bytes, &work->job, sizeof work->job);
    if (render_job_is_bounded(&work->job)) {
        buf_put(&bytes, work->cells, cells);
        buf_put(&bytes, work->layer_moments, times);
        buf_put(&bytes, work->renames, work->job.rename_bytes);
    }
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    for (uint32_t i = 0; i < fd_count; i++)
        sent[i] = memfd_create("test", MFD_CLOEXEC);
    control.header.cmsg_len = CMSG_LEN(fd_count * sizeof *sent);
    memcpy(CMSG_DATA(&control.header), sent, fd_count * sizeof *sent);
    const size_t sent_bytes = size_bytes < bytes.size_bytes ? size_bytes : bytes.size_bytes;
    struct iovec part = {.iov_base = bytes.data, .iov_len = sent_bytes};
    const struct msghdr message = {.msg_iov = &part,
                                   .msg_iovlen = 1,
                                   .msg_control = control.bytes,
                                   .msg_controllen = CMSG_SPACE(fd_count * sizeof *sent)};
    assert_int_equal(sendmsg(ends[0], &message, MSG_NOSIGNAL | MSG_DONTWAIT), sent_bytes);
    close(ends[0]);
    const int rc = job_receive(ends[1], &received, fds, err);
    if (rc == 1) {
        assert_memory_equal(&received.job, &work->job, sizeof work->job);
        assert_memory_equal(received.cells, work->cells, cells);
        assert_memory_equal(received.layer_moments, work->layer_moments, times);
        assert_memory_equal(received.renames, work->renames, work->job.rename_bytes);
    }
    for (uint32_t i = 0; i < fd_count; i++)
        close(sent[i]);
    close(ends[1]);
    buf_fini(&bytes);
    return rc;
}

static int pass(const struct render_work *work, uint32_t fd_count, struct job_fds *fds, struct err *err)
{
    return pass_bytes(work, SIZE_MAX, fd_count, fds, err);
}

TEST(job_channel_takes_exactly_the_models_of_the_job)
{
    static struct render_work work;
    struct job_fds fds;
    struct err err;
    work.job = (struct render_job){.magic = RENDER_JOB_MAGIC, .cell_count = 1, .drawn_count = 1};
    const int free_before = dup(0);
    close(free_before);
    for (uint32_t count = 0; count <= COUNT; count += 4) {
        work.job.source_count = count;
        assert_int_equal(pass(&work, 1 + count, &fds, &err), 1);
        assert_true(fds.model >= 0);
        assert_int_equal(fds.source_count, count);
        job_fds_close(&fds);
        assert_int_equal(pass(&work, 2 + count, &fds, &err), ERR_INTERNAL);
        if (count > 0)
            assert_int_equal(pass(&work, count, &fds, &err), ERR_INTERNAL);
        assert_int_equal(fds.model, -1);
    }
    work.job.source_count = UINT32_MAX;
    assert_int_equal(pass(&work, 2, &fds, &err), ERR_INTERNAL);
    const int free_after = dup(0); /* the lowest free number: nothing was left open */
    close(free_after);
    assert_int_equal(free_before, free_after);
}

/* The largest jobs fit into a socket at once. A job that is cut short or claims more is invalid. */
TEST(job_channel_takes_the_cells_of_the_job)
{
    static struct render_work work;
    struct job_fds fds;
    struct err err;
    for (uint32_t c = 0; c < RENDER_CELLS_MAX; c++)
        work.cells[c] = (struct render_cell){.clip = (int32_t)c, .x = 7 * c};
    for (uint32_t i = 0; i < RENDER_LAYER_MOMENTS_MAX; i++)
        work.layer_moments[i] = (struct render_layer_moment){i, i + 0.5};
    for (uint32_t i = 0; i < RENDER_RENAME_BYTES_MAX; i++)
        work.renames[i] = (char)('a' + i % 26);
    static const uint32_t good[][2] = {{1, 0}, {1, RENDER_LAYERS_MAX}, {RENDER_CELLS_MAX, 0}, {RENDER_CELLS_MAX, 4}};
    static const uint32_t bad[][2] = {
        {0, 0},          {RENDER_CELLS_MAX + 1, 0}, {UINT32_MAX, 0}, {RENDER_CELLS_MAX, 5}, {1, RENDER_LAYERS_MAX + 1},
        {1, UINT32_MAX}, {1 << 16, 1 << 16}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        work.job = (struct render_job){.magic = RENDER_JOB_MAGIC,
                                       .cell_count = good[i][0],
                                       .drawn_count = good[i][0],
                                       .blend.layer_count = good[i][1],
                                       .rename_bytes = RENDER_RENAME_BYTES_MAX};
        const size_t size_bytes = sizeof work.job + render_cells_bytes(&work.job) +
                                  render_layer_moments_bytes(&work.job) + RENDER_RENAME_BYTES_MAX;
        assert_int_equal(pass(&work, 1, &fds, &err), 1);
        job_fds_close(&fds);
        assert_int_equal(pass_bytes(&work, size_bytes - 1, 1, &fds, &err), ERR_INTERNAL);
        assert_int_equal(pass_bytes(&work, sizeof work.job, 1, &fds, &err), ERR_INTERNAL);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        work.job = (struct render_job){
            .magic = RENDER_JOB_MAGIC, .cell_count = bad[i][0], .drawn_count = 1, .blend.layer_count = bad[i][1]};
        assert_int_equal(pass(&work, 1, &fds, &err), ERR_INTERNAL);
    }
    work.job = (struct render_job){.magic = RENDER_JOB_MAGIC,
                                   .cell_count = 1,
                                   .drawn_count = 1,
                                   .later_count = 1,
                                   .blend.layer_count = RENDER_LAYERS_MAX};
    const size_t with_later =
        sizeof work.job + 2 * sizeof *work.cells + 2 * RENDER_LAYERS_MAX * sizeof *work.layer_moments;
    assert_int_equal(pass(&work, 1, &fds, &err), 1);
    job_fds_close(&fds);
    assert_int_equal(pass_bytes(&work, with_later - 1, 1, &fds, &err), ERR_INTERNAL);
    static const uint32_t bad_later[][3] = {{1, 0, 2},
                                            {1, 0, UINT32_MAX},
                                            {RENDER_CELLS_MAX, 0, 1},
                                            {RENDER_LAYER_MOMENTS_MAX / RENDER_LAYERS_MAX, RENDER_LAYERS_MAX, 1}};
    for (size_t i = 0; i < sizeof bad_later / sizeof *bad_later; i++) {
        work.job = (struct render_job){.magic = RENDER_JOB_MAGIC,
                                       .cell_count = bad_later[i][0],
                                       .drawn_count = 1,
                                       .blend.layer_count = bad_later[i][1],
                                       .later_count = bad_later[i][2]};
        assert_int_equal(pass(&work, 1, &fds, &err), ERR_INTERNAL);
    }
    static const uint32_t not_drawn[][3] = {{4, 0, 0}, {4, 4, 1},          {4, 3, 2},
                                            {4, 5, 1}, {4, UINT32_MAX, 2}, {4, 1, UINT32_MAX}};
    for (size_t i = 0; i < sizeof not_drawn / sizeof *not_drawn; i++) {
        work.job = (struct render_job){.magic = RENDER_JOB_MAGIC,
                                       .cell_count = not_drawn[i][0],
                                       .first_drawn = not_drawn[i][1],
                                       .drawn_count = not_drawn[i][2]};
        assert_int_equal(pass(&work, 1, &fds, &err), ERR_INTERNAL);
    }
    work.job = (struct render_job){
        .magic = RENDER_JOB_MAGIC, .cell_count = 1, .drawn_count = 1, .rename_bytes = RENDER_RENAME_BYTES_MAX + 1};
    assert_int_equal(pass(&work, 1, &fds, &err), ERR_INTERNAL);
}
