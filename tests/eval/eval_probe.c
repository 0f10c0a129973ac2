/* libposed-eval as a filter, for tests: eval_probe FILE [map] opens a .posed file, reads one call a line and prints its
 * result: numbers as words, floats as hexadecimal bytes, or "error STATUS MESSAGE".
 *
 *   info | expressions | find node|skin|clip|expression NAME | clip INDEX (is_compiled, evaluation) | kernel NAME
 *   entity KEY=VALUE...      motion, root, world=16 numbers
 *   source FILE [by_rest LOCK REST FRAME]   opens another file, whose clips are retargeted by rest; the first is source
 * 1 layer KEY=VALUE...       clip, t, wrap, from, to, speed, phase, weight, additive, reference, reference_t, source,
 *                            node, subtree, except (each may repeat), pose (what was given; 1: relative to rest),
 *                            motion (index)
 *   give .. | weight .. | expression .. | look .. | name .. | frame TIME   collect poses (probe_pose.h)
 *   motion RATE RELATIVE     of the frames; its index, and how long it lasts
 *   retargeted SOURCE CLIP   of a clip that a layer has played: duration, channels, unmatched ones, is_compiled,
 *                            evaluation
 *   evaluate                 of the entity with its layers; the next `entity` or `layer` begins a new one
 *   hitboxes FIT | first (keeps the entity with its layers) | add|add_moving MASK (the entity; from the first to it) |
 *   clear | rays ..   (probe_hits.h)
 *   meshes                   (makes room) | target|target_moving MASK (as add) | mesh_rays ..
 *   palette SKIN LAYOUT | nodes LAYOUT [NODE...] | locals | local NODE | weights NODE | vertices DRAW | step | counts
 */
#include "tests/eval/probe_entity.h"
#include "tests/eval/probe_hits.h"
#include "tests/eval/probe_pose.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 1 << 16, SCENE_ROOM = 16, FLOATS_MAX = 1 << 20 };

struct probe {
    struct pe_model *model;
    struct pe_evaluator *evaluator;
    struct pe_hitboxes *hitboxes;
    struct pe_scene *scene;
    struct probed_meshes meshes;
    struct probed_sources sources;
    struct posing now, first; /* first: set by the call `first` */
    int is_done;              /* evaluated: the next entity or layer begins again */
    float *floats;
    struct pe_error error;
};

static void put_floats(const float *floats, size_t count)
{
    const unsigned char *at = (const unsigned char *)floats;
    for (size_t i = 0; i < count * sizeof *floats; i++)
        printf("%02x", at[i]);
    putchar('\n');
}

/* Puts the result of a call that filled `count` floats. */
static void put(const struct probe *probe, int rc, size_t count)
{
    if (rc < 0)
        printf("error %d %s\n", rc, probe->error.message);
    else
        put_floats(probe->floats, count);
}

static void put_done(const struct probe *probe, int rc)
{
    if (rc < 0)
        printf("error %d %s\n", rc, probe->error.message);
    else
        puts("done");
}

static void begin(struct probe *probe)
{
    if (!probe->is_done)
        return;
    posing_begin(&probe->now, probe->model);
    probe->is_done = 0;
}

static void put_info(const struct probe *probe)
{
    struct pe_info info;
    pe_model_info(probe->model, &info);
    printf("%u nodes %u skins %u clips %u meshes %u draws %u markers version %d compiled %d hash ", info.node_count,
           info.skin_count, info.clip_count, info.mesh_count, info.draw_count, info.marker_count, info.file_version,
           info.has_compiled);
    for (int i = 0; i < 32; i++)
        printf("%02x", info.content_hash[i]);
    putchar('\n');
}

static void put_expressions(const struct probe *probe)
{
    struct pe_info info;
    struct pe_expression at;
    pe_model_info(probe->model, &info);
    printf("gaze %d", info.has_gaze);
    for (uint32_t e = 0; e < info.expression_count && pe_expression_at(probe->model, e, &at) == 0; e++)
        printf(" %s,%u,%d", at.name, at.weight_count, at.is_binary);
    printf("%s\n", pe_expression_at(probe->model, info.expression_count, &at) == PE_E_ARGUMENT ? "" : " and more");
}

static void put_found(struct probe *probe, const char *words)
{
    uint32_t index = 0;
    int32_t clip = 0;
    const char *name = strchr(words, ' ') + 1;
    const int rc = words[0] == 'n'   ? pe_find_node(probe->model, name, &index, &probe->error)
                   : words[0] == 's' ? pe_find_skin(probe->model, name, &index, &probe->error)
                   : words[0] == 'e' ? pe_find_expression(probe->model, name, &index, &probe->error)
                                     : pe_find_clip(probe->model, name, &clip, &probe->error);
    if (rc < 0)
        printf("error %d %s\n", rc, probe->error.message);
    else
        printf("%d\n", words[0] == 'c' ? (int)clip : (int)index);
}

static void put_nodes(struct probe *probe, char *words)
{
    static uint32_t nodes[4096];
    const int layout = (int)strtol(words, &words, 10);
    struct pe_info info;
    uint32_t count = 0;
    for (char *word = strtok(words, " "); word != NULL; word = strtok(NULL, " "))
        nodes[count++] = (uint32_t)atoi(word);
    pe_model_info(probe->model, &info);
    const uint32_t total = count > 0 ? count : info.node_count;
    put(probe,
        pe_nodes(probe->evaluator, count > 0 ? nodes : NULL, total, layout, probe->floats, FLOATS_MAX, &probe->error),
        (size_t)total * pe_layout_floats(layout));
}

static void put_vertices(struct probe *probe, uint32_t draw)
{
    struct pe_draw info = {0};
    pe_draw_at(probe->model, draw, &info);
    const size_t floats = 3 * (size_t)info.vertex_count;
    put(probe,
        pe_vertices(probe->evaluator, draw, probe->floats, probe->floats + floats, FLOATS_MAX / 2, &probe->error),
        2 * floats);
}

static void put_step(struct probe *probe)
{
    struct pe_step step;
    const int rc = pe_root_step(probe->evaluator, &step, &probe->error);
    memcpy(probe->floats, step.translation, sizeof step.translation);
    probe->floats[3] = step.yaw_deg;
    put(probe, rc, 4);
}

static void put_locals(struct probe *probe)
{
    struct pe_info info;
    pe_model_info(probe->model, &info);
    put(probe, pe_locals(probe->evaluator, NULL, info.node_count, probe->floats, FLOATS_MAX, &probe->error),
        (size_t)info.node_count * 10);
}

static void put_palette(struct probe *probe, const char *words)
{
    char *end;
    const uint32_t skin = (uint32_t)strtoul(words, &end, 10);
    const int layout = atoi(end);
    struct pe_skin info = {0};
    pe_skin_at(probe->model, skin, &info);
    put(probe, pe_palette(probe->evaluator, skin, layout, probe->floats, FLOATS_MAX, &probe->error),
        (size_t)info.joint_count * pe_layout_floats(layout));
}

/* --- hits --- */

static void keep_first(struct probe *probe)
{
    begin(probe);
    posing_copy(&probe->first, &probe->now);
    probe->is_done = 1;
    puts("done");
}

static void add(struct probe *probe, int is_moving, uint32_t mask)
{
    begin(probe);
    put_done(probe, pe_scene_add(probe->scene, probe->hitboxes, is_moving ? &probe->first.entity : &probe->now.entity,
                                 is_moving ? &probe->now.entity : NULL, mask, &probe->error));
    probe->is_done = 1;
}

/* A target has its own copies, which clear drops. */
static void add_target(struct probe *probe, int is_moving, uint32_t mask)
{
    begin(probe);
    probe_target(&probe->meshes, is_moving ? &probe->first.entity : &probe->now.entity,
                 is_moving ? &probe->now.entity : NULL, mask);
    probe->is_done = 1;
    puts("done");
}

/* Returns false for other calls. */
static int answer_hits(struct probe *probe, const char *call, char *words)
{
    if (strcmp(call, "hitboxes") == 0)
        probe_hitboxes(probe->model, atoi(words), SCENE_ROOM, &probe->hitboxes, &probe->scene);
    else if (strcmp(call, "first") == 0)
        keep_first(probe);
    else if (strcmp(call, "add") == 0 || strcmp(call, "add_moving") == 0)
        add(probe, call[3] != '\0', (uint32_t)strtoul(words, NULL, 10));
    else if (strcmp(call, "rays") == 0)
        probe_rays(probe->scene, words);
    else if (strcmp(call, "meshes") == 0)
        probe_meshes(probe->model, &probe->meshes);
    else if (strcmp(call, "target") == 0 || strcmp(call, "target_moving") == 0)
        add_target(probe, call[6] != '\0', (uint32_t)strtoul(words, NULL, 10));
    else if (strcmp(call, "mesh_rays") == 0)
        probe_mesh_rays(&probe->meshes, words);
    else if (strcmp(call, "clear") == 0) {
        probe->meshes.count = 0;
        if (probe->scene != NULL)
            pe_scene_clear(probe->scene);
        puts("done");
    } else
        return 0;
    return 1;
}

/* --- clips of other files --- */

/* Cuts the numbers that follow the file's name. */
static void take_rest(struct probed_sources *sources, char *words)
{
    char *rest = strstr(words, " by_rest ");
    int lock, kind;
    unsigned frame;
    sources->is_by_rest[sources->count] = rest != NULL;
    if (rest == NULL || sscanf(rest, " by_rest %d %d %u", &lock, &kind, &frame) != 3)
        return;
    *rest = '\0';
    sources->rests[sources->count] = (struct pe_rest_options){lock, (enum pe_rest)kind, frame};
}

static void open_source(struct probe *probe, char *path)
{
    take_rest(&probe->sources, path);
    const int rc = pe_model_open(path, 0, &probe->sources.models[probe->sources.count], &probe->error);
    probe->sources.count += rc == 0;
    put_done(probe, rc);
}

static void take_layer(struct probe *probe, char *words)
{
    const uint32_t source = posing_source(words);
    begin(probe);
    posing_take_layer(&probe->now, words);
    put_done(probe, posing_retarget(&probe->now, &probe->sources, source, &probe->error));
}

static const char *evaluation_name(enum pe_evaluation evaluation)
{
    return evaluation == PE_EXACT ? "exact" : evaluation == PE_LINEAR ? "linear" : "cubic";
}

static void put_clip(const struct probe *probe, const char *words)
{
    struct pe_clip clip;
    if (pe_clip_at(probe->model, (uint32_t)atoi(words), &clip) < 0)
        puts("error");
    else
        printf("%d %s\n", clip.is_compiled, evaluation_name(clip.evaluation));
}

static void put_retargeted(struct probe *probe, const char *words)
{
    struct pe_retargeted_clip_info info;
    pe_retargeted_clip_info(probe->sources.clips[atoi(words) - 1][atoi(strchr(words, ' '))], &info);
    printf("%.17g %u %u %d %s\n", info.duration_s, info.channel_count, info.unmatched_count, info.is_compiled,
           evaluation_name(info.evaluation));
}

/* --- given poses --- */

static void put_motion(struct probe *probe, char *words)
{
    const double rate = strtod(words, &words);
    const int index = probe_motion(probe->model, rate, atoi(words), &probe->error);
    if (index < 0)
        printf("error %d %s\n", index, probe->error.message);
    else
        printf("%d %.17g\n", index, pe_given_duration_s(probe_motion_at(index)));
}

/* Returns false for other calls. */
static int answer_given(struct probe *probe, const char *call, char *words)
{
    if (strcmp(call, "give") == 0)
        probe_give(words);
    else if (strcmp(call, "weight") == 0)
        probe_give_weight(words);
    else if (strcmp(call, "expression") == 0)
        probe_give_expression(words);
    else if (strcmp(call, "look") == 0)
        probe_give_look(words);
    else if (strcmp(call, "name") == 0)
        probe_give_name(words);
    else if (strcmp(call, "frame") == 0)
        probe_frame(atof(words));
    else if (strcmp(call, "motion") != 0)
        return 0;
    if (strcmp(call, "motion") == 0)
        put_motion(probe, words);
    else
        puts("done");
    return 1;
}

static void close_sources(struct probed_sources *sources)
{
    for (uint32_t s = 0; s < sources->count; s++) {
        for (int c = 0; c < 8; c++)
            pe_retargeted_clip_free(sources->clips[s][c]);
        pe_model_close(sources->models[s]);
    }
}

static void answer(struct probe *probe, char *line)
{
    char *words = strchr(line, ' ');
    if (words != NULL)
        *words++ = '\0';
    else
        words = line + strlen(line);
    if (strcmp(line, "info") == 0) {
        put_info(probe);
    } else if (strcmp(line, "expressions") == 0) {
        put_expressions(probe);
    } else if (strcmp(line, "find") == 0) {
        put_found(probe, words);
    } else if (strcmp(line, "kernel") == 0) {
        put_done(probe, pe_evaluator_kernel(probe->evaluator, words, &probe->error));
    } else if (strcmp(line, "entity") == 0) {
        begin(probe);
        posing_take_entity(&probe->now, words);
        puts("done");
    } else if (strcmp(line, "layer") == 0) {
        take_layer(probe, words);
    } else if (strcmp(line, "source") == 0) {
        open_source(probe, words);
    } else if (strcmp(line, "clip") == 0) {
        put_clip(probe, words);
    } else if (strcmp(line, "retargeted") == 0) {
        put_retargeted(probe, words);
    } else if (strcmp(line, "evaluate") == 0) {
        begin(probe);
        put_done(probe, pe_evaluate(probe->evaluator, &probe->now.entity, &probe->error));
        probe->is_done = 1;
    } else if (strcmp(line, "palette") == 0) {
        put_palette(probe, words);
    } else if (strcmp(line, "nodes") == 0) {
        put_nodes(probe, words);
    } else if (strcmp(line, "locals") == 0) {
        put_locals(probe);
    } else if (strcmp(line, "local") == 0) {
        put(probe, pe_local_matrix(probe->evaluator, (uint32_t)atoi(words), probe->floats, &probe->error), 16);
    } else if (strcmp(line, "weights") == 0) {
        const int rc =
            pe_morph_weights(probe->evaluator, (uint32_t)atoi(words), probe->floats, FLOATS_MAX, &probe->error);
        put(probe, rc, rc < 0 ? 0 : (size_t)rc);
    } else if (strcmp(line, "vertices") == 0) {
        put_vertices(probe, (uint32_t)atoi(words));
    } else if (strcmp(line, "step") == 0) {
        put_step(probe);
    } else if (strcmp(line, "counts") == 0) {
        uint64_t compiled, exact;
        pe_evaluator_counts(probe->evaluator, &compiled, &exact);
        printf("%llu %llu\n", (unsigned long long)compiled, (unsigned long long)exact);
    } else if (!answer_given(probe, line, words) && !answer_hits(probe, line, words)) {
        puts("error 0 unknown call");
    }
}

int main(int argc, char **argv)
{
    static struct probe probe;
    static char line[LINE_BYTES];
    probe.floats = malloc(FLOATS_MAX * sizeof *probe.floats);
    probe.is_done = 1;
    const unsigned flags = argc > 2 && strcmp(argv[2], "map") == 0 ? PE_OPEN_MAP : 0;
    if (argc < 2 || probe.floats == NULL || pe_model_open(argv[1], flags, &probe.model, &probe.error) < 0 ||
        pe_evaluator_new(&probe.evaluator, &probe.error) < 0 ||
        pe_evaluator_reserve(probe.evaluator, probe.model, PE_LAYERS_MAX, &probe.error) < 0) {
        printf("error %d %d %s\n", probe.error.status, probe.error.system, probe.error.message);
        return 1;
    }
    puts("ready");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        answer(&probe, line);
        fflush(stdout);
    }
    pe_scene_free(probe.scene);
    pe_caster_free(probe.meshes.caster);
    pe_mesh_free(probe.meshes.mesh);
    pe_hitboxes_free(probe.hitboxes);
    pe_evaluator_free(probe.evaluator);
    close_sources(&probe.sources);
    probe_motions_free();
    pe_model_close(probe.model);
    free(probe.floats);
    return 0;
}
